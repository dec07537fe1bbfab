// Package snippet cuts the line of a message that shows why it matches a query.
package snippet

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// Width is the greatest width of a snippet in columns. The marked words are in its
// first half, so that a narrow screen can cut its end.
const Width = 120

// LongWidth is that of the snippets of one conversation, which are read over several lines.
const LongWidth = 180

// Source is a message that a snippet is cut from.
type Source struct {
	Hit       model.Hit // without Snippet and Kind, which Hits fills in
	Body      string    // the text of its content
	ToolCalls string    // as stored; few snippets are cut from them
}

// largeTextBytes is how many bytes of text are worth a second goroutine.
const largeTextBytes = 128 << 10

// Hits returns the hits of sources with their snippets, of at most width columns, and kinds.
// It works in two goroutines where the texts are long, because snippets are a large part of a search. With
// textOnly, messages that do not match by their text are left out.
func Hits(q query.Query, sources []Source, width int, textOnly bool) []model.Hit {
	cutAll := func(some []Source) (hits []model.Hit) {
		matcher := match.NewMatcher(q.Groups)
		for i := range some {
			if some[i].cut(matcher, width, textOnly) {
				hits = append(hits, some[i].Hit)
			}
		}
		return hits
	}
	size, half := 0, 0
	for i := range sources {
		size += len(sources[i].Body)
	}
	if size < largeTextBytes {
		return cutAll(sources)
	}
	for n := 0; n < size/2; half++ {
		n += len(sources[half].Body)
	}
	var first, second []model.Hit
	_ = db.Parallel(func() error { // neither function fails
		first = cutAll(sources[:half])
		return nil
	}, func() error {
		second = cutAll(sources[half:])
		return nil
	})
	return append(first, second...)
}

// cut fills in the snippet and the kind of a hit: from the text where it
// matches, else from the name of the tool and the arguments of tool calls, without
// markup. With textOnly the text alone is used, and ok reports whether it matches; else
// ok is true.
func (s *Source) cut(matcher *match.Matcher, width int, textOnly bool) (ok bool) {
	s.Hit.Kind = model.HitAgent
	switch s.Hit.Role {
	case "user":
		s.Hit.Kind = model.HitUser
	case "tool":
		s.Hit.Kind = model.HitTool
	}
	body := s.Body
	if _, said, summed := model.SplitSummary(body); summed {
		if _, _, inRest := matcher.Densest(said, width); inRest {
			body = said
		} else {
			s.Hit.Summary = true
		}
	} else if call, ok := model.SkillCall(body); ok && s.Hit.Role == "user" {
		if _, _, inCall := matcher.Densest(call, width); inCall {
			body = call
		} else {
			s.Hit.Skill = true
		}
	}
	if s.Hit.Kind != model.HitTool && strings.Contains(body, "memory-context") {
		// A passage outside the memories is preferred; their tags are never shown.
		for _, shown := range []string{model.StripMemory(body), model.UnmarkMemory(body)} {
			if _, _, matches := matcher.Densest(shown, width); matches {
				body = shown
				break
			}
		}
	}
	excerpt := prose.Excerpt
	if s.Hit.Kind == model.HitTool {
		excerpt = prose.Lines
	}
	if s.Hit.Snippet, ok = ofProse(matcher, body, width, func(from, to int) string { return excerpt(body, from, to) }); ok || textOnly {
		return ok
	}
	m := model.Message{ToolName: s.Hit.ToolName, Calls: db.CallsOf(s.ToolCalls)}
	calls := prose.CallsOf(&m)
	// A longer one would reach into the next call, and so have no name.
	found, ok := ofProse(matcher, calls.Text, Width, func(from, to int) (text string) {
		text, s.Hit.CallName = calls.Excerpt(from, to)
		return text
	})
	if ok {
		_, _, inValues := matcher.Densest(calls.Values(), Width)
		s.Hit.OptionNames = !inValues
	} else {
		// It matches in a part that is not shown, or only by text and calls together.
		found, _ = matcher.Snippet(calls.Text, width)
		s.Hit.Snippet, _ = matcher.Snippet(body, width)
	}
	if ok || len(s.Hit.Snippet) == 0 {
		s.Hit.Snippet, s.Hit.Kind = found, model.HitTool
	}
	return true
}

// ofProse cuts a snippet from the densest matches of a text, by an excerpt around
// them without markup. A match in the markup itself is shown as stored.
func ofProse(matcher *match.Matcher, text string, width int, excerpt func(from, to int) string) (match.Snippet, bool) {
	from, to, ok := matcher.Densest(text, width)
	if !ok {
		return nil, false
	}
	if s, ok := matcher.FindSnippet(excerpt(from, to), width); ok {
		return s, true
	}
	return matcher.FindSnippet(text, width)
}

// Better reports whether a hit is better than another one of the same conversation: what
// was said is better than a text that Hermes inserted, and that than a tool call.
func Better(h, old model.Hit) bool {
	if h.Inserted() || h.Kind == model.HitTool {
		return h.Inserted() && old.Kind == model.HitTool
	}
	return old.Inserted() || old.Kind == model.HitTool
}
