package kit

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// A text beyond these limits is shown as plain text, because Glamour would take too long
// for it.
const (
	MaxMarkdown  = 32 << 10 // bytes of a message
	maxHighlight = 16 << 10 // bytes of a message with colored code
	maxCodeLine  = 2 << 10  // bytes of a line of colored code
	maxLines     = 1200
	maxHeadings  = 150  // each is compared with all before it
	maxNesting   = 8    // lists and quotes in each other
	maxNested    = 6000 // sum over all lines of the square of that
	maxTangle    = 500  // marks of emphasis, links and code in a paragraph
	maxColumns   = 16   // of a table
	maxCells     = 800  // of all tables
)

// Markdown renders Markdown at any width. Glamour's renderers are not safe for concurrent
// use, so one goroutine uses a Markdown at a time.
type Markdown struct {
	styles    *theme.Styles
	parser    parser.Parser
	renderers map[renderMode]*glamour.TermRenderer
	CutCode   bool // long lines of code are cut instead of wrapped
}

// renderMode is the setting of one Glamour renderer. Glamour wraps only texts with tables,
// which have to fit the width: it pads each line cell by cell, which is slow.
type renderMode struct {
	width     int // 0 for as wide as it gets
	highlight bool
}

// NewMarkdown makes a renderer for the styles of a theme.
func NewMarkdown(s *theme.Styles) *Markdown {
	return &Markdown{
		styles:    s,
		parser:    goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList)).Parser(),
		renderers: map[renderMode]*glamour.TermRenderer{},
	}
}

// Lines renders clean text as Markdown. ok is false for text that Glamour cannot render in
// time or not without losing words; it has to be shown as it is. quick leaves out the
// colors of code, which changes nothing else; more reports that colors were left out.
func (m *Markdown) Lines(src string, width int, quick bool) (lines []string, more, ok bool) {
	src = ExpandTabs(src)
	if width < 8 || !RendersInTime(src) {
		return nil, false, false
	}
	s, fit := m.prepare(src)
	if !fit {
		return nil, false, false
	}
	l := renderMode{highlight: s.highlight && s.coded && m.styles.Palette.CodeTheme != ""}
	if l.highlight && quick {
		l.highlight, more = false, true
	}
	for _, l.width = range []int{0, width} {
		if lines, ok = m.render(s, l, width); ok || !s.tabular {
			break
		}
	}
	complete := func() bool { return ok && len(lines) > 0 && !loses(src, lines, s.excused+s.chopped.String()) }
	if s.tabular && !complete() { // a table that does not fit is lines of text
		s.edits = append(s.edits, s.delimiters...)
		s.tabular = false
		l.width = 0
		s.chopped.Reset()
		lines, ok = m.render(s, l, width)
	}
	return lines, more, complete()
}

func (m *Markdown) render(src source, l renderMode, width int) (lines []string, ok bool) {
	r := m.renderers[l]
	if r == nil {
		var err error
		r, err = glamour.NewTermRenderer(glamour.WithStyles(m.styles.Markdown(l.highlight)),
			glamour.WithWordWrap(l.width), glamour.WithPreservedNewLines(), glamour.WithChromaFormatter("terminal16m"))
		if err != nil {
			return nil, false
		}
		if len(m.renderers) >= 8 { // widths that are no longer in use
			clear(m.renderers)
		}
		m.renderers[l] = r
	}
	out, err := r.Render(src.apply(l.highlight))
	if err != nil {
		return nil, false
	}
	if src.separated {
		out = strings.ReplaceAll(out, cells.Separator, "")
	}
	blank := func(l string) bool { return strings.TrimSpace(ansi.Strip(l)) == "" }
	for l := range strings.SplitSeq(harmless(out), "\n") {
		if l = strings.TrimRight(l, " "); blank(l) {
			l = "" // what ends a block of code has spaces between its colors, or not
		}
		if src.joined && strings.Contains(l, joined) {
			l = strings.Replace(strings.Replace(l, joined+" ", "", 1), joined, "", 1)
			for len(lines) > 0 && lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
		}
		if src.tabular && cutNote.MatchString(ansi.Strip(l)) {
			return nil, false
		}
		switch {
		case m.styles.Cells.StringWidth(l) <= width:
			lines = append(lines, endStyles(l))
		case src.tabular && strings.ContainsAny(l, "│|"):
			return nil, false // a row of a table cannot be wrapped
		case m.CutCode && src.codeLines[strings.TrimSpace(ansi.Strip(l))]:
			cut := m.styles.Cells.Truncate(l, width, m.styles.Glyphs.Ellipsis)
			src.chopped.WriteString(ansi.Strip(m.styles.Cells.TruncateLeft(l, m.styles.Cells.StringWidth(cut)-1, "")))
			lines = append(lines, endStyles(cut))
		default:
			lines = append(lines, hang(m.styles.Cells, l, width)...)
		}
	}
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	lines = src.squeezeBlankLines(lines)
	for i, l := range lines {
		lines[i] = m.colorBorders(l, src.tabular)
	}
	return lines, true
}

// colorBorders draws the bars of quotes and the lines of tables in the color of borders,
// which Glamour has no style for.
func (m *Markdown) colorBorders(l string, tabular bool) string {
	if m.styles.Palette.Border == "" || !strings.ContainsAny(l, "│─|") {
		return l
	}
	before, _, _ := strings.Cut(m.styles.Border.Render("x"), "x")
	draw := func(part string) string { return before + part + "\x1b[39m" }
	lead := len(l) - len(strings.TrimLeft(l, " │|"))
	bars := strings.TrimRight(l[:lead], " ")
	head, rest := "", l
	if strings.ContainsAny(bars, "│|") {
		indent := len(bars) - len(strings.TrimLeft(bars, " "))
		head, rest = bars[:indent]+draw(bars[indent:]), l[len(bars):]
	}
	if !tabular {
		return head + rest
	}
	if text := ansi.Strip(rest); strings.Trim(text, " ─┼-+|") == "" && strings.ContainsAny(text, "─-") {
		return head + draw(text)
	}
	return head + strings.ReplaceAll(rest, "│", draw("│"))
}

// cutNote is a link of a table, which Glamour writes below it and cuts where
// it does not fit.
var cutNote = regexp.MustCompile(`^ *\[\d+\]: .*…$`)

// hanging matches the part before the words of a line: indentation, the bars of
// quotes, and the mark of an item.
var hanging = regexp.MustCompile(`^[ │|]*(?:[•*] |\d{1,9}\. |\[[ ✓x]\] )?`)

// hang wraps a line that is too long. Continuation lines begin below its first word,
// behind the same bars.
func hang(measure cells.Method, l string, width int) []string {
	lead := hanging.FindString(ansi.Strip(l))
	n := measure.StringWidth(lead)
	if n > width/2 {
		lead, n = "", 0
	}
	rest := strings.Map(func(r rune) rune {
		if r == '│' || r == '|' {
			return r
		}
		return ' '
	}, lead)
	if len(rest) != len(lead) { // a wide mark
		rest = measure.Pad(rest, n, "")
	}
	text := l
	if n > 0 {
		text = measure.TruncateLeft(l, n, "")
	}
	lines := wrapStyled(measure, text, width-n)
	for i, w := range lines {
		if i == 0 && n > 0 {
			w = measure.Truncate(l, n, "") + w
		}
		if i == 0 {
			lines[i] = endStyles(w)
		} else {
			lines[i] = endStyles(strings.TrimRight(rest+w, " "))
		}
	}
	return lines
}

func endStyles(l string) string {
	if strings.Contains(l, "\x1b") && !strings.HasSuffix(l, "\x1b[m") && !strings.HasSuffix(l, "\x1b[0m") {
		return l + "\x1b[m"
	}
	return l
}

// RendersInTime reports whether Markdown can be laid out in time, judged by its shape
// alone: how long, how deep and how tangled it is.
func RendersInTime(src string) bool {
	if len(src) > MaxMarkdown {
		return false
	}
	var lines, headings, tangle, cells, nested int
	for l := range strings.SplitSeq(src, "\n") {
		rest := strings.TrimLeft(l, " ")
		if rest == "" {
			tangle = 0
			continue
		}
		depth := 0
		for mark := containerMark.FindString(rest); mark != ""; mark = containerMark.FindString(rest) {
			depth++
			rest = strings.TrimLeft(rest[len(mark):], " ")
		}
		// An underline makes a heading of the line above.
		if rest == "" || rest[0] == '#' || strings.Trim(rest, "-") == "" || strings.Trim(rest, "=") == "" {
			headings++
		}
		pipes := 0
		for i := range len(rest) {
			switch rest[i] {
			case '*', '_', '~', '[', ']', '`', '<', '!', '&', '\\':
				tangle++
			case '@':
				tangle += 4
			case '|':
				pipes++
			}
		}
		tangle += 4 * (strings.Count(rest, "://") + strings.Count(rest, "www."))
		lines++
		cells = cells + pipes
		nested = nested + depth*depth
		if depth > maxNesting || nested > maxNested || tangle > maxTangle || pipes > 2*maxColumns {
			return false
		}
	}
	return lines <= maxLines && headings <= maxHeadings && cells <= maxCells
}

var containerMark = regexp.MustCompile(`^(?:>|[-*+:](?: |$)|\d{1,9}[.)](?: |$))`)

// source is a Markdown source with what has to change in it, so that
// Glamour shows what the text says.
type source struct {
	src        string
	edits      []edit // for any mode
	plain      []edit // only where code has no colors
	highlight  bool   // its code can have colors
	coded      bool   // it has code
	tabular    bool   // it has a table
	delimiters []edit // that make a table text, at the line below its head
	separate   bool   // in tables, clusters that measure differently by code point are split
	separated  bool   // some were
	joined     bool   // an item follows the one before it without a blank line
	gaps       []gap  // in code
	excused    string // words that are markup and need not be drawn

	codeLines map[string]bool  // without the space around them, where they are cut
	chopped   *strings.Builder // the text that was cut off
}

// edit puts text in the place of n bytes at a position.
type edit struct {
	at, n int
	text  string
}

// apply returns the source with the edits of a mode.
func (src source) apply(highlight bool) string {
	if highlight {
		return applyEdits(src.src, src.edits)
	}
	return applyEdits(src.src, append(slices.Clone(src.edits), src.plain...))
}

func applyEdits(src string, edits []edit) string {
	if len(edits) == 0 {
		return src
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].at < edits[j].at })
	var b strings.Builder
	last := 0
	for _, e := range edits {
		if e.at < last {
			continue // found twice
		}
		b.WriteString(src[last:e.at])
		b.WriteString(e.text)
		last = e.at + e.n
	}
	b.WriteString(src[last:])
	return b.String()
}

// prepare finds what Glamour would get wrong: it drops raw HTML, tags of
// details included, and the targets of reference links; it decodes character
// references in code spans and takes away backslashes in code blocks, and decodes
// others into control characters; it guesses the language of code that names none, which
// takes 5 ms a block. fit is false when the text nests too deep.
func (m *Markdown) prepare(src string) (s source, fit bool) {
	tagged := len(src)
	src = m.escapeHTML(src)
	v := visitor{source: source{src: src, highlight: len(src) <= maxHighlight, separate: m.styles.Cells == cells.ByCodePoint}}
	refs := parser.NewContext()
	doc := m.parser.Parse(text.NewReader([]byte(src)), parser.WithContext(refs))
	if err := ast.Walk(doc, v.visit); err != nil {
		return v.source, false
	}
	if len(src) > tagged && slices.ContainsFunc(v.code, func(s text.Segment) bool { return strings.Contains(src[s.Start:s.Stop], `\<`) }) {
		return v.source, false // what were tags has become code, where a backslash is one
	}
	if len(refs.References()) > 0 {
		v.showReferences()
	}
	s = v.source
	s.excused, s.chopped = v.excused.String(), &strings.Builder{}
	if m.CutCode {
		s.codeLines = make(map[string]bool, len(v.code))
		for _, l := range v.code {
			s.codeLines[strings.TrimSpace(src[l.Start:l.Stop])] = true
		}
	}
	return s, true
}

// visitor prepares a source node by node.
type visitor struct {
	source
	depth   int
	code    []text.Segment  // the lines of blocks of code
	excused strings.Builder // words that are markup
}

// errTooDeep is why a text is shown as it is.
var errTooDeep = errors.New("the Markdown is nested too deeply")

// visit takes a node when it begins and when it ends.
func (v *visitor) visit(n ast.Node, in bool) (ast.WalkStatus, error) {
	if n.Type() == ast.TypeBlock || n.Kind() == ast.KindEmphasis || n.Kind() == ast.KindLink {
		if !in {
			v.depth--
			return ast.WalkContinue, nil
		}
		if v.depth++; v.depth > 4*maxNesting {
			return ast.WalkStop, errTooDeep
		}
	}
	if !in {
		return ast.WalkContinue, nil
	}
	if n, ok := n.(*ast.CodeSpan); ok {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				v.escapeAmpersands(t.Segment)
				v.separateClusters(t.Segment)
			}
		}
		v.joinCodeLines(n)
		return ast.WalkSkipChildren, nil
	}
	v.take(n)
	return ast.WalkContinue, nil
}

// take prepares one node without its children.
func (v *visitor) take(n ast.Node) {
	switch n := n.(type) {
	case *extast.Table:
		v.tabular = true
		v.delimiter(n)
	case *ast.ListItem:
		if n.Parent().(*ast.List).IsOrdered() { // numbering starts again
			v.excused.WriteString(itemNumber(v.src, n))
		}
		v.markJoined(n)
	case *ast.Paragraph:
		v.separateParagraph(n)
	case *extast.TaskCheckBox:
		if n.IsChecked {
			v.excused.WriteString("xX") // a tick is drawn
		}
	case *ast.FencedCodeBlock:
		v.coded = true
		v.fence(n, &v.excused)
		v.code = v.collectCode(n.Lines(), v.code)
		v.noteGaps(n.Lines())
	case *ast.CodeBlock:
		v.highlight = false // no place to say that it has no language
		v.code = v.collectCode(n.Lines(), v.code)
		v.noteGaps(n.Lines())
	case *ast.Text:
		v.entities(n.Segment, &v.excused)
		v.separateClusters(n.Segment)
		v.indentContinuation(n)
	case *ast.Emphasis:
		v.dunder(n)
	case *ast.Link:
		v.excused.Write(n.Title)
		if len(n.Destination) > 0 && n.Destination[0] == '#' {
			v.excused.Write(n.Destination)
		}
	case *ast.Image:
		v.excused.Write(n.Title)
	}
}

// delimiter finds the line below the head of a table, without which there is none.
func (v *visitor) delimiter(table *extast.Table) {
	for c := table.FirstChild().FirstChild(); c != nil; c = c.NextSibling() {
		if c.Lines().Len() == 0 {
			continue
		}
		at := c.Lines().At(0).Start
		if line := strings.IndexByte(v.src[at:], '\n'); line >= 0 {
			at += line
			if mark := strings.IndexAny(v.src[at:], "|:-"); mark >= 0 {
				v.delimiters = append(v.delimiters, edit{at + mark, 0, `\`})
			}
		}
		return
	}
}

// showReferences keeps the targets of reference links in sight, except what
// only looks like one in code.
func (v *visitor) showReferences() {
	for _, at := range reference.FindAllStringSubmatchIndex(v.src, -1) {
		within := func(s text.Segment) bool { return at[2] >= s.Start && at[2] < s.Stop }
		if !slices.ContainsFunc(v.code, within) {
			v.edits = append(v.edits, edit{at[2], 0, `\`})
		}
	}
}

// itemNumber returns the marker before the first words of a list item.
func itemNumber(src string, n ast.Node) string {
	for n != nil && (n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0) {
		n = n.FirstChild()
	}
	if n == nil {
		return ""
	}
	at := n.Lines().At(0).Start
	return src[strings.LastIndexByte(src[:at], '\n')+1 : at]
}

var reference = regexp.MustCompile(`(?m)^[ >]*(\[)[^\]\n]+\]:`)

// escapeHTML puts a backslash before every bracket of raw HTML, so that
// Glamour shows the tag where it would drop it.
func (m *Markdown) escapeHTML(src string) string {
	if !strings.Contains(src, "<") {
		return src
	}
	var edits []edit
	mark := func(s text.Segment) {
		for i := s.Start; i < s.Stop; i++ {
			if src[i] == '<' {
				edits = append(edits, edit{i, 0, `\`})
			}
		}
	}
	// The only errors of Walk are those of its function, which returns none.
	_ = ast.Walk(m.parser.Parse(text.NewReader([]byte(src))), func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				mark(n.Segments.At(i))
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				mark(n.Lines().At(i))
			}
			if n.HasClosure() {
				mark(n.ClosureLine)
			}
		}
		return ast.WalkContinue, nil
	})
	return applyEdits(src, edits)
}

// fence makes sure that a block of code names a language that is known: any
// other would be guessed.
func (src *source) fence(n *ast.FencedCodeBlock, excused *strings.Builder) {
	if n.Info != nil {
		info := n.Info.Segment
		excused.WriteString(src.src[info.Start:info.Stop])
		if !HasLexer(string(n.Language([]byte(src.src)))) {
			src.edits = append(src.edits, edit{info.Start, info.Stop - info.Start, "text"})
		}
		return
	}
	if n.Lines().Len() == 0 {
		src.highlight = false
		return
	}
	// The opening fence ends the line before the first line of code.
	end := strings.LastIndexByte(src.src[:n.Lines().At(0).Start], '\n')
	if end < 0 {
		src.highlight = false
		return
	}
	end = len(strings.TrimRight(src.src[:end], " \r"))
	if end == 0 || src.src[end-1] != '`' && src.src[end-1] != '~' {
		src.highlight = false
		return
	}
	src.edits = append(src.edits, edit{end, 0, "text"})
}

// collectCode appends the lines of a block of code to all, and doubles their backslashes
// where code has no colors.
func (src *source) collectCode(lines *text.Segments, all []text.Segment) []text.Segment {
	for i := range lines.Len() {
		s := lines.At(i)
		all = append(all, s)
		if s.Stop-s.Start > maxCodeLine {
			src.highlight = false
		}
		src.plain = append(src.plain, backslashes(src.src, s)...)
	}
	return all
}

// escapeAmpersands escapes those of a code span, in which Glamour would decode character
// references.
func (src *source) escapeAmpersands(s text.Segment) {
	for i := s.Start; i < s.Stop; i++ {
		if src.src[i] == '&' {
			src.edits = append(src.edits, edit{i, 1, "&amp;"})
		}
	}
}

// separateClusters puts separators into the text of a table cell where Glamour would
// measure it otherwise than the screen.
func (src *source) separateClusters(s text.Segment) {
	if !src.tabular || !src.separate {
		return
	}
	_, before := utf8.DecodeLastRuneInString(src.src[:s.Start]) // a cluster may begin with a mark of emphasis
	from := s.Start - before
	for _, at := range cells.Separations(src.src[from:s.Stop]) {
		src.edits = append(src.edits, edit{from + at, 0, cells.Separator})
		src.separated = true
	}
}

// backslashes doubles those in a segment, except where a table needs one.
func backslashes(src string, s text.Segment) (edits []edit) {
	for i := s.Start; i < s.Stop; i++ {
		if src[i] == '\\' && !strings.HasPrefix(src[i+1:], "|") {
			edits = append(edits, edit{i, 0, `\`})
		}
	}
	return edits
}

var entity = regexp.MustCompile(`^&#?[0-9A-Za-z]+;?`)

// entities lets only character references be decoded that are written in full
// and are safe to draw.
func (src *source) entities(s text.Segment, excused *strings.Builder) {
	for i := s.Start; i < s.Stop; i++ {
		if src.src[i] != '&' {
			continue
		}
		ref := entity.FindString(src.src[i:s.Stop])
		char := html.UnescapeString(ref)
		switch {
		case char == ref:
		case strings.HasSuffix(ref, ";") && !strings.HasSuffix(char, ";") && Clean(char) == char:
			excused.WriteString(ref)
		default:
			src.edits = append(src.edits, edit{i, 1, "&amp;"})
		}
	}
}

// dunder keeps the underscores of names like __init__, which do not mean bold type.
func (src *source) dunder(n *ast.Emphasis) {
	t, ok := n.FirstChild().(*ast.Text)
	if !ok || n.Level != 2 || t.NextSibling() != nil {
		return
	}
	from, to := t.Segment.Start-2, t.Segment.Stop
	if from < 0 || to+2 > len(src.src) || src.src[from:from+2] != "__" || strings.ContainsAny(src.src[from:to], " \n") {
		return
	}
	for _, i := range []int{from, from + 1, to, to + 1} {
		src.edits = append(src.edits, edit{i, 0, `\`})
	}
}

// HasLexer reports whether Chroma knows a language by that name.
func HasLexer(language string) bool {
	switch strings.ToLower(language) {
	case "text", "plaintext", "bash", "sh", "shell", "zsh", "console", "fish", "powershell",
		"go", "python", "py", "javascript", "js", "jsx", "typescript", "ts", "tsx", "java", "kotlin", "scala", "swift",
		"c", "cpp", "c++", "csharp", "c#", "objective-c", "rust", "zig", "ruby", "rb", "php", "perl", "lua", "r", "julia",
		"haskell", "elixir", "erlang", "clojure", "ocaml", "dart", "nim",
		"html", "xml", "css", "scss", "json", "yaml", "yml", "toml", "ini", "sql", "graphql", "protobuf", "proto",
		"docker", "dockerfile", "make", "makefile", "cmake", "terraform", "hcl", "nginx", "nix", "diff", "patch",
		"markdown", "md", "vim", "awk":
		return true
	}
	return false
}

var (
	colorSequence = regexp.MustCompile("^\x1b\\[[0-9;:]*m")
	link          = regexp.MustCompile("^\x1b\\]8;([^;\x07\x1b]*);([^\x07\x1b]*)(?:\x07|\x1b\\\\)")
)

// harmless keeps the colors and the links to web pages in Glamour's output; any other
// sequence that a terminal would act on becomes visible.
func harmless(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			i = len(s)
		}
		b.WriteString(Clean(s[:i]))
		if s = s[i:]; s == "" {
			break
		}
		if m := colorSequence.FindString(s); m != "" {
			b.WriteString(m)
			s = s[len(m):]
			continue
		}
		if m := link.FindStringSubmatch(s); m != nil {
			if web := strings.HasPrefix(m[2], "http://") || strings.HasPrefix(m[2], "https://"); m[2] == "" || web && CleanLine(m[2]) == m[2] {
				b.WriteString("\x1b]8;" + m[1] + ";" + ascii(m[2]) + "\a")
			}
			s = s[len(m[0]):]
			continue
		}
		b.WriteString("␛")
		s = s[1:]
	}
	return b.String()
}

// ascii writes an address as it is sent: with other characters in it, what
// takes the byte 9C for the end of a string would print the rest.
func ascii(address string) string {
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c >= utf8.RuneSelf {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// loses reports whether letters or digits of src are missing in the rendered lines.
func loses(src string, lines []string, excused string) bool {
	var ascii [128]int
	other := map[rune]int{}
	count := func(s string, by int) {
		for _, r := range s {
			switch {
			case r < utf8.RuneSelf:
				ascii[r] += by
			case unicode.IsLetter(r):
				other[r] += by
			}
		}
	}
	count(src, 1)
	count(excused, -1)
	for _, l := range lines {
		count(ansi.Strip(l), -1)
	}
	for r := '0'; r <= 'z'; r++ {
		if ascii[r] > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return true
		}
	}
	for _, n := range other {
		if n > 0 {
			return true
		}
	}
	return false
}

// ExpandTabs replaces tabs by spaces up to the next multiple of four columns.
func ExpandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 64)
	col := 0
	for _, r := range s {
		switch r {
		case '\t':
			n := 4 - col%4
			b.WriteString("    "[:n])
			col += n
		case '\n':
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteRune(r)
			col++
		}
	}
	return b.String()
}
