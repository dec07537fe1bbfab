package dialog

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/match"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Palette is a box in which all actions can be found by typing.
type Palette struct {
	sh    shell.Shell
	env   *shell.Env
	title string
	input kit.Prompt
	list  func() []shell.Command
	All   []shell.Command
	Found []shell.Command // that fit the input, the best first
	Sel   int
	pane  choices
	tried func(on bool) tea.Cmd // of the command that is being tried, nil for none
}

// NewPalette makes a palette of the commands that q lists.
func NewPalette(sh shell.Shell, q shell.OpenPalette) *Palette {
	p := &Palette{sh: sh, env: sh.Env(), title: q.Title, input: kit.NewPrompt(""), list: q.Commands}
	p.refill()
	return p
}

// refill asks for the commands again and keeps the selection. A command that was listed
// already keeps its subject, even if another row has become current.
func (p *Palette) refill() {
	words := ""
	if p.Sel < len(p.Found) {
		words = p.Found[p.Sel].Words
	}
	was := make(map[string]shell.Command, len(p.All))
	for _, c := range p.All {
		was[c.Words] = c
	}
	p.All = p.list()
	for i := range p.All {
		if c, ok := was[p.All[i].Words]; ok && c.Why == "" {
			p.All[i].Why, p.All[i].Do = "", c.Do
		}
	}
	p.filter()
	if i := slices.IndexFunc(p.Found, func(c shell.Command) bool { return c.Words == words }); i > 0 && p.Sel != i && words != "" {
		p.Sel = i
	}
}

// filter ranks the commands by the typed text.
func (p *Palette) filter() {
	type ranked struct {
		shell.Command
		rank int
	}
	var fit []ranked
	wanted := strings.TrimSpace(p.input.Text())
	for _, c := range p.All {
		if wanted == "" && c.Why == "" {
			fit = append(fit, ranked{c, 0}) // in the order in which they are listed
		} else if wanted == "" {
			continue // what cannot be done is looked for
		} else if rank, ok := fits(wanted, c); ok {
			fit = append(fit, ranked{c, rank})
		}
	}
	sort.SliceStable(fit, func(i, j int) bool { return fit[i].rank < fit[j].rank })
	p.Found = p.Found[:0]
	for _, f := range fit {
		p.Found = append(p.Found, f.Command)
	}
	p.Sel = 0
}

// fits rates how well a command matches the typed text: a lower rank is better. ok is
// false where it does not match. Matches in its help come last.
func fits(wanted string, c shell.Command) (rank int, ok bool) {
	if rank, _, ok := fuzzy(wanted, c.Words); ok {
		return rank, true
	}
	help := strings.ToLower(c.Help + " " + c.Also)
	for w := range strings.FieldsSeq(strings.ToLower(wanted)) {
		if !strings.Contains(help, w) {
			return 0, false
		}
	}
	return 1 << 20, true
}

// fuzzy reports whether the letters of wanted occur in text in this order, which runes of
// text they are, and how far that is from being the text: letters that begin a word or
// follow each other are near.
func fuzzy(wanted, text string) (rank int, at []int, ok bool) {
	w, t := []rune(strings.ToLower(wanted)), []rune(strings.ToLower(text))
	if begin := strings.Index(string(t), string(w)); begin >= 0 {
		begin = len([]rune(string(t)[:begin]))
		if begin > 0 && t[begin-1] != ' ' {
			rank = 200
		}
		for i := range w {
			at = append(at, begin+i)
		}
		return rank + min(begin, 99) + len(t) - len(w), at, true
	}
	rank = 1000
	next, last := 0, -1
	for i, r := range t {
		if next == len(w) {
			break
		}
		if unicode.IsSpace(w[next]) {
			next++
			last = -1
			if next == len(w) {
				break
			}
		}
		if r == w[next] {
			if last >= 0 && i > last+1 && t[i-1] != ' ' {
				rank += 10 * (i - last)
			}
			at = append(at, i)
			last = i
			next++
		}
	}
	return rank + len(t), at, next == len(w)
}

// matched divides the words of a command into the letters that fit the typed text, and
// those between.
func matched(wanted, text string) []match.Span {
	_, at, ok := fuzzy(wanted, text)
	if !ok || len([]rune(text)) != len([]rune(strings.ToLower(text))) {
		at = nil
	}
	var out []match.Span
	for i, r := range []rune(text) {
		hit := slices.Contains(at, i)
		if n := len(out); n > 0 && out[n-1].Hit == hit {
			out[n-1].Text += string(r)
		} else {
			out = append(out, match.Span{Text: string(r), Hit: hit})
		}
	}
	return out
}

// Update handles typing, moves in the list and runs the chosen command. A command that
// can be tried is tried while it is selected by a move.
func (p *Palette) Update(msg tea.Msg) (bool, tea.Cmd) {
	was := p.Sel
	done, cmd := p.update(msg)
	var try func(on bool) tea.Cmd
	key, typed := msg.(tea.KeyPressMsg)
	switch {
	case done || typed && key.Text != "":
	case p.Sel != was && p.Sel < len(p.Found):
		try = p.Found[p.Sel].Try
	default:
		return false, cmd
	}
	if before := p.tried; before != nil && try == nil {
		cmd = tea.Batch(cmd, before(false))
	}
	if p.tried = try; try != nil {
		cmd = tea.Batch(cmd, try(true))
	}
	return done, cmd
}

func (p *Palette) update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case shell.RefillDialogs:
		p.refill()
	case tea.MouseWheelMsg:
		p.move(cmp.Compare(shell.Wheel(msg), 0))
	case tea.PasteMsg:
		if p.input.Update(msg) {
			p.filter()
		}
	case tea.KeyPressMsg:
		id, ok := p.env.Keys.Match(shell.InDialog, msg)
		if len(msg.Text) > 0 || !ok {
			if p.input.Empty() && msg.Code == tea.KeyBackspace {
				return true, nil
			}
			if p.input.Update(msg) {
				p.filter()
			}
			return false, nil
		}
		switch id {
		case shell.Up:
			p.move(-1)
		case shell.Down:
			p.move(1)
		case shell.PageUp:
			p.move(-p.pane.tall)
		case shell.PageDown:
			p.move(p.pane.tall)
		case shell.First:
			p.Sel = 0
		case shell.Last:
			p.Sel = max(len(p.Found)-1, 0)
		case shell.ChooseEntry:
			return p.take()
		case shell.Close:
			return true, nil
		}
	}
	return false, nil
}

func (p *Palette) move(by int) { p.Sel = max(0, min(p.Sel+by, len(p.Found)-1)) }

// take runs the selected command. A command that is not possible says why and leaves
// the box open.
func (p *Palette) take() (bool, tea.Cmd) {
	if p.Sel >= len(p.Found) {
		return false, nil
	}
	c := p.Found[p.Sel]
	if c.Why != "" {
		return false, p.sh.Refuse(c.Why)
	}
	return true, c.Do()
}

// Click runs the command on line y of the box.
func (p *Palette) Click(_, y int) (bool, tea.Cmd) {
	if i := p.pane.at(y); i >= 0 {
		p.Sel = i
		return p.take()
	}
	return false, nil
}

// Box draws the box for a window of w by h.
func (p *Palette) Box(w, h int) string {
	s := p.sh.Styles()
	inner, tall := inside(w, h)
	inner = min(inner, 96)
	head := 2 // lines above the commands
	if !spaced(h) {
		head = 1
	}
	tall = min(tall-head, len(p.All), max(14, tall/2)) // the box does not move while it is typed in
	typed := p.input.DrawField(s, inner-4)
	if p.input.Empty() {
		typed = kit.InField + s.Faint.Render(s.Spell("Search…"))
	}
	lines := []string{s.Accent.Render(": ") + typed, ""}[:head]
	wide := 0
	for _, c := range p.All {
		wide = max(wide, s.Cells.StringWidth(c.Words))
	}
	wide = min(wide, max(inner/3, 12))
	if inner-wide-4 < leastHelp {
		wide = inner - 2
	}
	p.pane.show(len(p.Found), p.Sel, max(tall, 1), head)
	for i := p.pane.top; i < p.pane.top+max(tall, 1); i++ {
		if i >= len(p.Found) {
			text := ""
			if i == 0 {
				text = s.Muted.Render("  No matches")
			}
			lines = append(lines, s.Cells.Pad(text, inner, ""))
			continue
		}
		lines = append(lines, p.line(p.Found[i], i == p.Sel, wide, inner))
	}
	title, n := p.title, len(p.Found)
	if tall < n {
		title = scrolled(s, title, min(p.pane.top+max(tall, 1), n), n, inner)
	}
	return frame(s, w, h, title, lines, chooseHints(p.env.Keys)...)
}

// leastHelp is the room for the help of commands below which there is none, and leastNote that
// before a note.
const leastHelp, leastNote = 16, 8

// line draws a command: its words, what it does, its keys or the reason why it is
// not possible.
func (p *Palette) line(c shell.Command, selected bool, wide, inner int) string {
	s := p.sh.Styles()
	mark := "  "
	words := s.Key
	note := c.Note
	switch {
	case selected:
		mark = kit.OnRow + s.Glyphs.Cursor + " "
	case c.On:
		mark = s.Glyphs.Done + " "
	}
	help := c.Help
	if c.Why != "" {
		words, help = s.Faint, c.Why
	}
	room := inner - 2 - wide - 2
	if note != "" {
		room -= s.Cells.StringWidth(note) + 2
	}
	if long := min(s.Cells.StringWidth(c.Words)-wide, room-leastNote); long > 0 && c.Why == "" { // rather the whole name than its help
		wide = wide + long
		room = room - long
		help = ""
		c.Also = c.Words
	}
	line := s.On(selected, s.Accent).Render(mark) + kit.Spans(s.Cells, matched(strings.TrimSpace(p.input.Text()), c.Words), wide, s.On(selected, words), s.HitOn(selected), s.Glyphs.Ellipsis)
	if room >= leastNote {
		if help = kit.Clauses(s.Cells, help, room); help == "" && c.Also != c.Words {
			help = kit.Clauses(s.Cells, kit.Capitalize(c.Also), room)
		}
		line += s.On(selected, s.Muted).Render("  " + s.Cells.Pad(help, room, ""))
		if note != "" {
			line += s.On(selected, s.Faint).Render("  " + note)
		}
	}
	return s.Cells.Truncate(line, inner, "")
}

// choices is the window of a long list in a box.
type choices struct {
	n, top, tall int
	y            int // of its first line, below what else the box says
}

// show scrolls so that entry sel of n is among tall lines, which begin head lines below
// the top of the box's text.
func (c *choices) show(n, sel, tall, head int) {
	c.n = n
	c.tall = tall
	c.y = head
	c.top = max(0, min(c.top, sel, n-1), sel-tall+1)
}

// at returns the index of the choice on line y of the box's text, -1 for none.
func (c *choices) at(y int) int {
	if i := c.top + y - c.y; y >= c.y && y < c.y+c.tall && i < c.n {
		return i
	}
	return -1
}
