package kit

import (
	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/theme"
)

// CleanHit makes a hit safe to draw. Pieces are cleaned one by one, so that
// marks stay where they are.
func CleanHit(h model.Hit) model.Hit {
	h.Role = CleanLine(h.Role)
	h.ToolName = CleanLine(h.ToolName)
	h.CallName = CleanLine(h.CallName)
	out := make(match.Snippet, 0, len(h.Snippet))
	for _, s := range h.Snippet {
		if s.Text = cleanPiece(s.Text); s.Text != "" {
			out = append(out, s)
		}
	}
	h.Snippet = out
	return h
}

// HitSpeaker says whose words a hit of a conversation is, and in which style that is drawn.
func HitSpeaker(s *theme.Styles, c *model.Conversation, h model.Hit) (string, lipgloss.Style) {
	who := c.Speaker(h)
	switch {
	case h.Inserted():
		return who, s.Faint
	case h.Kind == model.HitTool:
		return who, s.Tool
	case h.Role == "user":
		return who, s.User
	case h.Role == "assistant":
		return who, s.Agent
	}
	return who, s.Faint
}
