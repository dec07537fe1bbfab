package dialog

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// inspector is a box with all that is known of a conversation.
type inspector struct {
	notice
	read  *kit.Latest[string, model.Details]
	id    string
	facts []detail
	err   error

	drawn []string // for a width
	width int
}

// detail is a line of it: a name with its value, or, without a value, the heading
// of what follows. Both are safe to draw; values may have several lines.
type detail struct{ name, value string }

// mostValue is how many bytes of a column are shown; a system prompt is long.
const mostValue = 600

// OpenInspector opens the box for a conversation.
func OpenInspector(sh shell.Shell, c model.Conversation) tea.Cmd {
	i := &inspector{id: c.ID}
	i.notice = *NewNotice(sh, "About “"+shell.ConversationName(c)+"”", i.lines)
	lib := i.env.Library
	i.read = kit.NewLatest(i.env.Context, func(ctx context.Context, id string) (model.Details, error) { return lib.Details(ctx, id) })
	return tea.Batch(sh.Open(i), i.read.Ask(c.ID))
}

func (i *inspector) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case kit.Overdue[string, model.Details]:
		if msg.From == i.read {
			i.read.MarkLate(msg)
			i.drawn = nil
		}
		return false, nil
	case kit.Answer[string, model.Details]:
		if msg.From != i.read {
			return false, nil
		}
		ok, next := i.read.Take(msg)
		if ok {
			i.err, i.drawn = msg.Err, nil
			if msg.Err == nil {
				i.facts = detailsOf(msg.Value, i.env.Library.Notes(), i.env.Clock())
			}
		}
		return false, next
	case tea.KeyPressMsg:
		if id, _ := i.env.Keys.Match(shell.InTranscript, msg); id == shell.Copy && len(i.facts) > 0 {
			return false, i.sh.Do(shell.CopyText{Text: i.plain(), What: "all of this, " + kit.TextSize(i.plain())})
		} else if id == shell.Inspect {
			return true, nil
		}
	}
	return i.notice.Update(msg)
}

// lines lays the facts out for a width.
func (i *inspector) lines(w int) []string {
	if i.drawn != nil && i.width == w {
		return i.drawn
	}
	s := i.sh.Styles()
	var out []string
	switch {
	case i.err != nil:
		for _, l := range kit.Wrap(kit.CleanLine(shell.Reason(i.err)), w) {
			out = append(out, s.Bad.Render(l))
		}
	case i.facts == nil:
		out = []string{""}
		if i.read.Late {
			out[0] = s.Faint.Render("reading" + s.Glyphs.Ellipsis)
		}
	default:
		out = drawDetails(i.facts, w, s.Muted.Render, s.Text.Render, s.Accent.Render)
		out = append(out, "", s.Faint.Render(ansi.Truncate(i.env.Keys.Find(shell.InTranscript, shell.Copy).KeyLabel()+" copies all of this", w, s.Glyphs.Ellipsis)))
	}
	i.drawn, i.width = out, w
	return out
}

// drawDetails puts names at the left and values beside them, or below them where
// it is narrow.
func drawDetails(facts []detail, w int, name, value, heading func(...string) string) (out []string) {
	wide := 0
	for _, f := range facts {
		if f.value != "" {
			wide = max(wide, ansi.StringWidth(f.name))
		}
	}
	wide = min(wide, 28)
	beside := w >= wide+24
	for n, f := range facts {
		if f.value == "" {
			if n > 0 {
				out = append(out, "")
			}
			for _, l := range kit.Wrap(f.name, w) {
				out = append(out, heading(l))
			}
			continue
		}
		left, room := "  ", w-2
		if beside {
			left, room = kit.Pad(f.name, wide, "…")+"  ", w-wide-2
		} else {
			out = append(out, name(ansi.Truncate(f.name, w, "…")))
		}
		for k, l := range kit.Wrap(strings.ReplaceAll(f.value, "\t", "    "), max(room, 1)) {
			if k > 0 && beside {
				left = strings.Repeat(" ", wide+2)
			}
			out = append(out, name(left)+value(l))
		}
	}
	return out
}

// plain is the text that is copied.
func (i *inspector) plain() string {
	as := func(s ...string) string { return strings.Join(s, "") }
	var b strings.Builder
	for n, f := range i.facts {
		switch {
		case f.value == "" && n > 0:
			b.WriteString("\n" + as(f.name) + "\n")
		case f.value == "":
			b.WriteString(f.name + "\n")
		default:
			b.WriteString(f.name + ": " + strings.ReplaceAll(f.value, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

// detailsOf tells the facts for people.
func detailsOf(f model.Details, notes []model.HealthNote, now time.Time) (out []detail) {
	c := f.Conversation
	heading := func(text string) { out = append(out, detail{name: text}) }
	add := func(name, value string) {
		if value = kit.CleanLine(value); value != "" {
			out = append(out, detail{name, value})
		}
	}
	if odd := f.Anomalies(); len(odd)+len(notes) > 0 {
		heading("To know")
		for _, text := range odd {
			out = append(out, detail{"unusual", kit.CleanLine(text)})
		}
		for _, n := range notes {
			text := n.Message
			if n.Remedy != "" {
				text += " — " + n.Remedy
			}
			out = append(out, detail{"database", kit.CleanLine(text)})
		}
	}
	heading("Conversation")
	add("id", c.ID)
	if c.RootID != c.ID {
		add("began as", c.RootID)
	}
	add("title", c.Title)
	add("state", [...]string{"done", "running", "interrupted", "failed", "empty"}[c.State])
	add("shown in", kit.ScopeName(c.Scope))
	add("source", c.Source)
	add("model", c.Model)
	add("folder", c.CWD)
	add("git branch", c.GitBranch)
	add("profile", c.Profile)
	add("started", whole(c.RootStartedAt, now))
	add("last active", whole(c.LastActive, now))
	if d := c.LastActive.Sub(c.RootStartedAt); !c.RootStartedAt.IsZero() && d > 0 {
		add("over", d.Round(time.Second).String())
	}
	add("end reason", c.EndReason)
	add("came from", c.ParentID)
	add("segments", strconv.Itoa(len(c.Segments)))
	if c.Branches > 0 {
		add("branches", strconv.Itoa(c.Branches))
	}
	if c.Delegates > 0 {
		add("subagents", strconv.Itoa(c.Delegates))
	}

	heading("Messages")
	add("in the transcript", kit.Count(c.Messages))
	for _, r := range f.Roles {
		text := kit.Count(r.Visible)
		for _, x := range []struct {
			n    int
			what string
		}{{r.Rewound, "taken back"}, {r.Compacted, "compacted away"}, {r.Hidden, "hidden"}} {
			if x.n > 0 {
				text += " · " + kit.Count(x.n) + " " + x.what
			}
		}
		name := r.Role
		if name == "" {
			name = "no role"
		}
		add(kit.CleanLine(name), text)
	}
	calls := 0
	for _, s := range f.Sessions {
		calls += s.ToolCalls
	}
	add("tool calls", kit.Count(calls))

	heading("Usage")
	add("cost", costWords(c.Total.Cost))
	tokens(add, c.Total)
	if len(f.Models) > 1 || len(f.Models) == 1 && f.Models[0].Model != c.Model {
		for _, m := range f.Models {
			name := kit.CleanLine(m.Model)
			if name == "" {
				name = "unknown model"
			}
			heading("Usage of " + name)
			add("cost", costWords(m.Usage.Cost))
			tokens(add, m.Usage)
		}
	}

	for n, row := range f.Rows {
		name := "As stored"
		if len(f.Rows) > 1 {
			name += ", segment " + strconv.Itoa(n+1) + " of " + strconv.Itoa(len(f.Rows))
		}
		heading(name)
		for _, field := range row {
			if text := stored(field, now); text != "" {
				out = append(out, detail{kit.CleanLine(field.Name), text})
			}
		}
	}
	return out
}

func tokens(add func(name, value string), u model.Usage) {
	for _, t := range []struct {
		name string
		n    int64
	}{
		{"tokens in", u.Input},
		{"tokens out", u.Output},
		{"read from cache", u.CacheRead},
		{"written to cache", u.CacheWrite},
		{"reasoning tokens", u.Reasoning},
		{"calls of the model", u.APICalls},
	} {
		if t.n != 0 {
			add(t.name, kit.Count(int(t.n)))
		}
	}
}

// costWords says what is known of a cost.
func costWords(c model.Cost) string {
	text := c.String()
	switch {
	case !c.Known:
		return "? (nobody priced it)"
	case c.Partial && c.Estimated:
		return text + " (a part is estimated, a part is not known)"
	case c.Partial:
		return text + " (a part is not known)"
	case c.Estimated:
		return text + " (estimated)"
	}
	return text
}

// stored writes a column for people: as it is, a time also as a date. Empty
// ones are "".
func stored(f pyjson.Field, now time.Time) string {
	switch v := f.Value.(type) {
	case nil:
		return ""
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if strings.HasSuffix(f.Name, "_at") && v > 0 && v < 1e11 {
			text += " (" + whole(time.UnixMicro(int64(v*1e6)), now) + ")"
		}
		return text
	case string:
		text, more := kit.FormatJSON(kit.Clean(v)), ""
		if len(text) > mostValue {
			text, more = strings.ToValidUTF8(text[:mostValue], ""), "\n… "+kit.Size(len(text))+" in all"
		}
		return strings.Trim(text, "\n") + more
	default:
		return kit.CleanLine(string(pyjson.Append(nil, v)))
	}
}

// whole writes a moment to the second.
func whole(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(now.Location()).Format("2006-01-02 15:04:05 MST")
}
