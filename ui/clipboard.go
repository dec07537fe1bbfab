package ui

import (
	"context"
	"encoding/base64"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// mostCopied is how many bytes terminals take: 100,000 in their spelling.
// More is cut off or dropped by many, without a word.
const mostCopied = 74_994

// copied says whether a text has come to the clipboard.
type copied struct {
	text, what string
	err        error
}

// copy puts text into the clipboard and says so: through the terminal, which
// does not tell whether it took it, so neither do we.
func (r *Root) copy(q shell.CopyText) tea.Cmd {
	text, what := q.Text, q.What
	if strings.TrimSpace(text) == "" {
		return r.Say("there is no text to copy")
	}
	if len(text) > mostCopied {
		return r.Say(what + " is too large to copy: " + kit.Size(len(text)) + ", and terminals take " + kit.Size(mostCopied) +
			"; the editor, the pager or an export give it whole")
	}
	put := r.opt.Outside.Clipboard
	if put == nil {
		return tea.Batch(tea.SetClipboard(text), r.Say("sent to the terminal's clipboard: "+what))
	}
	ctx := r.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, heldFor*20)
		defer cancel()
		return copied{text, what, put(ctx, text)}
	}
}

// landCopy tells of it. Where the other way fails, the terminal is asked, once
// for us and once past a multiplexer that would keep it to itself.
func (r *Root) landCopy(c copied) tea.Cmd {
	if c.err == nil {
		return r.Say("copied: " + c.what)
	}
	past := "\x1bPtmux;\x1b\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(c.text)) + "\a\x1b\\"
	return tea.Batch(tea.SetClipboard(c.text), tea.Raw(past), r.Say("sent to the terminal's clipboard: "+c.what))
}
