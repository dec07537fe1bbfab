package dialog

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// saveQueryBox asks for the name under which the query of the list is saved. Of the named
// query in force it can also change the name, or remove it.
type saveQueryBox struct {
	sh     shell.Shell
	env    *shell.Env
	q      shell.AskSaveQuery
	prompt kit.Prompt
	sel    int // what Enter does, of choices
	first  int // the line of the first choice last drawn
}

// NewSaveQuery makes the box.
func NewSaveQuery(sh shell.Shell, q shell.AskSaveQuery) *saveQueryBox {
	return &saveQueryBox{sh: sh, env: sh.Env(), q: q, prompt: kit.NewPrompt(q.Query.Name)}
}

// Update handles typing and the choice.
func (b *saveQueryBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		b.prompt.Update(msg)
		b.sel = 0
	case tea.KeyPressMsg:
		choices := b.choices()
		id, _ := b.env.Keys.Match(shell.InDialog, msg)
		switch {
		case id == shell.Close:
			return true, nil
		case id == shell.ChooseEntry && len(choices) > 0:
			return choices[b.sel].take()
		case id == shell.Up && len(choices) > 0:
			b.sel = (b.sel + len(choices) - 1) % len(choices)
		case id == shell.Down && len(choices) > 0:
			b.sel = (b.sel + 1) % len(choices)
		case id == shell.ChooseEntry:
		case b.prompt.Update(msg):
			b.sel = 0
		}
	}
	return false, nil
}

// choices are what can be done with the typed name. The first changes least.
func (b *saveQueryBox) choices() []choice {
	name, active := b.prompt.Text(), b.q.Query.Name
	edit := func(label, was string, n *query.Named) choice {
		return choice{label, func() (bool, tea.Cmd) { return true, b.sh.Do(shell.EditQuery{Was: was, New: n}) }}
	}
	now := b.q.Query
	now.Name = name
	var out []choice
	stored, valid := query.FindNamed(b.q.All, name), query.WhyNoName(name) == ""
	switch {
	case !valid:
	case stored == nil && active != "":
		renamed := *query.FindNamed(b.q.All, active)
		renamed.Name = name
		out = append(out, edit("rename @"+active+" to @"+name, active, &renamed), edit("save as @"+name, name, &now))
	case stored == nil:
		out = append(out, edit("save as @"+name, name, &now))
	case sameQuery(*stored, now):
		out = append(out, choice{"keep @" + name + " as it is", func() (bool, tea.Cmd) { return true, nil }})
	default:
		out = append(out, edit("replace @"+name, name, &now))
	}
	if active != "" {
		out = append(out, edit("remove @"+active, active, nil))
	}
	return out
}

// sameQuery reports whether two named queries are the same.
func sameQuery(a, b query.Named) bool {
	same := a.Order == b.Order || a.Order != nil && b.Order != nil && *a.Order == *b.Order
	return same && a.Name == b.Name && a.Scope == b.Scope && query.Parse(a.Text, false).String() == query.Parse(b.Text, false).String()
}

// Box draws the box for a window of w by h.
func (b *saveQueryBox) Box(w, h int) string {
	s := b.sh.Styles()
	inner, tall := inside(w, h)
	wide := min(inner, 72)
	lines := []string{s.Muted.Render("Name  @") + b.prompt.DrawField(s, max(wide-7, 2))}
	what := cmp.Or(kit.CleanLine(b.q.Query.Text), "all conversations")
	if b.q.Query.Scope != model.ScopeConversations {
		what += " · scope " + b.q.Query.Scope.String()
	}
	if by := b.q.Query.Order; by != nil {
		what += " · sort " + by.String()
	}
	var text []string
	for _, l := range s.Cells.Wrap(what, wide) {
		text = append(text, s.Text.Render(l))
	}
	name := b.prompt.Text()
	why := query.WhyNoName(name)
	if name == "" {
		text = append(text, s.Muted.Render(s.Cells.Truncate("type a name to save it as", wide, s.Glyphs.Ellipsis)))
	} else if why != "" {
		text = append(text, s.Warn.Render(s.Cells.Truncate(why, wide, s.Glyphs.Ellipsis)))
	}
	below, edge := drawChoices(s, b.choices(), b.sel, wide), chooseHints(b.env.Keys)
	if len(below) == 0 {
		edge = edge[1:]
	}
	if room := max(tall-1-len(below), 0); len(text) > room {
		text = text[:room]
	}
	b.first = 1 + len(text)
	lines = slices.Concat(lines, text, below)
	return frame(s, w, h, "Save query", lines[:min(len(lines), tall)], edge...)
}

// Click takes the choice on a line.
func (b *saveQueryBox) Click(_, y int) (bool, tea.Cmd) { return clickChoice(b.choices(), y-b.first) }
