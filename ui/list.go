package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// list is the screen of conversations.
type list struct {
	root *Root
	rows rows
	page model.Page
	read *flight[model.ListQuery, model.Page]
}

func newList(r *Root) *list {
	l := &list{root: r, read: newFlight(r.ctx, func(ctx context.Context, q model.ListQuery) (model.Page, error) {
		return r.opt.Library.Conversations(ctx, q)
	})}
	l.rows.lines = func(i int) []string { return []string{CleanLine(l.page.Conversations[i].Title)} }
	return l
}

func (l *list) context() Context            { return InList }
func (l *list) start() tea.Cmd              { return l.read.ask(l.root.opt.List) }
func (l *list) resize(w, h int)             { l.rows.resize(w, h) }
func (l *list) restyle()                    {}
func (l *list) claims(tea.KeyPressMsg) bool { return false }
func (l *list) lines() []string             { return l.rows.view() }
func (l *list) cursor() *tea.Cursor         { return nil }
func (l *list) heading() string             { return "hermes sessions" }

func (l *list) actions() []action {
	return []action{{id: Resume, do: func() tea.Cmd {
		return l.root.choose(l.page.Conversations[l.rows.sel].ID)
	}}}
}

func (l *list) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case landed[model.ListQuery, model.Page]:
		if msg.flight != l.read {
			return nil
		}
		ok, next := l.read.land(msg)
		if ok && msg.err == nil {
			l.page = msg.answer
			l.rows.reset(len(l.page.Conversations), 0)
		}
		return next
	}
	return nil
}
