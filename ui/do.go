package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/comparison"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/lineage"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/space"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/usage"
)

// The root is the [Shell] of its screens and dialogs.
var _ shell.Shell = (*Root)(nil)

// Env implements Shell.
func (r *Root) Env() *shell.Env { return r.env }

// Styles implements Shell.
func (r *Root) Styles() *theme.Styles { return r.styles }

// Held implements Shell.
func (r *Root) Held() bool { return r.pressed.repeat }

// Shown implements Shell.
func (r *Root) Shown(s shell.Screen) bool { return r.top() == s }

// HasFooter implements Shell.
func (r *Root) HasFooter() bool { return r.h >= footerFrom }

// Say implements Shell.
func (r *Root) Say(text string) tea.Cmd { return r.toast.say(text) }

// Refuse says why a key does nothing, until the next one.
func (r *Root) Refuse(text string) tea.Cmd { return r.toast.refuse(text) }

// Fail implements Shell.
func (r *Root) Fail(err error) { r.toast.fail(err.Error()) }

// Open implements Shell.
func (r *Root) Open(d shell.Dialog) tea.Cmd {
	r.dialogs = append(r.dialogs, d)
	return nil
}

// Do implements Shell.
func (r *Root) Do(q shell.Request) tea.Cmd {
	switch q := q.(type) {
	case shell.OpenTranscript:
		if top, ok := r.top().(*transcript.Screen); ok && slices.Contains(top.Conv.Segments, q.Conversation.ID) {
			return transcript.GoTo(top, q.Hit.MessageID) // it is being read
		}
		s := transcript.New(r, q.Conversation, q.Query, q.Hit)
		s.FromList = q.FromList
		if at, ok := r.places[s.Conv.RootID]; ok && q.Hit.MessageID == 0 && !q.AtEnd {
			s.OpenAt(at)
		}
		return r.push(s)
	case shell.OpenLineage:
		return r.openLineage(q.ID)
	case shell.OpenScreen:
		return r.push(r.newScreen(q.In))
	case shell.OpenList:
		r.screens = r.screens[:1]
		return r.list.ShowQuery(q.Query)
	case shell.OpenComparison:
		return r.push(comparison.New(r, q))
	case shell.CloseScreen:
		r.pop()
		return r.reads.save()
	case shell.SelectConversation:
		r.reads.noteAll()
		r.screens = r.screens[:1]
		return r.list.GoTo(q.Conversation)
	case shell.ReadNextConversation:
		return r.readNextConversation(q)
	case shell.EndProgram:
		return r.finish(Outcome{})
	case shell.RunAction:
		if !r.Shown(q.Screen) || len(r.dialogs) > 0 {
			return nil
		}
		return r.runAction(q.Action)
	case shell.PressKey:
		return r.press(q.Key)
	case shell.Choose:
		return r.choose(q.ID)
	case shell.ResumeConversation:
		r.reads.forget(q.ID)
		return r.resumption.check(q)
	}
	return r.doWith(q)
}

// doWith carries out requests about conversations, and opens dialogs.
func (r *Root) doWith(q shell.Request) tea.Cmd {
	switch q := q.(type) {
	case shell.AskRename:
		return dialog.OpenRename(r, q.Conversation)
	case shell.AskNote:
		return r.Open(dialog.NewNote(r, q))
	case shell.Annotate:
		return r.changes.annotate(&r.fileWrites, q.Annotation)
	case shell.AskSaveQuery:
		return r.Open(dialog.NewSaveQuery(r, q))
	case shell.EditQuery:
		edit := r.env.Outside.EditQuery
		return r.fileWrites.begin(func() (tea.Msg, error) {
			all, err := edit(q.Was, q.New)
			return shell.QueriesEdited{EditQuery: q, All: all, Err: err}, err
		})
	case shell.SetTitle:
		return r.changes.setTitle(q)
	case shell.ToggleFlag:
		return r.changes.toggle(q)
	case shell.AskDelete:
		return dialog.OpenDelete(r, q.Of)
	case shell.DeleteConversations:
		r.leaveDeleted(q)
		return r.changes.delete(q)
	case shell.OpenSpace:
		return r.push(space.New(r, q.Tab))
	case shell.CompactDatabase:
		return r.changes.compact(q)
	case shell.AskExport:
		return r.Open(dialog.NewExport(r, q.Of))
	case shell.ExportConversations:
		return r.changes.export(q)
	case shell.InspectConversation:
		return dialog.OpenInspector(r, q.Conversation)
	case shell.RunProgram:
		return runProgram(r, q)
	case shell.RunCommand:
		return r.runCommand(q)
	case shell.CopyText:
		return copyText(r, q)
	case shell.OpenCopyMenu:
		entries := append(q.Entries, dialog.CopyEntries(r, q.Conversation)...)
		return r.Do(shell.OpenMenu{Title: "Copy from “" + r.styles.Cells.Truncate(shell.ConversationName(q.Conversation), 40, r.styles.Glyphs.Ellipsis) + "”", Toggle: q.Toggle, Entries: entries})
	case shell.OpenMenu:
		return r.Open(dialog.NewMenu(r, r.top().Context(), q))
	case shell.OpenFacets:
		return r.Open(dialog.NewFacets(r, r.top().Context(), q))
	case shell.OpenPalette:
		return r.Open(dialog.NewPalette(r, q))
	case shell.RefillDialogs:
		for _, d := range r.dialogs {
			d.Update(q)
		}
	}
	return nil
}

// newScreen makes a screen that needs nothing to begin with, by the context of its keys.
func (r *Root) newScreen(in shell.Context) shell.Screen {
	switch in {
	case shell.InUsage:
		return usage.New(r, r.list.Version())
	}
	panic("no screen opens with the keys of the context " + in)
}

// openLineage opens the tree of a session, or goes back to it if the screen below
// shows it.
func (r *Root) openLineage(id string) tea.Cmd {
	if n := len(r.screens); n > 1 {
		if s, ok := r.screens[n-2].(*lineage.Screen); ok {
			if i, ok := s.RowOf(id); ok {
				r.pop()
				return s.Visit(i)
			}
		}
	}
	return r.push(lineage.New(r, id, r.list.Version(), func(c model.Conversation, at model.Hit) shell.Pane {
		return transcript.New(r, c, query.Query{}, at)
	}))
}

// leaveDeleted closes the transcript of a conversation that is being deleted.
func (r *Root) leaveDeleted(q shell.DeleteConversations) {
	if r.top().Context() == shell.InTranscript && (q.Segment == "" || q.Segment == q.Of.IDs[0]) {
		r.pop()
	}
}

// leaveSessions takes deleted sessions from the screens over the list: a lineage goes to
// what is left of it. A lineage of which nothing is left closes, and so does a covered
// transcript, which would come back with an error. Below a dialog everything stays: what is
// chosen there is about the screen that it opened over.
func (r *Root) leaveSessions(sessions []string) tea.Cmd {
	var moved tea.Cmd
	top := r.top()
	r.screens = slices.DeleteFunc(r.screens, func(s shell.Screen) bool {
		left := true
		switch s := s.(type) {
		case *lineage.Screen:
			var next tea.Cmd
			next, left = s.Leave(sessions)
			moved = tea.Batch(moved, next)
		case *transcript.Screen:
			left = shell.Screen(s) == top || !slices.Contains(sessions, s.Conv.ID)
		}
		return !left && len(r.dialogs) == 0
	})
	return moved
}

// tell gives a message to all screens.
func (r *Root) tell(msg tea.Msg) {
	for _, s := range r.screens {
		s.Update(msg)
	}
}

// excerpt draws a passage as its transcript, for a pane.
func (r *Root) excerpt(p shell.Passage) shell.Excerpt { return transcript.NewExcerpt(r, p) }
