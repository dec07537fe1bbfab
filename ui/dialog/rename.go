package dialog

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// renameBox is the box in which a conversation gets its title. It checks the text while it
// is typed: its length, and whether another conversation has that title.
type renameBox struct {
	sh   shell.Shell
	env  *shell.Env
	name string // what it was called when the box opened

	load    *kit.Latest[string, model.Conversation]
	conv    model.Conversation // as stored
	loaded  bool
	err     error
	prompt  kit.Prompt
	check   *kit.Latest[wantedTitle, *model.TitleOwner]
	checked string // the title that owner is about
	owner   *model.TitleOwner
	await   bool // Enter came before the answer
	sel     int  // what Enter does, of choices
	suggest string
}

// OpenRename opens the box, with the title that the conversation has.
func OpenRename(sh shell.Shell, c model.Conversation) tea.Cmd {
	env := sh.Env()
	n := &renameBox{sh: sh, env: env, name: shell.ConversationName(c), prompt: kit.NewPrompt("")}
	changes := env.Changes
	n.load = kit.NewLatest(env.Context, changes.Conversation)
	n.check = kit.NewLatest(env.Context, func(ctx context.Context, w wantedTitle) (*model.TitleOwner, error) {
		if w.title == "" {
			return nil, nil
		}
		return changes.TitleOwner(ctx, w.title, w.by)
	})
	return tea.Batch(sh.Open(n), n.load.Ask(c.ID))
}

// wantedTitle asks for the conversation that has a title, apart from that of a
// session.
type wantedTitle struct{ title, by string }

// Update handles typing and the answers of the checks, and renames on Enter.
func (n *renameBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case kit.Answer[string, model.Conversation]:
		if msg.From != n.load {
			return false, nil
		}
		ok, next := n.load.Take(msg)
		if !ok {
			return false, next
		}
		if n.err = msg.Err; n.err == nil {
			n.conv, n.loaded = msg.Value, true
			if n.prompt.Empty() {
				n.prompt = kit.NewPrompt(n.conv.Title)
			}
			n.suggest = kit.CleanLine(model.SuggestTitle(n.conv.Preview))
		}
		return false, tea.Batch(next, n.checkTitle())
	case kit.Answer[wantedTitle, *model.TitleOwner]:
		if msg.From != n.check {
			return false, nil
		}
		ok, next := n.check.Take(msg)
		if ok {
			n.checked, n.owner, n.err = msg.Query.title, msg.Value, msg.Err
			n.sel = 0
		}
		if n.await && n.check.Settled() {
			n.await = false
			if n.why() == "" && n.free() {
				return true, n.sh.Do(shell.SetTitle{Conversation: n.conv, Name: n.name, Title: n.title()})
			}
		}
		return false, next
	case tea.PasteMsg:
		n.prompt.Update(msg)
		return false, n.checkTitle()
	case tea.KeyPressMsg:
		return n.press(msg)
	}
	return false, nil
}

func (n *renameBox) press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	id, _ := n.env.Keys.Match(shell.InDialog, msg)
	if id == shell.Back {
		return true, nil
	}
	if !n.loaded || n.err != nil {
		return id == shell.Accept, nil
	}
	n.await = false
	switch choices := n.choices(); {
	case id == shell.Accept && !n.prompt.Empty() && n.checked != n.title():
		n.await = true // it is being looked up
		return false, nil
	case id == shell.Accept && len(choices) > 0:
		return choices[n.sel].take()
	case id == shell.Accept && n.why() == "":
		return true, n.sh.Do(shell.SetTitle{Conversation: n.conv, Name: n.name, Title: n.title()})
	case id == shell.Accept:
		return false, nil
	case id == shell.Up && len(choices) > 0:
		n.sel = (n.sel + len(choices) - 1) % len(choices)
		return false, nil
	case id == shell.Down && len(choices) > 0:
		n.sel = (n.sel + 1) % len(choices)
		return false, nil
	case msg.String() == "tab":
		if n.prompt.Empty() && n.suggest != "" {
			n.prompt = kit.NewPrompt(n.suggest)
		}
		return false, n.checkTitle()
	case msg.String() == "ctrl+d": // forward, as everywhere in a text
		msg = tea.KeyPressMsg{Code: tea.KeyDelete}
	}
	if !n.prompt.Update(msg) {
		return false, nil
	}
	return false, n.checkTitle()
}

// title is what would be stored, "" also where it is too long.
func (n *renameBox) title() string {
	t, _ := model.SanitizeTitle(n.prompt.Text())
	return t
}

// why says why the typed text cannot be a title.
func (n *renameBox) why() string {
	if _, err := model.SanitizeTitle(n.prompt.Text()); err != nil {
		if long, ok := errors.AsType[model.TitleTooLong](err); ok {
			return kit.Count(long.Length) + " characters, " + kit.Count(long.Length-model.MaxTitle) + " too many"
		}
		return err.Error()
	}
	return ""
}

// checkTitle asks which conversation has the typed title.
func (n *renameBox) checkTitle() tea.Cmd {
	if !n.loaded || n.why() != "" {
		return nil
	}
	return n.check.Ask(wantedTitle{n.title(), n.conv.ID})
}

// free reports whether the title is free: no other conversation has it.
func (n *renameBox) free() bool {
	return n.owner == nil || n.checked != n.title() || n.owner.EarlierSegment || n.owner.Session == n.conv.ID
}

// choice is something to do about a title that another conversation has, or about the name
// of a query.
type choice struct {
	label string
	take  func() (bool, tea.Cmd)
}

// drawChoices draws choices, the one that Enter takes selected, in lines of at most wide
// columns.
func drawChoices(s *theme.Styles, all []choice, sel, wide int) (lines []string) {
	for i, c := range all {
		on := i == sel
		lines = append(lines, s.On(on, s.Accent).Render(kit.RowMark(s, on)+" ")+s.On(on, s.Text).Render(s.Cells.Truncate(c.label, wide-2, s.Glyphs.Ellipsis)))
	}
	return lines
}

// choices are the ways out of a conflict, the safest first.
func (n *renameBox) choices() []choice {
	if n.free() {
		return nil
	}
	var out []choice
	if next := n.owner.NextFree; utf8.RuneCountInString(next) <= model.MaxTitle {
		out = append(out, choice{"use “" + kit.CleanLine(next) + "” instead", func() (bool, tea.Cmd) {
			n.prompt = kit.NewPrompt(next)
			return false, n.checkTitle()
		}})
	}
	return append(out,
		choice{"go to that conversation", func() (bool, tea.Cmd) {
			return true, n.sh.Do(shell.SelectConversation{Conversation: n.owner.Conversation})
		}},
		choice{"keep the current title", func() (bool, tea.Cmd) { return true, nil }},
	)
}

// Box draws the box for a window of w by h.
func (n *renameBox) Box(w, h int) string {
	s := n.sh.Styles()
	inner, tall := inside(w, h)
	wide := min(inner, 76)
	title := s.Spell("Rename “" + n.name + "”")
	if n.name == "" {
		title = "Rename"
	}
	var text, below []string
	para := func(render func(...string) string, words string) {
		for _, l := range s.Cells.Wrap(words, wide) {
			text = append(text, render(l))
		}
	}
	length := utf8.RuneCountInString(n.title())
	tail := " " + kit.Count(length) + "/" + kit.Count(model.MaxTitle)
	if n.why() != "" {
		tail = ""
	}
	field := s.Accent.Render(s.Glyphs.Cursor+" ") + n.prompt.DrawField(s, wide-2-s.Cells.StringWidth(tail)) + s.Faint.Render(tail)
	switch {
	case n.err != nil:
		for _, l := range shell.Explain(s.Cells, n.err, wide) {
			text = append(text, s.Bad.Render(l))
		}
	case !n.loaded:
		text = append(text, s.Faint.Render("reading"+s.Glyphs.Ellipsis))
	case n.why() != "":
		para(s.Bad.Render, n.why())
	case n.title() == "" && n.suggest != "":
		para(s.Muted.Render, "tab inserts “"+n.suggest+"”, from the first prompt")
		para(s.Muted.Render, n.clearing())
	case n.title() == "":
		para(s.Muted.Render, n.clearing())
	case n.title() == n.conv.Title:
		para(s.Muted.Render, "enter save · esc cancel")
	case n.checked != n.title() && n.check.Late:
		text = append(text, s.Faint.Render(s.Spell("Checking the title…")))
	case n.checked != n.title():
		text = append(text, "")
	case n.owner != nil && n.owner.Session != n.conv.ID && n.owner.EarlierSegment:
		para(s.Muted.Render, "An earlier segment has this title; it moves to the newest one.")
	case !n.free():
		o := n.owner.Conversation
		about := kit.CleanLine(o.Source) + ", " + model.Age(n.env.Clock(), o.LastActive)
		if o.Archived {
			about += ", archived"
		} else if o.Scope != model.ScopeConversations {
			about += ", in " + kit.ScopeName(o.Scope)
		}
		para(s.Warn.Render, "Another conversation has this title ("+about+"):")
		below = drawChoices(s, n.choices(), n.sel, wide)
	case n.title() != strings.TrimSpace(n.prompt.Text()):
		para(s.Muted.Render, "Will be saved as “"+kit.CleanLine(n.title())+"”")
	default:
		para(s.Muted.Render, "enter save · esc cancel")
	}
	if room := max(tall-1-len(below), 0); len(text) > room {
		text = text[:room]
	}
	lines := append([]string{field}, append(text, below...)...)
	return frame(s, w, h, s.Cells.Truncate(title, wide, s.Glyphs.Ellipsis), lines[:min(len(lines), tall)])
}

// clearing says what an empty field means.
func (n *renameBox) clearing() string {
	if n.conv.Title == "" {
		return "untitled"
	}
	return "enter removes the title; the list then shows the first prompt"
}
