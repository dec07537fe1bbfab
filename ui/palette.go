package ui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// palette is a box in which everything that can be done is looked for by
// typing.
type palette struct {
	sh    Shell
	env   *Env
	title string
	input prompt
	list  func() []Command
	all   []Command
	found []Command // that fit the input, the best first
	sel   int
	pane  choices
}

func newPalette(sh Shell, q OpenPalette) *palette {
	p := &palette{sh: sh, env: sh.Env(), title: q.Title, input: newPrompt(""), list: q.Commands}
	p.refill()
	return p
}

// refill asks for the commands again and keeps pointing at the same one. What
// stood there already is about what it was about, whatever row is current by
// now.
func (p *palette) refill() {
	words := ""
	if p.sel < len(p.found) {
		words = p.found[p.sel].Words
	}
	was := make(map[string]Command, len(p.all))
	for _, c := range p.all {
		was[c.Words] = c
	}
	p.all = p.list()
	for i := range p.all {
		if c, ok := was[p.all[i].Words]; ok && c.Why == "" {
			p.all[i].Why, p.all[i].Do = "", c.Do
		}
	}
	p.look()
	if i := slices.IndexFunc(p.found, func(c Command) bool { return c.Words == words }); i > 0 && p.sel != i && words != "" {
		p.sel = i
	}
}

// look ranks the commands by what is typed.
func (p *palette) look() {
	type ranked struct {
		Command
		rank int
	}
	var fit []ranked
	wanted := strings.TrimSpace(p.input.text())
	for _, c := range p.all {
		if wanted == "" {
			fit = append(fit, ranked{c, 0}) // in the order in which they were told
		} else if rank, ok := fits(wanted, c); ok {
			fit = append(fit, ranked{c, rank})
		}
	}
	slices.SortStableFunc(fit, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	p.found = p.found[:0]
	for _, f := range fit {
		p.found = append(p.found, f.Command)
	}
	p.sel = 0
}

// fits tells how far a command is from what is typed, 0 for not at all. The
// words of its help count last.
func fits(wanted string, c Command) (rank int, ok bool) {
	if rank, ok := fuzzy(wanted, c.Words); ok {
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

// fuzzy reports whether the letters of wanted stand in text in this order, and
// how far that is from being the text: letters that begin a word or follow
// each other are near.
func fuzzy(wanted, text string) (rank int, ok bool) {
	w, t := []rune(strings.ToLower(wanted)), []rune(strings.ToLower(text))
	if at := strings.Index(string(t), string(w)); at >= 0 {
		if at > 0 && t[len([]rune(string(t)[:at]))-1] != ' ' {
			rank = 200
		}
		return rank + min(len([]rune(string(t)[:at])), 99) + len(t) - len(w), true
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
			last = i
			next++
		}
	}
	return rank + len(t), next == len(w)
}

func (p *palette) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case RefillPalette:
		p.refill()
	case tea.MouseWheelMsg:
		p.move(wheel(msg))
	case tea.PasteMsg:
		if p.input.update(msg) {
			p.look()
		}
	case tea.KeyPressMsg:
		id, ok := p.env.Keys.match(InDialog, msg)
		if len(msg.Text) > 0 || !ok {
			if p.input.empty() && msg.Code == tea.KeyBackspace {
				return true, nil
			}
			if p.input.update(msg) {
				p.look()
			}
			return false, nil
		}
		switch id {
		case Up:
			p.move(-1)
		case Down:
			p.move(1)
		case PageUp:
			p.move(-p.pane.tall)
		case PageDown:
			p.move(p.pane.tall)
		case First:
			p.sel = 0
		case Last:
			p.sel = max(len(p.found)-1, 0)
		case Accept:
			return p.take()
		case Back:
			return true, nil
		}
	}
	return false, nil
}

func (p *palette) move(by int) { p.sel = max(0, min(p.sel+by, len(p.found)-1)) }

// take does the command that is pointed at; one that can not be done says why
// and leaves the box open.
func (p *palette) take() (bool, tea.Cmd) {
	if p.sel >= len(p.found) {
		return false, nil
	}
	c := p.found[p.sel]
	if c.Why != "" {
		return false, p.sh.Say(c.Why)
	}
	return true, c.Do()
}

// click takes what stands on a line of the box.
func (p *palette) Click(y int) (bool, tea.Cmd) {
	if i := p.pane.at(y); i >= 0 {
		p.sel = i
		return p.take()
	}
	return false, nil
}

func (p *palette) Box(w, h int) string {
	s := p.sh.Styles()
	inner, tall := inside(w, h)
	inner = min(inner, 96)
	tall = min(tall-2, len(p.all), 14) // the box does not move while it is typed in
	text, _ := p.input.draw(inner - 4)
	typed := s.Text.Render(text) + s.Accent.Render(s.Glyphs.Bar)
	if p.input.empty() {
		typed = s.Accent.Render(s.Glyphs.Bar) + s.Faint.Render("type to look it up")
	}
	lines := []string{s.Accent.Render(": ") + typed, ""}
	wide := 0
	for _, c := range p.all {
		wide = max(wide, ansi.StringWidth(c.Words))
	}
	wide = min(wide, max(inner/3, 12))
	p.pane.show(len(p.found), p.sel, max(tall, 1), 2)
	for i := p.pane.top; i < p.pane.top+max(tall, 1); i++ {
		if i >= len(p.found) {
			text := ""
			if i == 0 {
				text = s.Muted.Render("  nothing of that name")
			}
			lines = append(lines, pad(text, inner, ""))
			continue
		}
		lines = append(lines, p.line(p.found[i], i == p.sel, wide, inner))
	}
	return frame(s, w, h, p.title, lines)
}

// line draws a command: its words, what it does, its keys or what stands
// against it.
func (p *palette) line(c Command, selected bool, wide, inner int) string {
	s := p.sh.Styles()
	mark, words, note := "  ", s.Key, c.Note
	switch {
	case selected:
		mark = s.Glyphs.Cursor + " "
	case c.On:
		mark = s.Glyphs.Done + " "
	}
	help := c.Help
	if c.Why != "" {
		words, help = s.Faint, c.Why
	}
	room := inner - 2 - wide - 2
	if note != "" {
		room -= ansi.StringWidth(note) + 2
	}
	line := s.On(selected, s.Accent).Render(mark) + s.On(selected, words).Render(pad(c.Words, wide, s.Glyphs.Ellipsis))
	if room >= 8 {
		line += s.On(selected, s.Muted).Render("  " + pad(help, room, s.Glyphs.Ellipsis))
		if note != "" {
			line += s.On(selected, s.Faint).Render("  " + note)
		}
	}
	return ansi.Truncate(line, inner, "")
}

// choices is the stretch of a longer list that a box shows.
type choices struct {
	n, top, tall int
	y            int // of its first line, below what else the box says
}

// show keeps the selected one of n in a stretch of tall lines, head lines
// below the top of the box's text.
func (c *choices) show(n, sel, tall, head int) {
	c.n, c.tall, c.y = n, tall, head
	c.top = max(0, min(c.top, sel, n-1), sel-tall+1)
}

// at gives which one stands on a line of the box's text, -1 for none.
func (c *choices) at(y int) int {
	if i := c.top + y - c.y; y >= c.y && y < c.y+c.tall && i < c.n {
		return i
	}
	return -1
}
