package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
)

// The root is the [Shell] of its screens and dialogs.
var _ Shell = (*Root)(nil)

// newEnv takes what screens need out of the options.
func newEnv(ctx context.Context, opt Options) *Env {
	return &Env{
		Context: ctx, Library: opt.Library, Changes: opt.Changes, Outside: opt.Outside, Keys: opt.Keys, Clock: opt.Clock,
		Query: opt.Query, List: opt.List, Where: opt.Where, Command: opt.Command,
		Choose: opt.Choose, Multi: opt.Multi, After: opt.After, Returns: opt.Child != nil,
	}
}

// Env implements Shell.
func (r *Root) Env() *Env { return r.env }

// Styles implements Shell.
func (r *Root) Styles() *theme.Styles { return &r.styles }

// Held implements Shell.
func (r *Root) Held() bool { return r.pressed.repeat }

// Shown implements Shell.
func (r *Root) Shown(s Screen) bool { return r.top() == s }

// Footed implements Shell.
func (r *Root) Footed() bool { return r.h >= footerFrom }

// Open implements Shell.
func (r *Root) Open(d Dialog) tea.Cmd {
	r.dialogs = append(r.dialogs, d)
	return nil
}

// Do implements Shell.
func (r *Root) Do(q Request) tea.Cmd {
	switch q := q.(type) {
	case OpenTranscript:
		t := newTranscript(r, q.Conversation, q.Query, q.Hit)
		t.fromList = q.FromList
		return r.push(t)
	case OpenLineage:
		return r.openLineage(q.ID)
	case OpenCleanup:
		return r.push(newCleanup(r))
	case CloseScreen:
		r.pop()
		return nil
	case SelectConversation:
		r.screens = r.screens[:1]
		return r.list().goTo(q.Conversation)
	case WalkResults:
		return r.walkResults(q)
	case EndProgram:
		return r.finish(Outcome{})
	case Perform:
		if !r.Shown(q.Screen) || len(r.dialogs) > 0 {
			return nil
		}
		return r.perform(q.Action)
	case PressKey:
		return r.press(q.Key)
	case Choose:
		return r.choose(q.ID)
	case ResumeConversation:
		return r.check(q)
	}
	return r.doWith(q)
}

// doWith carries out what is about conversations, and opens boxes.
func (r *Root) doWith(q Request) tea.Cmd {
	switch q := q.(type) {
	case AskRename:
		return askRename(r, q.Conversation)
	case SetTitle:
		return r.setTitle(q)
	case ToggleFlag:
		return r.toggle(q)
	case AskDelete:
		return askDelete(r, q.Of)
	case DeleteConversations:
		return r.delete(q)
	case AskExport:
		return r.Open(newExportBox(r, q.Of))
	case ExportConversations:
		return r.export(q)
	case InspectConversation:
		return inspect(r, q.Conversation)
	case RunProgram:
		return r.visit(q)
	case CopyText:
		return r.copy(q)
	case OpenCopyMenu:
		entries := append(q.Entries, factEntries(r, q.Conversation)...)
		return r.Do(OpenMenu{Title: "Copy", Toggle: q.Toggle, Entries: entries})
	case OpenMenu:
		return r.Open(newMenu(r, r.top().Context(), q))
	case OpenPalette:
		return r.Open(newPalette(r, q))
	case RefillPalette:
		for _, d := range r.dialogs {
			d.Update(q)
		}
	}
	return nil
}

// openLineage opens the tree of a session, or goes back to it where the screen
// below shows it.
func (r *Root) openLineage(id string) tea.Cmd {
	if n := len(r.screens); n > 1 {
		if l, ok := r.screens[n-2].(*lineage); ok {
			if i, ok := l.has(id); ok {
				r.pop()
				return l.visit(i)
			}
		}
	}
	return r.push(newLineage(r, id, r.list().version, func(c model.Conversation, at model.Hit) Reader {
		return newTranscript(r, c, query.Query{}, at)
	}))
}

// tell gives a message to all screens.
func (r *Root) tell(msg tea.Msg) {
	for _, s := range r.screens {
		s.Update(msg)
	}
}
