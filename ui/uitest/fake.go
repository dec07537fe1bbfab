// Package uitest has what tests of the browser share: [Fake], a library in memory
// that replaces the session database, conversations to fill it with, [Keys], the
// key map of the program, and [BareShell], which tests of one screen give it. A fake
// can be slow, can fail, and records its requests.
package uitest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
)

// Now is the clock of tests, in UTC.
func Now() time.Time { return time.Now().UTC() }

// Fake is a library in memory, as fast and as willing as a test wants.
type Fake struct {
	mu           sync.Mutex
	Convs        []model.Conversation
	Messages     map[string][]model.Message
	Starts       map[string][]int // where segments begin; at 0 where it says nothing
	ResumeChecks map[string]model.ResumeCheck
	Rewound      int             // of every conversation
	Copies       map[int64]int64 // of the messages of any conversation
	Repeated     []int
	Models       []string        // of the segments of every conversation
	Kin          []model.Session // of every lineage
	Forks        map[string]model.Fork
	DetailsOf    map[string]model.Details
	FilesOf      map[string][]files.File
	Notice       string // for FileNotice
	HealthNotes  []model.HealthNote
	Version      int64
	Prepared     int                                    // times
	Delay        func(query string) time.Duration       // of listing ("") and searching
	Planning     func(ids []string) time.Duration       // of counting a deletion
	Alive        []string                               // sessions that a delete is told may still be running
	Err          error                                  // of everything
	Answer       func(query string) model.SearchResults // of searching, when set
	AnswerClose  func(query string) []model.Match       // and the closest conversations, which Answer leaves out
	DelayClose   func(query string) time.Duration       // of searching with the closest conversations, instead of Delay
	Readings     []model.WordReading                    // of every search with the closest conversations
	First        int                                    // pages up to this limit come as partial ones
	now, Max     int                                    // questions at once
	Asked        []string
	Limits       []int // of listings
	changing
	storing
}

func (f *Fake) begin(ctx context.Context, what, query string) error {
	f.mu.Lock()
	f.Asked = append(f.Asked, what+" "+query)
	f.now++
	f.Max = max(f.Max, f.now)
	d, err := time.Duration(0), f.Err
	switch {
	case what == "closest" && f.DelayClose != nil:
		d = f.DelayClose(query)
	case f.Delay != nil:
		d = f.Delay(query)
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	if d > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
		}
	}
	return err
}

// Running counts the questions that have no answer yet.
func (f *Fake) Running() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *Fake) Set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// pick returns what is in the scope, in the order that is asked for, and how
// much is not.
func (f *Fake) pick(q query.ListOptions, keep func(model.Conversation) bool) (in []model.Conversation, out int, where model.Scope) {
	failed := func(session string, _ query.Filter) bool {
		return slices.ContainsFunc(f.Convs, func(c model.Conversation) bool { return c.ID == session && c.Failed > 0 })
	}
	passes := query.Predicate(q.Filters, Now(), func(query.Filter) bool { return false }, failed)
	for _, c := range f.Convs {
		switch {
		case !keep(c) || !passes(&c) || !q.AdmitsOrigin(&c):
		case q.ShowsScope(c.Scope):
			in = append(in, c)
		default:
			out++
			where = c.Scope
		}
	}
	order := q.SortOrder().Comparison()
	first := func(c *model.Conversation) bool {
		return c.Pinned && q.PinnedFirst && q.SortOrder() == query.ByActivity
	}
	slices.SortStableFunc(in, func(a, b model.Conversation) int {
		if first(&a) != first(&b) {
			return map[bool]int{true: -1, false: 1}[first(&a)]
		}
		return order(&a, &b)
	})
	return in, out, where
}

func (f *Fake) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	if err := f.begin(ctx, "list", ""); err != nil {
		return model.ConversationPage{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Limits = append(f.Limits, q.Limit)
	first := q.FirstPage && q.Limit <= f.First
	q.PinnedFirst = q.PinnedFirst && !first
	in, out, _ := f.pick(q, func(model.Conversation) bool { return true })
	p := model.ConversationPage{Conversations: in, Total: len(in), OutOfScope: out}
	if q.Limit > 0 && len(in) > q.Limit {
		p.Conversations = in[:q.Limit]
		p.TotalsSkipped = first
	}
	return p, nil
}

func (f *Fake) hits(find *match.Matcher, id string) []model.Hit {
	var out []model.Hit
	for _, m := range f.Messages[id] {
		if !find.Match(m.Content.Text) {
			continue
		}
		if s, ok := find.Snippet(m.Content.Text, 120); ok {
			why := map[string]model.HitKind{"user": model.HitUser, "assistant": model.HitAgent}[m.Role]
			if m.Role == "tool" {
				why = model.HitTool
			}
			out = append(out, model.Hit{MessageID: m.ID, SessionID: id, Role: m.Role, ToolName: m.ToolName, At: m.At, Snippet: s, Kind: why})
		}
	}
	return out
}

func (f *Fake) Search(ctx context.Context, q query.Query, l query.ListOptions) (model.SearchResults, error) {
	what := "search"
	if l.Closest {
		what = "closest"
	}
	if err := f.begin(ctx, what, q.Text); err != nil {
		return model.SearchResults{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Answer != nil {
		r := f.Answer(q.Text)
		if l.Closest && f.AnswerClose != nil {
			r.Matches = append(r.Matches, f.AnswerClose(q.Text)...)
			r.Close = len(r.Matches) - r.Conversations
			r.CloseGroups = wordGroups(q)
		}
		return r, nil
	}
	m := match.NewMatcher(q.Groups)
	titled := func(c model.Conversation) bool { return m.Match(c.Title) }
	in, out, where := f.pick(l, func(c model.Conversation) bool { return titled(c) || len(f.hits(m, c.ID)) > 0 })
	r := model.SearchResults{Conversations: len(in), HiddenConversations: out, HiddenHits: 2 * out, HiddenScope: where}
	for _, c := range in {
		hits := f.hits(m, c.ID)
		r.Hits += len(hits)
		best := model.Hit{Kind: model.HitTitle, SessionID: c.ID}
		if len(hits) > 0 {
			best = hits[0]
		}
		if l.Limit <= 0 || len(r.Matches) < l.Limit {
			r.Matches = append(r.Matches, model.Match{Conversation: c, Best: best, Hits: len(hits)})
		}
	}
	if l.Closest && r.Conversations <= query.ClosestUpTo {
		f.addClosest(&r, q, l)
	}
	return r, nil
}

// wordGroups returns the groups that any word of a query satisfies.
func wordGroups(q query.Query) (groups []match.Group) {
	for _, t := range q.Terms() {
		groups = append(groups, match.Group{All: []match.Term{t}})
	}
	return groups
}

// addClosest adds the conversations that have some words of a query, those with most
// of them first.
func (f *Fake) addClosest(r *model.SearchResults, q query.Query, l query.ListOptions) {
	groups := wordGroups(q)
	any := match.NewMatcher(groups)
	words := make([]*match.Matcher, len(groups))
	for i := range groups {
		words[i] = match.NewMatcher(groups[i : i+1])
	}
	var near []model.Match
	in, _, _ := f.pick(l, func(c model.Conversation) bool {
		return !slices.ContainsFunc(r.Matches, func(m model.Match) bool { return m.ID == c.ID })
	})
	for _, c := range in {
		m := model.Match{Conversation: c, Close: true, Words: len(groups), Best: model.Hit{Kind: model.HitTitle, SessionID: c.ID}}
		best := 0
		for _, h := range f.hits(any, c.ID) {
			if len(h.Snippet) > best {
				m.Best, best = h, len(h.Snippet)
			}
		}
		for i, word := range words {
			if len(f.hits(word, c.ID)) == 0 && !word.Match(c.Title) {
				m.Missing = append(m.Missing, groups[i].All[0].Text)
			}
		}
		if m.AllWords = len(m.Missing) == 0; len(m.Missing) < m.Words {
			near = append(near, m)
		}
	}
	slices.SortStableFunc(near, func(a, b model.Match) int { return len(a.Missing) - len(b.Missing) })
	r.Close = len(near)
	r.CloseGroups = groups
	r.Readings = f.Readings
	if l.Limit > 0 {
		near = near[:max(0, min(len(near), l.Limit-len(r.Matches)))]
	}
	r.Matches = append(r.Matches, near...)
}

func (f *Fake) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	if err := f.begin(ctx, "hits", q.Text); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []int64
	for _, h := range f.hits(match.NewMatcher(q.Groups), id) {
		ids = append(ids, h.MessageID)
	}
	return ids, nil
}

func (f *Fake) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	if err := f.begin(ctx, "tail", ""); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.Messages[id]
	return m[max(0, len(m)-n):], nil
}

func (f *Fake) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	if err := f.begin(ctx, "a", "first page"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.Messages[id]
	from, to := max(0, len(m)-n), len(m)
	for i := range m {
		if at != 0 && m[i].ID == at {
			from, to = max(0, i-n/2), min(i+n/2, len(m))
		}
	}
	return slices.Clone(m[from:to]), nil
}

func (f *Fake) Outline(ctx context.Context, id string) (model.Outline, error) {
	if err := f.begin(ctx, "outline", ""); err != nil {
		return model.Outline{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var o model.Outline
	for _, c := range f.Convs {
		if c.ID == id {
			o.Conversation = c
		}
	}
	o.SegmentStarts = []int{0}
	o.SegmentModels = f.Models
	o.Rewound = f.Rewound
	if s := f.Starts[id]; s != nil {
		o.SegmentStarts = s
	}
	o.Replays, o.ReplayCounts = f.Copies, f.Repeated
	for _, m := range f.Messages[id] {
		if _, copied := f.Copies[m.ID]; !copied {
			o.MessageIDs = append(o.MessageIDs, m.ID)
		}
	}
	return o, nil
}

func (f *Fake) MessagesOf(ctx context.Context, _ string, ids []int64) ([]model.Message, error) {
	if err := f.begin(ctx, "messages", ""); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	byID := map[int64]model.Message{}
	for _, all := range f.Messages {
		for _, m := range all {
			byID[m.ID] = m
		}
	}
	var out []model.Message
	for _, id := range ids {
		if m, ok := byID[id]; ok {
			out = append(out, m)
		}
	}
	return out, nil
}

func (f *Fake) FieldValues(ctx context.Context, field query.Field) ([]query.FieldValue, error) {
	if err := f.begin(ctx, "values", string(field)); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := map[string]int{}
	for _, c := range f.Convs {
		counts[map[query.Field]string{query.FieldSource: c.Source, query.FieldModel: c.Model, query.FieldCWD: c.CWD}[field]]++
	}
	delete(counts, "")
	var values []query.FieldValue
	for v, n := range counts {
		values = append(values, query.FieldValue{Value: v, Conversations: n})
	}
	slices.SortFunc(values, func(a, b query.FieldValue) int {
		return cmp.Or(b.Conversations-a.Conversations, cmp.Compare(a.Value, b.Value))
	})
	return values, nil
}

func (f *Fake) Prepare(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Prepared++
	return f.Err
}

func (f *Fake) DataVersion(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Version, f.Err
}

// FileNotice returns Notice once.
func (f *Fake) FileNotice() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := f.Notice
	f.Notice = ""
	return text
}

func (f *Fake) Notes() []model.HealthNote {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.HealthNotes)
}

// History is an invented life with Hermes, seen at now.
func History(now time.Time) *Fake {
	f := &Fake{Messages: map[string][]model.Message{}, Version: 1}
	next := int64(1)
	add := func(ago time.Duration, c model.Conversation, said ...string) {
		c.LastActive = now.Add(-ago)
		c.RootStartedAt = c.LastActive.Add(-40 * time.Minute)
		c.ID = c.RootStartedAt.Format("20060102_150405_") + strings.Repeat(string(rune('a'+len(f.Convs)%26)), 6)
		c.RootID = c.ID
		c.Source = cmp.Or(c.Source, "cli")
		if c.Segments == nil {
			c.Segments = []string{c.ID}
		}
		role := "user"
		for i, s := range said {
			m := model.Message{ID: next, SessionID: c.ID, Role: role, Content: model.Content{Text: s}, At: c.LastActive.Add(time.Duration(i-len(said)) * time.Minute)}
			if role == "assistant" && strings.Contains(s, "look") {
				m.Calls = []model.ToolCall{{ID: "1", Name: "read_file"}, {ID: "2", Name: "terminal"}, {ID: "3", Name: "terminal"}}
			}
			f.Messages[c.ID] = append(f.Messages[c.ID], m)
			next++
			if role == "user" {
				role = "assistant"
			} else {
				role = "user"
			}
		}
		if c.Preview == "" && len(said) > 0 {
			c.Preview = said[0]
		}
		c.Messages = cmp.Or(c.Messages, len(said))
		f.Convs = append(f.Convs, c)
	}
	titled := func(t string) model.Session {
		return model.Session{Title: t, Source: "cli", Model: "hermes-4-70b", CWD: "/home/ada/larder"}
	}
	known := func(usd float64) model.Usage { return model.Usage{Cost: model.Cost{USD: usd, Known: true}} }
	guess := func(usd float64) model.Usage {
		return model.Usage{Cost: model.Cost{USD: usd, Known: true, Estimated: true}}
	}
	const day = 24 * time.Hour

	kafka := titled("Kafka consumer retries #3")
	kafka.Source = "telegram"
	add(5*time.Minute, model.Conversation{Session: kafka, State: model.StateRunning, Segments: []string{"a", "b", "c", "d"}, Branches: 2, Delegates: 3, Messages: 142, Total: guess(1.84)},
		"Why does the retry topic lag behind? The kafka consumer group looks healthy.",
		"Let me look at the offsets of the retry topic first.",
		"Good. And the dead letters?",
		"The kafka retry topic was compacted, so the consumer waits for keys that never come.\nSet cleanup.policy to delete and the lag goes away.")
	add(3*time.Hour, model.Conversation{Session: titled("Broker upgrade plan"), Messages: 38, Total: known(0.21)},
		"Plan the upgrade of the three kafka brokers.", "One at a time, controller last.")
	add(4*time.Hour, model.Conversation{Session: titled(""), Messages: 6, State: model.StateInterrupted, Preview: "what does the blue light on the router mean"},
		"what does the blue light on the router mean", "It is looking for a firmware update.")
	pinned := titled("House rules for code review")
	pinned.Pinned = true
	add(40*day, model.Conversation{Session: pinned, Messages: 1204, Total: known(12.5)}, "Keep the house rules here.", "Kept.")
	add(day, model.Conversation{Session: titled("nightly report"), Messages: 12, State: model.StateFailed}, "Write the nightly report.", "The printer is on fire.")
	add(day+time.Hour, model.Conversation{Session: titled("日本語の文章を校正する 🎌 とても長い題名なので切られます"), Messages: 9, Total: known(0.03)},
		"この文章を校正してください。", "はい、直しました。")
	add(3*day, model.Conversation{Session: titled("A \x1b[31mred\x1b[0m title with \u202ebidi and a bell\a in it"), Messages: 3}, "escape \x1b]52;c;aGk=\a attempts", "harmless")
	add(5*day, model.Conversation{Session: titled("Translate the menu"), Messages: 4, Branches: 1}, "Translate the menu to French.", "Voilà.")
	add(12*day, model.Conversation{Session: titled("compose up hangs on \"waiting for db\""), Messages: 6}, "docker compose up waits for ever", "The health check never passes.")
	add(20*day, model.Conversation{Session: titled("Empty one"), State: model.StateEmpty})
	add(90*day, model.Conversation{Session: titled("Tax return of last year"), Messages: 77, Total: known(0.4)}, "Help with the tax return.", "Gladly.")
	add(700*day, model.Conversation{Session: titled("First steps"), Messages: 2}, "hello", "Hello! What shall we look at?")
	for range 12 {
		auto := titled("backup check")
		auto.Source = "cron"
		add(2*time.Hour, model.Conversation{Session: auto, Scope: model.ScopeAutomation, Messages: 2}, "Run the backup check for the zebra volume.", "All well.")
	}
	return f
}

func (f *Fake) Titles() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.Convs {
		if c.Scope == model.ScopeConversations {
			all = append(all, c.Title)
		}
	}
	return all
}

func (f *Fake) Fork(ctx context.Context, id string) (model.Fork, error) {
	if err := f.begin(ctx, "fork", ""); err != nil {
		return model.Fork{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Forks[id], nil
}

func (f *Fake) Lineage(ctx context.Context, id string) (*model.Node, error) {
	if err := f.begin(ctx, "lineage", ""); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	kin := slices.Clone(f.Kin)
	for _, c := range f.Convs {
		i := slices.IndexFunc(kin, func(s model.Session) bool { return s.ID == c.ID })
		if i < 0 {
			kin = append(kin, c.Session)
		} else { // it was changed
			kin[i].Title = c.Title
			kin[i].Pinned = c.Pinned
			kin[i].Archived = c.Archived
		}
	}
	kin = slices.DeleteFunc(kin, func(s model.Session) bool {
		return slices.Contains(f.Parted, s.ID) || slices.Contains(f.whole, s.ID)
	})
	for i, s := range kin {
		if s.ID == id {
			root := model.BuildLineage(model.SessionSlice(kin), true).Tree(i)
			root.Walk(func(n *model.Node, _ int) bool {
				if n.Tip == n.ID {
					n.State = model.StateOf(&model.Conversation{Session: n.Session, Messages: n.VisibleMessages, LastActive: n.LastActive()}, "assistant", Now())
				}
				if n.Title == "" {
					n.Preview = "the task of " + n.ID
				}
				return true
			})
			return root, nil
		}
	}
	return nil, errors.New("Session '" + id + "' not found.")
}

func (f *Fake) QuickLineage(ctx context.Context, id string) (*model.Node, bool, error) {
	root, err := f.Lineage(ctx, id)
	if err == nil {
		root.Walk(func(n *model.Node, _ int) bool {
			n.Preview = ""
			return true
		})
	}
	return root, true, err
}

// ResumeCheck is quiet unless the test says otherwise.
func (f *Fake) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	if err := f.begin(ctx, "resume check", ""); err != nil {
		return model.ResumeCheck{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if st, ok := f.ResumeChecks[id]; ok {
		return st, nil
	}
	for _, c := range f.Convs {
		if c.ID == id {
			return model.ResumeCheck{Tip: c.Session}, nil
		}
	}
	return model.ResumeCheck{Tip: model.Session{ID: id}}, nil
}

// Files implements shell.Library.
func (f *Fake) Files(ctx context.Context, id string) ([]files.File, error) {
	if err := f.begin(ctx, "files", id); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.FilesOf[id], nil
}

func (f *Fake) Details(ctx context.Context, id string) (model.Details, error) {
	if err := f.begin(ctx, "details", id); err != nil {
		return model.Details{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.DetailsOf[id], nil
}

// UsageReport returns a session for each conversation, with 110 tokens a message
// where it has none.
func (f *Fake) UsageReport(ctx context.Context) (usage.Report, error) {
	if err := f.begin(ctx, "usage", ""); err != nil {
		return usage.Report{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var r usage.Report
	for i, c := range f.Convs {
		if c.Total.Tokens() == 0 {
			c.Total.Input = int64(100 * c.Messages)
			c.Total.Output = int64(10 * c.Messages)
			c.Total.CacheRead = int64(1000 * c.Messages)
		}
		r.Conversations = append(r.Conversations, usage.Conversation{Root: c.RootID, Tip: c.ID, Title: c.Title})
		r.Records = append(r.Records, usage.Record{
			Session: c.ID, Conversation: int32(i), At: c.RootStartedAt, Model: c.Model, Source: c.Source, Folder: c.CWD, Profile: c.Profile,
			Messages: c.Messages, Calls: c.Calls, Usage: c.Total,
		})
	}
	return r, nil
}

// ToolCounts returns two tools for each session.
func (f *Fake) ToolCounts(ctx context.Context, sessions []string) (all []usage.ToolCount, err error) {
	if err := f.begin(ctx, "tools", ""); err != nil {
		return nil, err
	}
	for i, id := range sessions {
		all = append(all, usage.ToolCount{Session: id, Tool: "terminal", Calls: 3 + i, Failed: i % 2}, usage.ToolCount{Session: id, Tool: "read_file", Calls: 1})
	}
	return all, nil
}
