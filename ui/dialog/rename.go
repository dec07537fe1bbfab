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
	early   []tea.Msg // keys and pastes that came before conv was loaded
	err     error
	prompt  kit.Prompt
	check   *kit.Latest[wantedTitle, *model.TitleOwner]
	checked string // the title that owner is about
	owner   *model.TitleOwner
	await   bool // Enter came before the answer
	sel     int  // what Enter does, of choices
	first   int  // the line of the first choice last drawn
	suggest string
}

// OpenRename opens the box, with the title that the conversation has.
func OpenRename(sh shell.Shell, c model.Conversation) tea.Cmd {
	env := sh.Env()
	b := &renameBox{sh: sh, env: env, name: shell.ConversationName(c), prompt: kit.NewPrompt("")}
	lib := env.Library
	b.load = kit.NewLatest(env.Context, lib.Conversation)
	b.check = kit.NewLatest(env.Context, func(ctx context.Context, w wantedTitle) (*model.TitleOwner, error) {
		if w.title == "" {
			return nil, nil
		}
		return lib.TitleOwner(ctx, w.title, w.by)
	})
	return tea.Batch(sh.Open(b), b.load.Ask(c.ID))
}

// wantedTitle asks for the conversation that has a title, apart from that of a
// session.
type wantedTitle struct{ title, by string }

// Update handles typing and the answers of the checks, and renames on Enter.
func (b *renameBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case kit.Answer[string, model.Conversation]:
		if msg.From != b.load {
			return false, nil
		}
		ok, next := b.load.Take(msg)
		if !ok {
			return false, next
		}
		if b.err = msg.Err; b.err != nil {
			return false, next
		}
		b.conv, b.loaded = msg.Value, true
		b.prompt = kit.NewPrompt(b.conv.Title)
		b.suggest = kit.CleanLine(model.SuggestTitle(b.conv.Preview))
		todo := []tea.Cmd{next, b.checkTitle()}
		for _, typed := range b.early {
			done, then := b.Update(typed)
			todo = append(todo, then)
			if done {
				return true, tea.Batch(todo...)
			}
		}
		return false, tea.Batch(todo...)
	case kit.Answer[wantedTitle, *model.TitleOwner]:
		if msg.From != b.check {
			return false, nil
		}
		ok, next := b.check.Take(msg)
		if ok {
			b.checked = msg.Query.title
			b.owner = msg.Value
			b.err = msg.Err
			b.sel = 0
		}
		if b.await && b.check.Settled() {
			b.await = false
			if b.why() == "" && b.free() {
				return true, b.sh.Do(shell.SetTitle{Conversation: b.conv, Name: b.name, Title: b.title()})
			}
		}
		return false, next
	case tea.PasteMsg:
		if !b.loaded {
			b.early = append(b.early, msg)
			return false, nil
		}
		b.prompt.Update(msg)
		return false, b.checkTitle()
	case tea.KeyPressMsg:
		return b.press(msg)
	}
	return false, nil
}

func (b *renameBox) press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	id, _ := b.env.Keys.Match(shell.InDialog, msg)
	if id == shell.Close {
		return true, nil
	}
	if b.err != nil {
		return id == shell.ChooseEntry, nil
	}
	if !b.loaded {
		b.early = append(b.early, msg)
		return false, nil
	}
	b.await = false
	choices := b.choices()
	switch {
	case id == shell.ChooseEntry && !b.prompt.Empty() && b.checked != b.title():
		b.await = true // it is being looked up
		return false, nil
	case id == shell.ChooseEntry && len(choices) > 0:
		return choices[b.sel].take()
	case id == shell.ChooseEntry && b.why() == "":
		return true, b.sh.Do(shell.SetTitle{Conversation: b.conv, Name: b.name, Title: b.title()})
	case id == shell.ChooseEntry:
		return false, nil
	case id == shell.Up && len(choices) > 0:
		b.sel = (b.sel + len(choices) - 1) % len(choices)
		return false, nil
	case id == shell.Down && len(choices) > 0:
		b.sel = (b.sel + 1) % len(choices)
		return false, nil
	case msg.String() == "tab":
		if b.prompt.Empty() && b.suggest != "" {
			b.prompt = kit.NewPrompt(b.suggest)
		}
		return false, b.checkTitle()
	case msg.String() == "ctrl+d": // forward, as everywhere in a text
		msg = tea.KeyPressMsg{Code: tea.KeyDelete}
	}
	if !b.prompt.Update(msg) {
		return false, nil
	}
	return false, b.checkTitle()
}

// title is what would be stored, "" also for what cannot be.
func (b *renameBox) title() string {
	t, _, _ := model.TypedTitle(b.prompt.Text())
	return t
}

// why says why the typed text cannot be a title.
func (b *renameBox) why() string {
	if _, _, err := model.TypedTitle(b.prompt.Text()); err != nil && !b.prompt.Empty() {
		if long, ok := errors.AsType[model.TitleTooLong](err); ok {
			return kit.Count(long.Length) + " characters, " + kit.Count(long.Length-model.MaxTitle) + " too many"
		}
		return err.Error()
	}
	return ""
}

// checkTitle asks which conversation has the typed title.
func (b *renameBox) checkTitle() tea.Cmd {
	if !b.loaded || b.why() != "" {
		return nil
	}
	return b.check.Ask(wantedTitle{b.title(), b.conv.ID})
}

// free reports whether the title is free: no other conversation has it.
func (b *renameBox) free() bool {
	return b.owner == nil || b.checked != b.title() || b.owner.EarlierSegment || b.owner.Session == b.conv.ID
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

// choices are the ways out of a conflict, and of an empty field, the safest first.
func (b *renameBox) choices() []choice {
	keep := choice{"keep the current title", func() (bool, tea.Cmd) { return true, nil }}
	if b.prompt.Empty() && b.conv.Title != "" {
		return []choice{keep, {"remove the title; the list then shows the first prompt", func() (bool, tea.Cmd) {
			return true, b.sh.Do(shell.SetTitle{Conversation: b.conv, Name: b.name})
		}}}
	}
	if b.free() {
		return nil
	}
	var out []choice
	if next := b.owner.NextFree; utf8.RuneCountInString(next) <= model.MaxTitle {
		out = append(out, choice{"use “" + kit.CleanLine(next) + "” instead", func() (bool, tea.Cmd) {
			b.prompt = kit.NewPrompt(next)
			return false, b.checkTitle()
		}})
	}
	return append(out,
		choice{"go to that conversation", func() (bool, tea.Cmd) {
			return true, b.sh.Do(shell.SelectConversation{Conversation: b.owner.Conversation})
		}},
		keep,
	)
}

// Box draws the box for a window of w by h.
func (b *renameBox) Box(w, h int) string {
	s := b.sh.Styles()
	inner, tall := inside(w, h)
	wide := min(inner, 76)
	title := "Rename “" + b.name + "”"
	if b.name == "" {
		title = "Rename"
	}
	var text, below []string
	edge := saveHints(b.env.Keys)[1:]
	para := func(render func(...string) string, words string) {
		for _, l := range s.Cells.Wrap(words, wide) {
			text = append(text, render(l))
		}
	}
	length := utf8.RuneCountInString(b.title())
	tail := " " + kit.Count(length) + "/" + kit.Count(model.MaxTitle)
	if b.why() != "" {
		tail = ""
	}
	field := s.Accent.Render(s.Glyphs.Cursor+" ") + b.prompt.DrawField(s, wide-2-s.Cells.StringWidth(tail)) + s.Faint.Render(tail)
	switch {
	case b.err != nil:
		for _, l := range shell.Explain(s.Cells, b.err, wide) {
			text = append(text, s.Bad.Render(l))
		}
	case !b.loaded:
		text = append(text, s.Faint.Render(s.Spell("reading…")))
	case b.why() != "":
		para(s.Bad.Render, b.why())
	case b.prompt.Empty():
		if b.suggest != "" {
			para(s.Muted.Render, "tab inserts “"+b.suggest+"”, from the first prompt")
		}
		if below = drawChoices(s, b.choices(), b.sel, wide); len(below) == 0 {
			para(s.Muted.Render, "untitled")
		}
	case b.title() == b.conv.Title:
		text, edge = append(text, ""), saveHints(b.env.Keys)
	case b.checked != b.title() && b.check.Late:
		text = append(text, s.Faint.Render("Checking the title…"))
	case b.checked != b.title():
		text = append(text, "")
	case b.owner != nil && b.owner.Session != b.conv.ID && b.owner.EarlierSegment:
		para(s.Muted.Render, "An earlier segment has this title; it moves to the newest one.")
	case !b.free():
		o := b.owner.Conversation
		about := kit.CleanLine(o.Source) + ", " + model.Age(b.env.Clock(), o.LastActive)
		if o.Archived {
			about += ", archived"
		} else if o.Scope != model.ScopeConversations {
			about += ", in " + kit.ScopeName(o.Scope)
		}
		para(s.Warn.Render, "Another conversation has this title ("+about+"):")
		below = drawChoices(s, b.choices(), b.sel, wide)
	case b.title() != strings.TrimSpace(b.prompt.Text()):
		para(s.Muted.Render, "Will be saved as “"+kit.CleanLine(b.title())+"”")
		edge = saveHints(b.env.Keys)
	default:
		text, edge = append(text, ""), saveHints(b.env.Keys)
	}
	if room := max(tall-1-len(below), 0); len(text) > room {
		text = text[:room]
	}
	b.first = 1 + len(text)
	lines := append([]string{field}, append(text, below...)...)
	return frame(s, w, h, s.Cells.Truncate(title, wide, s.Glyphs.Ellipsis), lines[:min(len(lines), tall)], edge...)
}

// Click takes the choice on a line.
func (b *renameBox) Click(_, y int) (bool, tea.Cmd) { return clickChoice(b.choices(), y-b.first) }

// clickChoice takes a choice, where there is one of this number.
func clickChoice(all []choice, i int) (bool, tea.Cmd) {
	if i < 0 || i >= len(all) {
		return false, nil
	}
	return all[i].take()
}
