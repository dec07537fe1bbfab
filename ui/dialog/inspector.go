package dialog

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/compare"
	"hermes-sessions/model/files"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// inspector is the box that tells of a conversation in twelve lines and, when asked, everything
// that is known of it: its facts, its files, its usage, and its rows as the database stores them.
type inspector struct {
	notice
	read    *kit.Latest[string, model.Details]
	facts   *model.Details // nil until they have been read
	details []detail       // of the facts, as last laid out
	err     error
	conv    model.Conversation
	files   fileList
	whole   bool // everything is shown

	lineCache []string // the finished lines for width and styles; nil to lay them out again
	width     int
	room      int // lines that the window has for them
	columns   textColumns
	styles    *theme.Styles
}

// detail is a fact of the inspector: a name with its value, or, without a value, the
// heading of the facts below it. Both are safe to draw; values may have several lines.
type detail struct {
	name, value string
	file        int // the number of the file from 1, 0 for another fact
}

// maxValue is how many bytes of a column are shown; a system prompt is long.
const maxValue = 600

// OpenInspector opens the box for a conversation.
func OpenInspector(sh shell.Shell, c model.Conversation) tea.Cmd {
	i := &inspector{conv: c}
	i.notice = *NewNotice(sh, "Details of “"+shell.ConversationName(c)+"”", i.lines)
	closes, copies := chooseHints(i.env.Keys)[1], i.env.Keys.Find(shell.InTranscript, shell.Copy).KeyText()+" copy everything · "
	all := i.env.Keys.Find(shell.InDialog, shell.ChooseEntry).KeyText() + " all stored columns · "
	i.hints = []string{all + copies + closes, all + closes, copies + closes}
	lib := i.env.Library
	i.read = kit.NewLatest(i.env.Context, func(ctx context.Context, id string) (model.Details, error) { return lib.Details(ctx, id) })
	i.files.read = kit.NewLatest(i.env.Context, func(ctx context.Context, id string) ([]files.File, error) { return lib.Files(ctx, id) })
	return tea.Batch(sh.Open(i), i.read.Ask(c.ID), i.files.read.Ask(c.ID))
}

// Update takes the details when they have been read, and handles the keys.
func (i *inspector) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case kit.Answer[string, model.Details]:
		if msg.From != i.read {
			return false, nil
		}
		ok, next := i.read.Take(msg)
		if ok {
			i.err, i.lineCache = msg.Err, nil
			if msg.Err == nil {
				i.facts = &msg.Value
			}
		}
		return false, next
	case kit.Answer[string, []files.File]:
		if msg.From != i.files.read {
			return false, nil
		}
		i.lineCache = nil
		return false, i.files.take(msg)
	case tea.KeyPressMsg:
		key := msg.String()
		if (key == "tab" || key == "shift+tab") && i.whole && i.files.step(key == "tab") {
			i.lineCache = nil
			i.lines(i.width) // says where the files are
			i.top = max(0, i.columns.y(i.files.line)-i.tall/2)
			return false, nil
		} else if key == "enter" && i.files.marked > 0 {
			return true, i.openFile()
		}
		if id, _ := i.env.Keys.Match(shell.InDialog, msg); id == shell.ChooseEntry && !i.whole {
			i.whole = true
			i.lineCache = nil
			i.hints = i.hints[2:]
			return false, nil
		}
		if id, _ := i.env.Keys.Match(shell.InTranscript, msg); id == shell.Copy && len(i.details) > 0 {
			return false, i.sh.Do(shell.CopyText{Text: i.text(), What: "all details, " + kit.TextSize(i.text())})
		} else if id == shell.Inspect {
			return true, nil
		}
	}
	return i.notice.Update(msg)
}

// openFile opens the message that changed the marked file last.
func (i *inspector) openFile() tea.Cmd {
	return i.sh.Do(shell.OpenTranscript{Conversation: i.conv, Hit: model.Hit{MessageID: i.files.all[i.files.marked-1].Last}})
}

// Click marks a file; a click on the marked one opens it.
func (i *inspector) Click(x, y int) (bool, tea.Cmd) {
	n := i.files.at(i.columns.at(x, i.top+y))
	switch {
	case n == 0:
		return false, nil
	case n == i.files.marked:
		return true, i.openFile()
	default:
		i.files.marked, i.lineCache = n, nil
	}
	return false, nil
}

// Box draws the box for a window of w by h.
func (i *inspector) Box(w, h int) string {
	if _, room := inside(w, h); room != i.room {
		i.room, i.lineCache = room, nil
	}
	return i.notice.Box(w, h)
}

// lines lays the details out for a width of w columns.
func (i *inspector) lines(w int) []string {
	s := i.sh.Styles()
	if i.lineCache != nil && i.width == w && i.styles == s {
		return i.lineCache
	}
	var out []string
	switch {
	case i.err != nil:
		for _, l := range shell.Explain(s.Cells, i.err, w) {
			out = append(out, s.Bad.Render(l))
		}
	case i.facts == nil && i.read.Late:
		return []string{kit.Waiting(s, w, "reading", i.read.Moves)}
	case i.facts == nil:
		return []string{""}
	default:
		i.details = i.summary()
		if i.whole {
			i.details = append(i.noted(), detailsOf(*i.facts, &i.files, i.env.Library.Notes(), i.env.Clock(), s.Glyphs.Cursor)...)
		}
		out, i.columns = inColumns(s.Cells, func(w int) []string {
			i.files.places = nil
			return drawDetails(s.Cells, i.details, w, s.Muted.Render, s.Text.Render, s.Accent.Render, func(f detail, at int) {
				if f.file > 0 && f.file == i.files.marked {
					i.files.line = at
				}
				i.files.places = append(i.files.places, filePlace{at, f.file})
			})
		}, w, i.room)
	}
	i.lineCache = out
	i.width = w
	i.styles = s
	return out
}

// summary tells of the conversation in at most twelve lines.
func (i *inspector) summary() (l detailList) {
	f, now := i.facts, i.env.Clock()
	c := f.Conversation
	what := []string{c.SourceName(), kit.Plural(c.Messages, "message", "messages")}
	for _, part := range []struct {
		n         int
		one, many string
	}{{len(c.Segments), "segment", "segments"}, {c.Branches, "branch", "branches"}, {c.Delegates, "subagent", "subagents"}} {
		if part.n > 1 || part.n == 1 && part.one != "segment" {
			what = append(what, kit.Plural(part.n, part.one, part.many))
		}
	}
	l.parts("what", what...)
	profile := ""
	if i.env.Several {
		profile = c.Profile
	}
	l.parts("where", c.CWD, c.GitBranch, profile)
	l.add("when", from(c.RootStartedAt, c.LastActive, now))
	if d := c.LastActive.Sub(c.RootStartedAt); !c.RootStartedAt.IsZero() && d > 0 {
		l.add("how long", compare.DurationText(d))
	}
	l.parts("tokens", tokenParts(c.Total)...)
	l.add("cost", costWords(c.Total.Cost))
	models := []string{c.Model}
	for _, m := range f.Models {
		if m.Model != "" && m.Model != c.Model {
			models = append(models, m.Model)
		}
	}
	l.parts("model", models...)
	l.add("files", i.files.counts())
	state := []string{kit.StateText(c.State, c.EndReason), c.Work(now)}
	if in := c.ExpiresIn(now); in != "" {
		state = append(state, strings.Replace("Hermes deletes it in "+in, "in now", "when it next starts", 1))
	}
	l.parts("state", state...)
	l.add("note", i.env.Noted(i.conv.RootID))
	l.parts("unusual", f.Anomalies()...)
	ids := []string{c.ID}
	if c.RootID != c.ID {
		ids = append(ids, "first segment "+c.RootID)
	}
	l.parts("ID", ids...)
	return l
}

// from writes the time between two moments to the minute: a day that both have once.
func from(start, end, now time.Time) string {
	if start.IsZero() {
		return ""
	}
	const day, minute = "2 Jan 2006", "15:04"
	start, end = start.In(now.Location()), end.In(now.Location())
	text := start.Format(day + " " + minute)
	switch {
	case !end.After(start):
	case start.Format(day) != end.Format(day):
		text += " – " + end.Format(day+" "+minute)
	default:
		text += " – " + end.Format(minute)
	}
	return text
}

// tokenParts says how many tokens were used, by kind.
func tokenParts(u model.Usage) (parts []string) {
	for _, t := range []struct {
		n    int64
		kind string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.CacheRead, "cache reads"}, {u.CacheWrite, "cache writes"}, {u.Reasoning, "reasoning"}} {
		if t.n != 0 {
			parts = append(parts, kit.Count(int(t.n))+" "+t.kind)
		}
	}
	return parts
}

// drawDetails draws names at the left and values beside them, or below them where w
// columns are too few for both. In a narrow box a long name has a line of its own, so that
// values keep two thirds of the width. at is called with each detail and the number of its
// first line.
func drawDetails(measure cells.Method, details []detail, w int, name, value, heading func(...string) string, at func(detail, int)) (out []string) {
	wide := 0
	for _, f := range details {
		if f.value != "" {
			wide = max(wide, measure.StringWidth(f.name))
		}
	}
	wide = min(wide, max(22, w/3-6), max(w/3, 14))
	beside := w >= wide+24 || wide <= w/3
	for n, f := range details {
		at(f, len(out))
		if f.value == "" {
			if n > 0 {
				out = append(out, "")
			}
			for _, l := range measure.Wrap(f.name, w) {
				out = append(out, heading(l))
			}
			continue
		}
		left, room := "  ", w-2
		if beside {
			left, room = measure.Pad(f.name, wide, "")+"  ", w-wide-2
			if measure.StringWidth(f.name) > wide {
				out = append(out, name(measure.Truncate(f.name, w, "…")))
				left = strings.Repeat(" ", wide+2)
			}
		} else {
			out = append(out, name(measure.Truncate(f.name, w, "…")))
		}
		for k, l := range measure.Wrap(strings.ReplaceAll(f.value, "\t", "    "), max(room, 1)) {
			if k > 0 && beside {
				left = strings.Repeat(" ", wide+2)
			}
			out = append(out, name(left)+value(l))
		}
	}
	return out
}

// text returns the details as plain text, for the clipboard.
func (i *inspector) text() string {
	return textOf(append(i.noted(), detailsOf(*i.facts, &i.files, i.env.Library.Notes(), i.env.Clock(), "")...))
}

// noted lists what the user has noted on the conversation and its messages.
func (i *inspector) noted() (l detailList) {
	book, root := i.env.Annotations, i.conv.RootID
	if !i.env.Annotated(root) {
		return nil
	}
	l.heading("Notes")
	on := book.On(root, 0)
	if len(on.Tags) > 0 {
		l.add("tags", "#"+strings.Join(on.Tags, " #"))
	}
	l.add("note", on.Note)
	for _, id := range book.Bookmarks(root) {
		on, what := book.On(root, id), "note"
		if on.Bookmark {
			what = "bookmark"
		}
		l.add(what, strings.TrimSuffix("message "+strconv.FormatInt(id, 10)+": "+on.Note, ": "))
	}
	return l
}

// DetailsText returns the details of a conversation as plain text.
func DetailsText(f model.Details, work []files.File, notes []model.HealthNote, now time.Time) string {
	return textOf(detailsOf(f, &fileList{all: work[:min(len(work), maxFilesShown)]}, notes, now, ""))
}

// textOf writes details as plain text.
func textOf(details []detail) string {
	var b strings.Builder
	for n, d := range details {
		switch {
		case d.value == "" && n > 0:
			b.WriteString("\n" + d.name + "\n")
		case d.value == "":
			b.WriteString(d.name + "\n")
		default:
			b.WriteString(strings.TrimSpace(d.name) + ": " + strings.ReplaceAll(d.value, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

// detailsOf lists the facts of a conversation in the order in which the box shows
// them: what is unusual, the conversation, its messages, its files, its usage, and the
// stored columns of each segment. Without a cursor, no file can be marked.
func detailsOf(f model.Details, work *fileList, notes []model.HealthNote, now time.Time, cursor string) []detail {
	var l detailList
	l.warnings(f.Anomalies(), notes)
	l.conversation(f, now)
	l.messages(f)
	l.files(work, cursor)
	l.usage(f)
	l.rows(f.Rows, now)
	return l
}

// detailList collects details; each method adds one group.
type detailList []detail

func (l *detailList) heading(text string) { *l = append(*l, detail{name: text}) }

func (l *detailList) add(name, value string) {
	if value = kit.CleanLine(value); value != "" {
		*l = append(*l, detail{name: name, value: value})
	}
}

// parts adds what is not empty of several values as one.
func (l *detailList) parts(name string, values ...string) {
	l.add(name, strings.Join(slices.DeleteFunc(values, func(v string) bool { return v == "" }), " · "))
}

func (l *detailList) warnings(anomalies []string, notes []model.HealthNote) {
	if len(anomalies)+len(notes) == 0 {
		return
	}
	l.heading("Warnings")
	for _, text := range anomalies {
		*l = append(*l, detail{name: "unusual", value: kit.CleanLine(text)})
	}
	for _, n := range notes {
		remedy := kit.NewRemedy(n.Remedy)
		*l = append(*l, detail{name: "database", value: remedy.After(kit.CleanLine(n.Message))})
		if remedy.Command != "" {
			*l = append(*l, detail{name: "remedy", value: remedy.Command})
		}
	}
}

func (l *detailList) conversation(f model.Details, now time.Time) {
	c := f.Conversation
	l.heading("Conversation")
	l.add("ID", c.ID)
	if c.RootID != c.ID {
		l.add("root ID", c.RootID)
	}
	l.add("title", c.Title)
	l.add("title by", titleOrigin(f))
	l.add("state", kit.StateText(c.State, c.EndReason))
	l.add("at work", c.Work(now))
	l.add("scope", kit.ScopeName(c.Scope))
	l.add("source", c.SourceName())
	l.add("model", c.Model)
	l.add("folder", c.CWD)
	if c.Workspace() != c.CWD {
		l.add("workspace", c.Workspace())
	}
	l.add("git branch", c.GitBranch)
	l.add("profile", c.Profile)
	l.add("started", dateTime(c.RootStartedAt, now))
	l.add("last active", dateTime(c.LastActive, now))
	if in := c.ExpiresIn(now); in != "" {
		what := " (in " + in + ")"
		if in == "now" {
			what = " (when it next starts)"
		}
		if c.ExpiresInPart {
			what += ", the first of its segments"
		}
		l.add("Hermes deletes it", dateTime(c.ExpiresAt, now)+what)
	}
	if d := c.LastActive.Sub(c.RootStartedAt); !c.RootStartedAt.IsZero() && d > 0 {
		l.add("duration", compare.DurationText(d))
	}
	l.add("parent", c.ParentID)
	l.add("segments", strconv.Itoa(len(c.Segments)))
	if c.Branches > 0 {
		l.add("branches", strconv.Itoa(c.Branches))
	}
	if c.Delegates > 0 {
		l.add("subagents", strconv.Itoa(c.Delegates))
	}
}

// titleOrigin says who gave a conversation its title, "" where the file does not say.
func titleOrigin(f model.Details) string {
	if f.Conversation.Title == "" || len(f.Rows) == 0 {
		return ""
	}
	for _, field := range f.Rows[len(f.Rows)-1] {
		if field.Name != "title_source" {
			continue
		}
		switch source, _ := field.Value.(string); source {
		case "", "user":
			return "you"
		case "derived":
			return "Hermes, from the first prompt"
		case "llm":
			return "a model"
		case "branch", "branch_fallback":
			return "Hermes, from the branched conversation"
		default:
			return source
		}
	}
	return ""
}

func (l *detailList) messages(f model.Details) {
	l.heading("Messages")
	l.add("visible", kit.Count(f.Conversation.Messages))
	for _, r := range f.Roles {
		text := kit.Count(r.Visible)
		for _, x := range []struct {
			n    int
			what string
		}{{r.Rewound, "rewound"}, {r.Compacted, "compacted"}, {r.Hidden, "hidden"}} {
			if x.n > 0 {
				text += " · " + kit.Count(x.n) + " " + x.what
			}
		}
		name := cmp.Or(r.Role, "no role")
		l.add(kit.CleanLine(name), text)
	}
	calls := 0
	for _, s := range f.Sessions {
		calls += s.ToolCalls
	}
	l.add("tool calls", kit.Count(calls))
}

// usage adds the sums, and below them each model where there are several or the
// only one is not the conversation's own.
func (l *detailList) usage(f model.Details) {
	c := f.Conversation
	l.heading("Usage")
	l.add("cost", costWords(c.Total.Cost))
	l.tokens(c.Total)
	if len(f.Models) == 0 || len(f.Models) == 1 && f.Models[0].Model == c.Model {
		return
	}
	for _, m := range f.Models {
		name := cmp.Or(kit.CleanLine(m.Model), "unknown model")
		l.heading("Usage: " + name)
		l.add("cost", costWords(m.Usage.Cost))
		l.tokens(m.Usage)
	}
}

func (l *detailList) tokens(u model.Usage) {
	for _, t := range []struct {
		name string
		n    int64
	}{
		{"tokens in", u.Input},
		{"tokens out", u.Output},
		{"cache reads", u.CacheRead},
		{"cache writes", u.CacheWrite},
		{"reasoning tokens", u.Reasoning},
		{"API calls", u.APICalls},
	} {
		if t.n != 0 {
			l.add(t.name, kit.Count(int(t.n)))
		}
	}
}

// rows adds the columns of each segment as the database stores them.
func (l *detailList) rows(rows []pyjson.Object, now time.Time) {
	for n, row := range rows {
		name := "Stored columns"
		if len(rows) > 1 {
			name += ", segment " + strconv.Itoa(n+1) + " of " + strconv.Itoa(len(rows))
		}
		l.heading(name)
		for _, field := range row {
			if text := columnText(field, now); text != "" {
				*l = append(*l, detail{name: kit.CleanLine(field.Name), value: text})
			}
		}
	}
}

// costWords writes a cost and says how far it is known.
func costWords(c model.Cost) string {
	text := c.String()
	switch {
	case !c.Known:
		return "? (unknown)"
	case c.Partial && c.Estimated:
		return text + " (partly estimated, partly unknown)"
	case c.Partial:
		return text + " (partly unknown)"
	case c.Estimated:
		return text + " (estimated)"
	}
	return text
}

// columnText writes a stored column as readable text: a time also as a date, JSON as
// indented lines, at most maxValue bytes. NULL gives "".
func columnText(f pyjson.Field, now time.Time) string {
	switch v := f.Value.(type) {
	case nil:
		return ""
	case float64:
		form := byte('f')
		if math.Abs(v) >= 1e15 {
			form = 'g' // not hundreds of digits
		}
		text := strconv.FormatFloat(v, form, -1, 64)
		if strings.HasSuffix(f.Name, "_at") && v > 0 && v < 1e11 {
			text += " (" + dateTime(time.UnixMicro(int64(v*1e6)), now) + ")"
		}
		return text
	case string:
		text, more := kit.FormatJSON(kit.Clean(v)), ""
		if len(text) > maxValue {
			text, more = strings.ToValidUTF8(text[:maxValue], ""), "\n… "+kit.Size(len(text))+" in total"
		}
		return strings.Trim(text, "\n") + more
	default:
		return kit.CleanLine(string(pyjson.Append(nil, v)))
	}
}

// dateTime writes a time to the second in the zone of now, "" for the zero time.
func dateTime(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(now.Location()).Format("2006-01-02 15:04:05 MST")
}
