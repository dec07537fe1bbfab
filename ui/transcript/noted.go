package transcript

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// readNoted reads what the user has noted on the conversation and its messages.
func (v *textView) readNoted() {
	v.noted = nil
	v.notedVersion++
	book := v.sh.Env().Annotations
	if book == nil || v.pages == nil {
		return
	}
	s, root := v.sh.Styles(), v.Conv.RootID
	v.noted = map[int64]string{}
	if text := v.sh.Env().Noted(root); text != "" {
		v.noted[0] = s.Glyphs.Note + " " + kit.CleanLine(text)
	}
	for _, id := range book.Bookmarks(root) {
		on := book.On(root, id)
		var parts []string
		if on.Bookmark {
			parts = append(parts, s.Glyphs.Bookmark+" bookmark")
		}
		if on.Note != "" {
			parts = append(parts, s.Glyphs.Note+" "+kit.CleanLine(on.Note))
		}
		v.noted[id] = strings.Join(parts, " · ")
	}
}

// notedOn returns what is noted on message i, above the first one that on the conversation as
// well.
func (v *textView) notedOn(i int) (parts []string) {
	if on := v.noted[0]; i == 0 && on != "" {
		parts = append(parts, on)
	}
	if on := v.noted[v.pages.outline.MessageIDs[i]]; on != "" {
		parts = append(parts, on)
	}
	return parts
}

// bookmarked returns the positions of the messages with a bookmark or a note.
func (v *textView) bookmarked() (at []int) {
	for id := range v.noted {
		if i, ok := v.pages.index[id]; ok && id != 0 {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return at
}

// noteHandlers are the actions for notes and bookmarks on the current message; why is the
// reason why there is none, "" where there is.
func noteHandlers(s *Screen, why string) []shell.Handler {
	book := s.env.Annotations
	if book == nil && why == "" {
		why = "notes are not kept here"
	}
	current := func() shell.Annotation {
		i := s.rows.Selected / 2
		for i > 0 && s.silent(i) { // what a note is shown above
			i--
		}
		on := book.On(s.Conv.RootID, s.pages.outline.MessageIDs[i])
		on.Title = shell.ConversationName(s.Conv)
		return on
	}
	var tags shell.Handler
	for _, h := range shell.NoteHandlers(s.sh, why, s.Conv) {
		if h.Action == shell.Tags {
			tags = h
		}
	}
	return []shell.Handler{
		tags,
		shell.NewHandler(shell.Note, why, func() tea.Cmd { return s.sh.Do(shell.AskNote{On: current()}) }),
		shell.NewHandler(shell.BookmarkMessage, why, func() tea.Cmd {
			on := current()
			on.Bookmark = !on.Bookmark
			return s.sh.Do(shell.Annotate{Annotation: on})
		}),
		shell.NewHandler(shell.NextBookmark, why, func() tea.Cmd {
			all := s.bookmarked()
			if len(all) == 0 {
				return s.sh.Refuse("no bookmarks; " + s.env.Keys.Find(shell.InTranscript, shell.BookmarkMessage).KeyText() + " sets one")
			}
			k, _ := slices.BinarySearch(all, s.rows.Selected/2+1)
			i := all[k%len(all)]
			return s.jump(i, func() { s.show(s.visibleItem(i), 0, min(1, s.rows.Height/4)) })
		}),
	}
}
