package transcript

import (
	"cmp"
	"image/color"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// itemKey is everything that the lines of an item depend on, apart from the message. A message
// does not change, so two items with equal keys have the same lines.
type itemKey struct {
	item    int // twice the position of the message, and one for its tool work
	width   int
	styles  int // generation
	query   int // generation
	headed  bool
	open    bool
	whole   bool
	head    bool   // of a run of tool work
	calls   int    // of the run
	failed  int    // results of the run that report an error
	failure string // the last of these errors
	orphans int    // results of the run without a call
	replies int    // results at hand, a bit each

	above    string // the line above it: a segment begins, or time has passed
	turn     string // sums of the turn that it begins
	took     string // how long the run went on
	numbered bool   // with its number
	chopped  bool   // long lines of code are cut
}

// renderItem is one item of a transcript, the text of a message or its tool work, with
// everything that rendering needs, so that a background goroutine can render it.
type renderItem struct {
	key      itemKey
	message  *model.Message
	names    []string         // of the tools called in the run that it heads
	objects  []string         // by call: the file, command or query that it is about
	failing  string           // the tool of the last of them that failed
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
	copies bool // blocks of code are named as the menu of copies does
	quick  bool // leave out what takes time and does not change the layout

	asks, answers string // who speaks
}

// outputLines is how many lines of a tool's output are shown before it is unfolded.
const outputLines = 200

// The limits of what is laid out of one text.
const (
	mostText  = 1 << 20 // bytes
	mostLines = 20000
	quickText = 64 << 10 // bytes laid out on the loop; the rest is left to the background
)

// render returns the finished lines of an item.
func (r *renderer) render(t renderItem) rendered {
	buf := buffer{renderer: r, width: max(t.key.width, 1), chop: t.key.chopped}
	r.prose.CutCode = t.key.chopped
	if t.key.numbered {
		buf.number = r.styles.Faint.Render("#" + strconv.Itoa(t.key.item/2+1))
	}
	if t.key.item%2 == 0 {
		buf.textItem(t)
	} else {
		buf.toolItem(t)
	}
	for i, l := range buf.lines {
		if buf.styles.Cells.StringWidth(l) > buf.width {
			buf.lines[i] = buf.styles.Cells.Truncate(l, buf.width, "")
		}
	}
	return buf.rendered
}

// buffer collects the lines of one item while it is rendered.
type buffer struct {
	*renderer
	rendered
	width   int
	chop    bool                // long lines of code are cut
	changes bool                // the text being drawn is a diff
	grounds map[int]color.Color // of lines that have one of their own
	number  string              // of the message, "" if numbers are off
}

func (buf *buffer) add(lines ...string) { buf.lines = append(buf.lines, lines...) }

// numbered is the message number to append to a line, "" if numbers are off.
func (buf *buffer) numbered() string {
	if buf.number == "" {
		return ""
	}
	return "  " + buf.number
}

func (buf *buffer) markFold() { buf.foldPoints = append(buf.foldPoints, len(buf.lines)) }

// textItem draws the author line and the text of a message.
func (buf *buffer) textItem(t renderItem) {
	m := t.message
	if t.key.above != "" {
		buf.add("", buf.styles.Faint.Render(rule(buf.styles.Cells, t.key.above, buf.width, buf.styles.Glyphs)))
	}
	if t.key.headed {
		buf.add("")
	}
	from := len(buf.lines)
	w := splitText(m)
	buf.speaker(t, w)
	if w.speaker == model.AuthorSystem && !t.key.open {
		buf.mark(from)
		return
	}
	if t.key.turn != "" {
		buf.add(buf.styles.Faint.Render(buf.styles.Cells.Truncate(t.key.turn, buf.width, buf.styles.Glyphs.Ellipsis)))
	}
	from = len(buf.lines)
	buf.reasoning(t)
	buf.attachments(m.Content.Media, 0)
	if m.DecodeError != "" {
		for _, l := range buf.styles.Cells.Wrap(buf.styles.Glyphs.Failed+" shown as stored: "+m.DecodeError, buf.width) {
			buf.add(buf.styles.Warn.Render(l))
		}
	}
	buf.content(t, w)
	buf.mark(from)
	buf.nameCode(from, m.Content.Text)
}

// attachments draws a placeholder for each attachment.
func (buf *buffer) attachments(media []model.Attachment, indent int) {
	for _, a := range media {
		for _, l := range buf.styles.Cells.Wrap(a.Placeholder(), max(1, buf.width-indent)) {
			buf.add(strings.Repeat(" ", indent) + buf.styles.Muted.Render(l))
		}
	}
}

// messageText is the text of a message, separated from what Hermes inserted: the summary that
// compression put before it, or the skill that it calls.
type messageText struct {
	speaker        model.Author
	inserted, rest string
	kind           string // "summary", "skill", or "" where nothing was inserted
}

func splitText(m *model.Message) messageText {
	w := messageText{speaker: m.Author()}
	var summed bool
	if w.inserted, w.rest, summed = model.SplitSummary(m.Content.Text); summed {
		w.kind = "summary"
	} else if call, ok := model.SkillCall(m.Content.Text); ok && w.speaker == model.AuthorUser {
		w.kind, w.rest = "skill", call
		w.inserted = m.Content.Text
	}
	if summed && w.rest == "" && len(m.Calls) == 0 && w.speaker != model.AuthorTool {
		w.speaker = model.AuthorSystem
	}
	return w
}

// fold is the glyph of an item that is folded or unfolded.
func (buf *buffer) fold(t renderItem) string {
	if t.key.open {
		return buf.styles.Glyphs.Unfolded
	}
	return buf.styles.Glyphs.Folded
}

// speaker draws the line with the author and the time.
func (buf *buffer) speaker(t renderItem, w messageText) {
	m := t.message
	if m.DisplayKind != "" {
		buf.header(buf.styles.Reasoning.Render(buf.styles.Glyphs.Event+" "+kit.CleanLine(model.EventName(m.DisplayKind))), m.At, " ")
		return
	}
	switch w.speaker {
	case model.AuthorUser:
		name := buf.asks
		if m.Observed {
			name = "overheard"
		}
		buf.header(buf.styles.User.Render(buf.styles.Glyphs.User+" "+name), m.At, buf.styles.Glyphs.Rule)
	case model.AuthorAgent:
		if t.key.headed {
			buf.header(buf.styles.Agent.Render(buf.styles.Glyphs.Agent+" "+buf.answers), m.At, " ")
		} else if m.HasContent() || m.Reasoning != "" {
			buf.add(buf.number)
		}
	case model.AuthorSystem:
		buf.markFold()
		name := " " + cmp.Or(w.kind, "system")
		buf.header(buf.styles.Muted.Render(buf.fold(t)+name+buf.extent(m.Content.Text)), m.At, " ")
	default:
		name := cmp.Or(m.Role, "no role")
		buf.header(buf.styles.Strong.Render(buf.styles.Glyphs.Event+" "+name), m.At, " ")
	}
}

// reasoning draws the model's reasoning.
func (buf *buffer) reasoning(t renderItem) {
	m := t.message
	if m.Reasoning == "" {
		return
	}
	buf.markFold()
	buf.add(buf.styles.Faint.Render(buf.styles.Cells.Truncate(buf.fold(t)+" reasoning ("+kit.Plural(kit.LineCount(m.Reasoning), "line", "lines")+")", buf.width, "")))
	if t.key.open {
		buf.text(m.Reasoning, 2, "", buf.styles.Reasoning, t.key.whole)
		if m.HasContent() {
			buf.add("")
		}
	}
}

// content draws the text of a message.
func (buf *buffer) content(t renderItem, w messageText) {
	m, text := t.message, t.message.Content.Text
	if w.kind != "" && w.speaker != model.AuthorSystem {
		buf.markFold()
		buf.add(buf.styles.Summary.Render(buf.styles.Cells.Truncate(buf.fold(t)+" "+w.kind+buf.extent(w.inserted), buf.width, buf.styles.Glyphs.Ellipsis)))
		if t.key.open {
			buf.markdown(w.inserted, t.key.whole)
		}
		if text = w.rest; t.key.open {
			buf.add("")
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
		if !m.HasContent() && len(m.Calls) == 0 && m.Reasoning == "" && m.DisplayKind == "" && w.speaker != model.AuthorSystem {
			buf.add(buf.styles.Faint.Render("(empty)"))
		}
	case m.DisplayKind != "":
		buf.text(text, 0, "", buf.styles.Muted, t.key.whole)
	case w.speaker == model.AuthorUser || w.speaker == model.AuthorAgent || w.kind != "":
		buf.markdown(text, t.key.whole)
	default:
		buf.text(text, 0, "", buf.styles.Muted, t.key.whole)
	}
}

// header draws a name at the left and the time at the right, with fill between them.
func (buf *buffer) header(name string, at time.Time, fill string) {
	when := stamp(buf.now, at)
	name += buf.numbered()
	room := buf.width - buf.styles.Cells.StringWidth(name) - buf.styles.Cells.StringWidth(when) - 2
	switch {
	case room < 1:
		buf.add(buf.styles.Cells.Truncate(name, buf.width, ""))
	case when == "" && fill == " ":
		buf.add(name)
	default:
		buf.add(strings.TrimRight(name+" "+buf.styles.Border.Render(strings.Repeat(fill, room))+" "+buf.styles.Faint.Render(when), " "))
	}
}

// markdown draws a text as Markdown, or as plain text if Markdown would take too long or
// lose characters.
func (buf *buffer) markdown(text string, whole bool) {
	if lines, more, ok := buf.prose.Lines(text, buf.width, buf.quick); ok {
		buf.add(lines...)
		buf.rough = buf.rough || more
		return
	}
	if len(text) > kit.MaxMarkdown {
		buf.add(buf.styles.Faint.Render(buf.styles.Cells.Truncate("shown as plain text ("+kit.Size(len(text))+")", buf.width, "")), "")
	}
	buf.text(strings.Trim(text, "\n"), 0, "", buf.styles.Text, whole)
}

// text draws a text as it is, indented and behind a bar: its first outputLines lines, or
// with whole up to mostLines.
func (buf *buffer) text(text string, indent int, bar string, style lipgloss.Style, whole bool) {
	b := newLineStyle(style)
	buf.styledText(text, indent, bar, whole, func(string) lineStyle { return b })
}

// lineStyle is the sequences that a style writes around a text, computed once for many
// lines.
type lineStyle struct {
	before, after string
	ground        color.Color // which goes up to the edge; nil for none
}

func newLineStyle(style lipgloss.Style) (b lineStyle) {
	b.before, b.after, _ = strings.Cut(style.Render("x"), "x")
	if _, none := style.GetBackground().(lipgloss.NoColor); !none {
		b.ground = style.GetBackground()
	}
	return b
}

// styledText draws a text like text does, in the style that pick chooses for each line.
func (buf *buffer) styledText(text string, indent int, bar string, whole bool, pick func(line string) lineStyle) {
	width := max(buf.width-indent-buf.styles.Cells.StringWidth(bar), 1)
	limit := outputLines
	later := whole && buf.quick && len(text) > quickText
	if whole && !later {
		limit = mostLines
	}
	lead := strings.Repeat(" ", min(indent, buf.width/2))
	if bar != "" {
		lead += buf.styles.Border.Render(bar)
	}
	var n, laid int
	rest := text
	for more := true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		full := len(line)
		b := pick(line)
		most := min((limit-n)*width, mostText-laid)
		if buf.chop {
			line = buf.chopped(line, width)
		} else if len(line) > most {
			// A huge text may be a single line: only what fits the limit is laid out.
			line = strings.ToValidUTF8(line[:most], "")
			rest, more = text[laid+len(line):], false
			full = len(line)
		}
		laid += full + 1
		wrapped := wrapLine
		if buf.changes {
			wrapped = wrapDiffLine
		}
		for _, l := range wrapped(buf.styles.Cells, kit.ExpandTabs(line), width) {
			if n++; l == "" {
				buf.add(strings.TrimRight(lead, " "))
			} else {
				if b.ground != nil {
					l = buf.styles.Cells.Pad(l, width, "")
					if buf.grounds == nil {
						buf.grounds = map[int]color.Color{}
					}
					buf.grounds[len(buf.lines)] = b.ground
				}
				buf.add(lead + b.before + l + b.after)
			}
		}
		if n >= limit || laid >= mostText || !more {
			break
		}
	}
	switch {
	case rest == "":
	case later: // the rest comes from the background
		buf.rough = true
		buf.add(lead + buf.styles.Faint.Render(buf.styles.Glyphs.Ellipsis))
	default:
		buf.more(rest, lead, whole)
	}
}

// chopped cuts a line of code at the edge.
func (buf *buffer) chopped(line string, width int) string {
	if len(line) > 16*width+64 { // text far behind the edge need not be measured
		line = strings.ToValidUTF8(line[:16*width+64], "")
	}
	return buf.styles.Cells.Truncate(kit.ExpandTabs(line), width, buf.styles.Glyphs.Ellipsis)
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
func (buf *buffer) more(rest, lead string, whole bool) {
	n := kit.LineCount(rest)
	left := buf.styles.Glyphs.Ellipsis + " " + kit.Plural(n, "more line", "more lines")
	if n <= 1 {
		left = buf.styles.Glyphs.Ellipsis + " " + kit.Size(len(rest)) + " more"
	}
	if whole {
		left += ", too long to show here"
	} else {
		buf.cut = true
		buf.markFold()
	}
	buf.add(lead + buf.styles.Faint.Render(buf.styles.Cells.Truncate(left, max(1, buf.width-buf.styles.Cells.StringWidth(lead)), "")))
}

// toolItem draws the tool calls of a message, and above them the summary of the run if it
// is the first of one.
func (buf *buffer) toolItem(t renderItem) {
	m := t.message
	g := buf.styles.Glyphs
	from := len(buf.lines)
	if t.key.head {
		if m.HasContent() || !t.key.headed {
			buf.add("")
		}
		buf.markFold()
		buf.add(buf.workLine(t))
	}
	if !t.key.open {
		buf.mark(from)
		return
	}
	from = len(buf.lines) // what the first line shows is below it too
	buf.results = make([]lineRange, len(m.Calls))
	for k, c := range m.Calls {
		buf.add("")
		took := ""
		if k < len(t.results) && t.results[k] != nil {
			took = durationText(m.At, t.results[k].At)
		}
		buf.call(c, took, t.key.whole)
		result := len(buf.lines)
		switch {
		case k < len(t.results) && t.results[k] != nil:
			buf.result(t.results[k], t.key.whole)
		case k < len(t.missing) && t.missing[k]:
			buf.add(buf.styles.Faint.Render("  " + g.Ellipsis))
		default:
			buf.add(buf.styles.Faint.Render(buf.styles.Cells.Truncate("  (no result)", buf.width, "")))
		}
		buf.results[k] = lineRange{result, len(buf.lines)}
	}
	if t.answered {
		name := cmp.Or(m.ToolName, "unknown")
		buf.add("", buf.styles.Cells.Truncate("  "+buf.styles.Tool.Bold(true).Render(name)+buf.styles.Faint.Render("  result without a call"), buf.width, g.Ellipsis))
		buf.result(m, t.key.whole)
	}
	buf.mark(from)
}

// mark highlights the matches of the search in the lines from index from on. It matches
// across line ends, because a phrase may have been wrapped.
func (buf *buffer) mark(from int) {
	if buf.match == nil || from >= len(buf.lines) {
		return
	}
	plain := make([]string, 0, len(buf.lines)-from)
	for _, l := range buf.lines[from:] {
		plain = append(plain, ansi.Strip(l))
	}
	i, at := from, 0 // the line and the byte in it where the next span begins
	ranges := map[int][]lipgloss.Range{}
	for _, span := range buf.match.Mark(strings.Join(plain, "\n")) {
		rest := span.Text
		for {
			piece, after, broken := strings.Cut(rest, "\n")
			if span.Hit && piece != "" {
				l := plain[i-from]
				a := buf.styles.Cells.StringWidth(l[:at])
				b := a + buf.styles.Cells.StringWidth(piece)
				if at == 0 { // a phrase that goes on behind the margin
					a += buf.styles.Cells.StringWidth(piece) - buf.styles.Cells.StringWidth(strings.TrimLeft(piece, " "+buf.styles.Glyphs.Bar))
				}
				if b > a {
					style := buf.styles.Hit
					if ground := buf.grounds[i]; ground != nil {
						style = style.Background(ground)
					}
					ranges[i] = append(ranges[i], lipgloss.NewRange(a, b, style))
				}
			}
			if !broken {
				at += len(piece)
				break
			}
			i++
			at = 0
			rest = after
		}
	}
	for i := from; i < len(buf.lines); i++ {
		if r := ranges[i]; r != nil {
			buf.lines[i] = kit.StyleRanges(buf.styles.Cells, buf.lines[i], r...)
			buf.hits = append(buf.hits, i)
		}
	}
}

// extent returns the length of a folded text in lines, "" for an empty one.
func (buf *buffer) extent(text string) string {
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
