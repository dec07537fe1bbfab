package transcript

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cells"
	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
)

// ItemKey is everything besides the message that the lines of an item depend on. A message
// does not change, so two items with equal keys have the same lines.
type ItemKey struct {
	Item    int // twice the position of the message, and one for its tool work
	Width   int
	styles  int // generation
	query   int // generation
	Headed  bool
	open    bool
	whole   bool
	head    bool   // of a run of tool work
	calls   int    // of the run
	failed  int    // results of the run that report an error
	failure string // that of the last of them
	orphans int    // results of the run without a call
	replies int    // results at hand, a bit each

	above    string // the line above it: a segment begins, or time has passed
	turn     string // sums of the turn that it begins
	took     string // how long the run went on
	numbered bool   // with its number
	chopped  bool   // long lines of code are cut
}

// RenderItem is one item of a transcript, the text of a message or its tool work, with
// everything that rendering needs, so that a background goroutine can render it.
type RenderItem struct {
	Key      ItemKey
	Message  *model.Message
	names    []string         // of the tools called in the run that it heads
	objects  []string         // by call: the file, command or query that it is about
	answered bool             // it is a result that is not the answer to a call
	results  []*model.Message // by call; nil where there is none at hand
	missing  []bool           // by call: there is a result that has not been read
}

// renderer turns items into lines. One goroutine uses it at a time.
type renderer struct {
	styles *theme.Styles
	prose  *kit.Markdown
	match  marker // nil without a search
	now    time.Time
	quick  bool // leave out what takes time and does not change the layout
}

// outputLines is how many lines of a tool's output are shown before it is unfolded.
const outputLines = 200

// The limits of what is laid out of one text.
const (
	mostText  = 1 << 20 // bytes
	MostLines = 20000
	quickText = 64 << 10 // bytes laid out on the loop; the rest is left to the background
)

// Render returns the finished lines of an item.
func (p *renderer) Render(t RenderItem) rendered {
	s := buffer{renderer: p, width: max(t.Key.Width, 1), chop: t.Key.chopped}
	p.prose.CutCode = t.Key.chopped
	if t.Key.numbered {
		s.number = p.styles.Faint.Render("#" + strconv.Itoa(t.Key.Item/2+1))
	}
	if t.Key.Item%2 == 0 {
		s.textItem(t)
	} else {
		s.toolItem(t)
	}
	for i, l := range s.Lines {
		if s.styles.Cells.StringWidth(l) > s.width {
			s.Lines[i] = s.styles.Cells.Truncate(l, s.width, "")
		}
	}
	return s.rendered
}

// buffer collects the lines of one item while it is rendered.
type buffer struct {
	*renderer
	rendered
	width   int
	chop    bool   // long lines of code are cut
	changes bool   // the text being drawn is a diff
	number  string // of the message, "" if numbers are off
}

func (s *buffer) add(lines ...string) { s.Lines = append(s.Lines, lines...) }

// numbered is the message number to append to a line, "" if numbers are off.
func (s *buffer) numbered() string {
	if s.number == "" {
		return ""
	}
	return "  " + s.number
}

func (s *buffer) markFold() { s.foldPoints = append(s.foldPoints, len(s.Lines)) }

// textItem draws the author line and the text of a message.
func (s *buffer) textItem(t RenderItem) {
	m := t.Message
	if t.Key.above != "" {
		s.add("", s.styles.Faint.Render(rule(s.styles.Cells, s.styles.Spell(t.Key.above), s.width, s.styles.Glyphs)))
	}
	if t.Key.Headed {
		s.add("")
	}
	from := len(s.Lines)
	w := splitText(m)
	s.speaker(t, w)
	if w.speaker == model.AuthorSystem && !t.Key.open {
		s.mark(from)
		return
	}
	if t.Key.turn != "" {
		s.add(s.styles.Faint.Render(s.styles.Cells.Truncate(s.styles.Spell(t.Key.turn), s.width, s.styles.Glyphs.Ellipsis)))
	}
	from = len(s.Lines)
	s.reasoning(t)
	s.attachments(m.Content.Media, 0)
	if m.DecodeError != "" {
		for _, l := range s.styles.Cells.Wrap(s.styles.Glyphs.Failed+" shown as stored: "+m.DecodeError, s.width) {
			s.add(s.styles.Warn.Render(l))
		}
	}
	s.content(t, w)
	s.mark(from)
}

// attachments draws a placeholder for each attachment.
func (s *buffer) attachments(media []model.Attachment, indent int) {
	for _, a := range media {
		for _, l := range s.styles.Cells.Wrap(a.Placeholder(), max(1, s.width-indent)) {
			s.add(strings.Repeat(" ", indent) + s.styles.Muted.Render(l))
		}
	}
}

// messageText is the text of a message, separated from the summary that compression put before
// it.
type messageText struct {
	speaker       model.Author
	summary, rest string
	summed        bool // there is a summary
}

func splitText(m *model.Message) messageText {
	w := messageText{speaker: m.Author()}
	w.summary, w.rest, w.summed = model.SplitSummary(m.Content.Text)
	if w.summed && w.rest == "" && len(m.Calls) == 0 && w.speaker != model.AuthorTool {
		w.speaker = model.AuthorSystem
	}
	return w
}

// fold is the glyph of an item that is folded or unfolded.
func (s *buffer) fold(t RenderItem) string {
	if t.Key.open {
		return s.styles.Glyphs.Unfolded
	}
	return s.styles.Glyphs.Folded
}

// speaker draws the line with the author and the time.
func (s *buffer) speaker(t RenderItem, w messageText) {
	m := t.Message
	if m.DisplayKind != "" {
		s.header(s.styles.Reasoning.Render(s.styles.Glyphs.Event+" "+kit.CleanLine(model.EventName(m.DisplayKind))), m.At, " ")
		return
	}
	switch w.speaker {
	case model.AuthorUser:
		name := "you"
		if m.Observed {
			name = "overheard"
		}
		s.header(s.styles.User.Render(s.styles.Glyphs.User+" "+name), m.At, s.styles.Glyphs.Rule)
	case model.AuthorAgent:
		if t.Key.Headed {
			s.header(s.styles.Agent.Render(s.styles.Glyphs.Agent+" hermes"), m.At, " ")
		} else if m.HasContent() || m.Reasoning != "" {
			s.add(s.number)
		}
	case model.AuthorSystem:
		s.markFold()
		name := " system"
		if w.summed {
			name = " summary"
		}
		s.header(s.styles.Muted.Render(s.fold(t)+name+s.extent(m.Content.Text)), m.At, " ")
	default:
		name := cmp.Or(m.Role, "no role")
		s.header(s.styles.Strong.Render(s.styles.Glyphs.Event+" "+name), m.At, " ")
	}
}

// reasoning draws the model's reasoning.
func (s *buffer) reasoning(t RenderItem) {
	m := t.Message
	if m.Reasoning == "" {
		return
	}
	s.markFold()
	s.add(s.styles.Faint.Render(s.styles.Cells.Truncate(s.fold(t)+" reasoning ("+kit.Plural(kit.LineCount(m.Reasoning), "line", "lines")+")", s.width, "")))
	if t.Key.open {
		s.text(m.Reasoning, 2, "", s.styles.Reasoning, t.Key.whole)
		if m.HasContent() {
			s.add("")
		}
	}
}

// content draws the text of a message.
func (s *buffer) content(t RenderItem, w messageText) {
	m, text := t.Message, t.Message.Content.Text
	if w.summed && w.speaker != model.AuthorSystem {
		s.markFold()
		s.add(s.styles.Summary.Render(s.styles.Cells.Truncate(s.fold(t)+" summary"+s.extent(w.summary), s.width, s.styles.Glyphs.Ellipsis)))
		if t.Key.open {
			s.markdown(w.summary, t.Key.whole)
		}
		if text = w.rest; t.Key.open {
			s.add("")
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
		if !m.HasContent() && len(m.Calls) == 0 && m.Reasoning == "" && m.DisplayKind == "" && w.speaker != model.AuthorSystem {
			s.add(s.styles.Faint.Render("(empty)"))
		}
	case m.DisplayKind != "":
		s.text(text, 0, "", s.styles.Muted, t.Key.whole)
	case w.speaker == model.AuthorUser || w.speaker == model.AuthorAgent || w.summed:
		s.markdown(text, t.Key.whole)
	default:
		s.text(text, 0, "", s.styles.Muted, t.Key.whole)
	}
}

// header draws a name at the left and the time at the right, with fill between them.
func (s *buffer) header(name string, at time.Time, fill string) {
	when := stamp(s.now, at)
	name += s.numbered()
	room := s.width - s.styles.Cells.StringWidth(name) - s.styles.Cells.StringWidth(when) - 2
	switch {
	case room < 1:
		s.add(s.styles.Cells.Truncate(name, s.width, ""))
	case when == "" && fill == " ":
		s.add(name)
	default:
		s.add(strings.TrimRight(name+" "+s.styles.Border.Render(strings.Repeat(fill, room))+" "+s.styles.Faint.Render(when), " "))
	}
}

// markdown draws a text as Markdown, or as plain text if Markdown would take too long or
// lose characters.
func (s *buffer) markdown(text string, whole bool) {
	if lines, more, ok := s.prose.Lines(text, s.width, s.quick); ok {
		s.add(lines...)
		s.rough = s.rough || more
		return
	}
	if len(text) > kit.MaxMarkdown {
		s.add(s.styles.Faint.Render(s.styles.Cells.Truncate("shown as plain text ("+kit.Size(len(text))+")", s.width, "")), "")
	}
	s.text(strings.Trim(text, "\n"), 0, "", s.styles.Text, whole)
}

// text draws a text as it is, indented and behind a bar: its first outputLines lines, or
// with whole up to MostLines.
func (s *buffer) text(text string, indent int, bar string, style lipgloss.Style, whole bool) {
	b := newLineStyle(style)
	s.styledText(text, indent, bar, whole, func(string) lineStyle { return b })
}

// lineStyle is the sequences that a style writes around a text, computed once for many
// lines.
type lineStyle struct {
	before, after string
	filled        bool // up to the edge
}

func newLineStyle(style lipgloss.Style) (b lineStyle) {
	b.before, b.after, _ = strings.Cut(style.Render("x"), "x")
	return b
}

// styledText draws a text like text does, in the style that pick chooses for each line.
func (s *buffer) styledText(text string, indent int, bar string, whole bool, pick func(line string) lineStyle) {
	width := max(s.width-indent-s.styles.Cells.StringWidth(bar), 1)
	limit := outputLines
	later := whole && s.quick && len(text) > quickText
	if whole && !later {
		limit = MostLines
	}
	lead := strings.Repeat(" ", min(indent, s.width/2))
	if bar != "" {
		lead += s.styles.Border.Render(bar)
	}
	n, laid, rest := 0, 0, text
	for more := true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		full := len(line)
		b := pick(line)
		switch most := min((limit-n)*width, mostText-laid); {
		case s.chop:
			line = s.chopped(line, width)
		case len(line) > most:
			// A huge text may be a single line: only what fits the limit is laid out.
			line = strings.ToValidUTF8(line[:most], "")
			rest, more = text[laid+len(line):], false
			full = len(line)
		}
		laid += full + 1
		wrapped := wrapLine
		if s.changes {
			wrapped = wrapDiffLine
		}
		for _, l := range wrapped(s.styles.Cells, kit.ExpandTabs(line), width) {
			if n++; l == "" {
				s.add(strings.TrimRight(lead, " "))
			} else {
				if b.filled {
					l = s.styles.Cells.Pad(l, width, "")
				}
				s.add(lead + b.before + l + b.after)
			}
		}
		if n >= limit || laid >= mostText || !more {
			break
		}
	}
	switch {
	case rest == "":
	case later: // the rest comes from the background
		s.rough = true
		s.add(lead + s.styles.Faint.Render(s.styles.Glyphs.Ellipsis))
	default:
		s.more(rest, lead, whole)
	}
}

// chopped cuts a line of code at the edge.
func (s *buffer) chopped(line string, width int) string {
	if len(line) > 16*width+64 { // text far behind the edge need not be measured
		line = strings.ToValidUTF8(line[:16*width+64], "")
	}
	return s.styles.Cells.Truncate(kit.ExpandTabs(line), width, s.styles.Glyphs.Ellipsis)
}

// wrapLine wraps a line, with a fast path for lines that fit. Continuation lines keep the
// indentation of the line if that leaves at least half of the width.
func wrapLine(measure cells.Method, line string, width int) []string {
	if len(line) <= width && strings.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return []string{line}
	}
	in := len(line) - len(strings.TrimLeft(line, " "))
	if in == 0 || in > width/2 {
		return measure.Wrap(line, width)
	}
	lines := measure.Wrap(line[in:], width-in)
	for i, l := range lines {
		if l != "" {
			lines[i] = line[:in] + l
		}
	}
	return lines
}

// wrapDiffLine wraps a line of a diff. Continuation lines begin behind the sign, so that no
// text stands where a sign is expected.
func wrapDiffLine(measure cells.Method, line string, width int) []string {
	if width < 8 || line == "" || line[0] != '+' && line[0] != '-' && line[0] != ' ' || measure.StringWidth(line) <= width {
		return wrapLine(measure, line, width)
	}
	lines := wrapLine(measure, line[1:], width-2)
	for i, l := range lines {
		if i == 0 {
			lines[i] = line[:1] + l
		} else {
			lines[i] = "  " + l
		}
	}
	return lines
}

// more draws the line that says how much is left out.
func (s *buffer) more(rest, lead string, whole bool) {
	n := kit.LineCount(rest)
	left := s.styles.Glyphs.Ellipsis + " " + kit.Plural(n, "more line", "more lines")
	if n <= 1 {
		left = s.styles.Glyphs.Ellipsis + " " + kit.Size(len(rest)) + " more"
	}
	if whole {
		left += ", too long to show here"
	} else {
		s.cut = true
		s.markFold()
	}
	s.add(lead + s.styles.Faint.Render(s.styles.Cells.Truncate(left, max(1, s.width-s.styles.Cells.StringWidth(lead)), "")))
}

// toolItem draws the tool calls of a message, and above them the summary of the run if it
// is the first of one.
func (s *buffer) toolItem(t RenderItem) {
	m := t.Message
	g := s.styles.Glyphs
	from := len(s.Lines)
	if t.Key.head {
		if m.HasContent() || !t.Key.Headed {
			s.add("")
		}
		s.markFold()
		s.add(s.workLine(t))
	}
	if !t.Key.open {
		s.mark(from)
		return
	}
	from = len(s.Lines) // what the first line shows is below it too
	for k, c := range m.Calls {
		s.add("")
		took := ""
		if k < len(t.results) && t.results[k] != nil {
			took = durationText(m.At, t.results[k].At)
		}
		s.call(c, took, t.Key.whole)
		switch {
		case k < len(t.results) && t.results[k] != nil:
			s.result(t.results[k], t.Key.whole)
		case k < len(t.missing) && t.missing[k]:
			s.add(s.styles.Faint.Render("  " + g.Ellipsis))
		default:
			s.add(s.styles.Faint.Render(s.styles.Cells.Truncate("  (no result)", s.width, "")))
		}
	}
	if t.answered {
		name := cmp.Or(m.ToolName, "unknown")
		s.add("", s.styles.Cells.Truncate("  "+s.styles.Tool.Bold(true).Render(name)+s.styles.Faint.Render("  result without a call"), s.width, g.Ellipsis))
		s.result(m, t.Key.whole)
	}
	s.mark(from)
}

// mark highlights the matches of the search in the lines from index from on. It matches
// across line ends, because a phrase may have been wrapped.
func (s *buffer) mark(from int) {
	if s.match == nil || from >= len(s.Lines) {
		return
	}
	plain := make([]string, 0, len(s.Lines)-from)
	for _, l := range s.Lines[from:] {
		plain = append(plain, ansi.Strip(l))
	}
	i, at := from, 0 // the line and the byte in it where the next span begins
	ranges := map[int][]lipgloss.Range{}
	for _, span := range s.match.Mark(strings.Join(plain, "\n")) {
		rest := span.Text
		for {
			piece, after, broken := strings.Cut(rest, "\n")
			if span.Hit && piece != "" {
				l := plain[i-from]
				a := s.styles.Cells.StringWidth(l[:at])
				b := a + s.styles.Cells.StringWidth(piece)
				if at == 0 { // a phrase that goes on behind the margin
					a += s.styles.Cells.StringWidth(piece) - s.styles.Cells.StringWidth(strings.TrimLeft(piece, " "+s.styles.Glyphs.Bar))
				}
				if b > a {
					ranges[i] = append(ranges[i], lipgloss.NewRange(a, b, s.styles.Hit))
				}
			}
			if !broken {
				at += len(piece)
				break
			}
			i, at, rest = i+1, 0, after
		}
	}
	for i := from; i < len(s.Lines); i++ {
		if r := ranges[i]; r != nil {
			s.Lines[i] = kit.StyleRanges(s.styles.Cells, s.Lines[i], r...)
			s.hits = append(s.hits, i)
		}
	}
}

// extent returns the length of a folded text in lines, "" for an empty one.
func (s *buffer) extent(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return " (" + kit.Plural(kit.LineCount(text), "line", "lines") + ")"
}

// rule is a horizontal line with words in it.
func rule(measure cells.Method, words string, width int, g theme.Glyphs) string {
	words = g.Rule + g.Rule + " " + words + " "
	words = measure.Truncate(words, width, g.Ellipsis)
	return words + strings.Repeat(g.Rule, max(0, width-measure.StringWidth(words)))
}

// stamp writes a time without what it shares with now: the day if it is today, the year
// if it is this year.
func stamp(now, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	switch {
	case at.Year() == now.Year() && at.YearDay() == now.YearDay():
		return at.Format("15:04")
	case at.Year() == now.Year():
		return at.Format("2 Jan 15:04")
	}
	return at.Format("2 Jan 2006 15:04")
}
