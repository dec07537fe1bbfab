package transcript

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/ui/kit"
)

// A conversation is searched in slices, so that the first hit is on the screen long
// before the last is counted, and a key never waits for either.
const (
	sweepAtFirst = 100 // messages
	sweepSlice   = 500
)

// searchedSlice brings the hits of one slice.
type searchedSlice struct {
	of         *Screen
	pages      *pages
	generation int // of the target
	hits       []int
	err        error
}

// sweep searches the whole conversation for the pattern, from a position to the end and
// then from the beginning.
func (s *search) sweep(from int) tea.Cmd {
	n := len(s.of.pages.skeletons)
	s.begun = s.of.env.Clock()
	s.todo = make([]int, n)
	for k := range s.todo {
		s.todo[k] = (from + k) % n
	}
	return s.next(sweepAtFirst)
}

// next searches the next size messages of todo.
func (s *search) next(size int) tea.Cmd {
	slice := s.todo[:min(size, len(s.todo))]
	s.todo = s.todo[len(slice):]
	if len(slice) == 0 {
		s.known = true
		return s.takePendingStep()
	}
	out := searchedSlice{of: s.of, pages: s.of.pages, generation: s.generation}
	ids, at := make([]int64, len(slice)), make(map[int64]int, len(slice))
	for k, i := range slice {
		ids[k] = s.of.pages.outline.MessageIDs[i]
		at[ids[k]] = i
	}
	ctx := s.of.env.Context
	lib := s.of.env.Library
	pattern := s.pattern
	id := s.of.pages.outline.Conversation.ID
	return func() tea.Msg {
		var msgs []model.Message
		msgs, out.err = readPages(ctx, lib, id, ids)
		for k := range msgs {
			if has(pattern, &msgs[k]) {
				out.hits = append(out.hits, at[msgs[k].ID])
			}
		}
		return out
	}
}

// progress draws how much of the conversation has been searched, when that has taken a
// second; "" before.
func (s *search) progress() string {
	const w = 10
	if len(s.todo) == 0 || s.of.env.Clock().Sub(s.begun) < time.Second || s.of.w < 60 {
		return ""
	}
	st, n := s.of.sh.Styles(), len(s.of.pages.skeletons)
	bar := kit.ShareBar(st, float64(n-len(s.todo))/float64(n), w)
	return " " + bar + strings.Repeat(st.Glyphs.Rule, w-st.Cells.StringWidth(bar))
}

// takeSlice adds the hits of a slice and starts the next. Unless the reader has moved
// meanwhile, the screen goes to the first hit after the place where the search began, which
// is the first found.
func (s *search) takeSlice(msg searchedSlice) tea.Cmd {
	if msg.err != nil {
		s.todo, s.wait = nil, 0
		s.of.sh.Fail(msg.err)
		return nil
	}
	var visit tea.Cmd
	first := len(s.hits) == 0 && len(msg.hits) > 0
	if len(msg.hits) > 0 {
		near := msg.hits[0] // the slice is in the order of the sweep
		s.hits = append(s.hits, msg.hits...)
		slices.Sort(s.hits)
		if first && s.seeking {
			s.seeking = false
			visit = s.visit(slices.Index(s.hits, near), 1)
		} else if dir := s.wait; dir != 0 {
			s.wait = 0
			visit = s.step(dir)
		}
	}
	return tea.Batch(visit, s.next(sweepSlice))
}

// has reports whether a message contains the pattern in its text, its reasoning or its
// tool calls.
func has(p match.Pattern, m *model.Message) bool {
	if m.Role == "tool" {
		return hasReadable(p, m.Content.Text)
	}
	if p.Match(m.Content.Text) || p.Match(m.Reasoning) {
		return true
	}
	for _, c := range m.Calls {
		if p.Match(c.Name) || hasReadable(p, c.Arguments) {
			return true
		}
	}
	return slices.ContainsFunc(m.Content.Media, func(a model.Attachment) bool { return p.Match(a.Placeholder()) })
}

// hasReadable matches a text as [kit.FormatJSON] writes it. Most texts are ruled out
// without being parsed: a pattern without spaces and punctuation is the same in JSON.
func hasReadable(p match.Pattern, text string) bool {
	if t := strings.TrimSpace(text); t == "" || t[0] != '{' && t[0] != '[' {
		return p.Match(text)
	}
	plain := !p.Regex() && strings.IndexFunc(p.Text(), func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
	if plain && !p.Match(text) {
		return false
	}
	return p.Match(kit.FormatJSON(text))
}
