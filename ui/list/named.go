package list

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/querybar"
	"hermes-sessions/ui/shell"
)

// namedQueries are the queries that have names. One of them is in force while @name is
// part of what is typed; it brings its scope and order.
type namedQueries struct {
	list   *Screen
	bar    *querybar.Bar
	active string  // the name of the one in force, "" for none
	lent   string  // the query that another screen has typed, which has filters of its own, "" for none
	before filters // those that come back when either is left
}

func newNamedQueries(s *Screen) namedQueries {
	n := namedQueries{list: s, bar: querybar.New(s.env, s.env.Queries)}
	s.prompt.Name(s.env.Queries)
	given := s.filters
	n.follow(&s.filters)
	if n.active != "" && given.base.Scope != model.ScopeConversations {
		s.filters.scope = given.scope // a flag says more than the settings
	}
	if n.active != "" {
		s.filters.sources, s.filters.folder = given.sources, given.folder
	}
	return n
}

// borrows reports whether the filters are those of a query, and others come back after it.
func (n *namedQueries) borrows() bool { return n.active != "" || n.lent != "" }

// lend types a query of another screen, which is shown with all scopes, sources and folders.
func (n *namedQueries) lend(text string) tea.Cmd {
	f := &n.list.filters
	if !n.borrows() {
		n.before = *f
	}
	n.active, n.lent = "", text
	f.scope = model.ScopeAll
	f.sources = nil
	f.folder = ""
	return n.list.retype(text + " ")
}

// follow sets the filters for the named query that is typed, and those from before when
// it, or the query of another screen, no longer is.
func (n *namedQueries) follow(f *filters) {
	q, _ := n.list.prompt.Query()
	name := ""
	if q.Named != nil {
		name = q.Named.Name
	}
	lent := n.lent
	if name != "" || !strings.HasPrefix(n.list.prompt.Text(), lent) {
		lent = ""
	}
	if name == n.active && lent == n.lent {
		return
	}
	if n.borrows() {
		*f = n.before
	} else {
		n.before = *f
	}
	if n.active, n.lent = name, lent; name == "" {
		return
	}
	f.scope = q.Named.Scope
	f.sources = nil
	f.folder = ""
	if by := q.Named.Order; by != nil {
		f.orderBy(*by, !q.FiltersOnly())
	}
}

// listing returns the filters of the list without those of a query.
func (n *namedQueries) listing(f *filters) query.ListOptions {
	if n.borrows() {
		return n.before.listing()
	}
	return f.listing()
}

// number returns the number of the query that a key stands for, -1 for other keys.
func (n *namedQueries) number(msg tea.KeyPressMsg) int {
	keys := n.list.env.Keys
	if a, ok := keys.Match(shell.InList, msg); !ok || a != shell.Queries {
		return -1
	}
	return slices.Index(keys.Find(shell.InList, shell.Queries).Keys, shell.KeyName(msg))
}

// leave is the number of the key that leaves a query.
const leave = 9

// press takes the key of a number.
func (n *namedQueries) press(number int) tea.Cmd {
	switch {
	case number != leave:
		return n.open(number)
	case n.active == "":
		return nil
	}
	return n.list.retype("")
}

// open shows the conversations of a query.
func (n *namedQueries) open(i int) tea.Cmd {
	if i >= len(n.bar.Queries) {
		return n.list.sh.Refuse("no named query " + strconv.Itoa(i+1) + "; " + n.list.env.Keys.Find(shell.InList, shell.SaveQuery).KeyText() + " saves the current one")
	}
	return n.list.retype("@" + n.bar.Queries[i].Name + " ")
}

// handlers are the actions of named queries.
func (n *namedQueries) handlers() []shell.Handler {
	none := ""
	if len(n.bar.Queries) == 0 {
		none = "no named queries"
	}
	return []shell.Handler{
		shell.NewHandler(shell.Queries, none, func() tea.Cmd { return n.list.sh.Do(n.menu()) }),
		shell.NewHandler(shell.SaveQuery, n.whyNotSaved(), func() tea.Cmd {
			return n.list.sh.Do(shell.AskSaveQuery{Query: n.shown(), All: n.bar.Queries})
		}),
	}
}

// whyNotSaved says why there is nothing to save, "" where there is.
func (n *namedQueries) whyNotSaved() string {
	shown := n.shown()
	if n.list.env.Outside.EditQuery == nil {
		return "queries cannot be saved here"
	} else if n.active == "" && shown.Text == "" && shown.Scope == model.ScopeConversations && shown.Order == nil {
		return "nothing to save; type a query first"
	}
	return ""
}

func (n *namedQueries) menu() shell.OpenMenu {
	m := shell.OpenMenu{Title: "Named queries", Toggle: shell.Queries}
	for i, q := range n.bar.Queries {
		e := shell.Entry{Label: "@" + q.Name, Note: kit.CleanLine(q.Text), Do: func() tea.Cmd { return n.open(i) }}
		if i < 9 {
			e.Letter = strconv.Itoa(i + 1)
		}
		m.Entries = append(m.Entries, e)
	}
	return m
}

// shown returns what the list shows as a query to save: the sources and the folder as
// filters, and the text of the named query in force in its place.
func (n *namedQueries) shown() query.Named {
	l := n.list
	text := strings.TrimSpace(l.prompt.SearchText())
	q := query.ParseNamed(text, false, n.bar.Queries)
	if q.Named != nil {
		text = q.String()
	}
	typed := func(f query.Field) bool {
		return slices.ContainsFunc(q.Filters, func(t query.Filter) bool { return t.Field == f })
	}
	add := func(f query.Field, value string) { text += " " + query.Filter{Field: f, Value: value}.String() }
	if !typed(query.FieldSource) {
		for _, s := range l.filters.sources {
			add(query.FieldSource, s)
		}
	}
	if l.filters.folder != "" && !typed(query.FieldCWD) {
		add(query.FieldCWD, l.filters.folder)
	}
	shown := query.Named{Name: n.active, Text: strings.TrimSpace(text), Scope: l.filters.scope}
	by, usual := l.filters.sort, query.ByActivity
	if !q.FiltersOnly() {
		by, usual = l.filters.order, query.ByRelevance
	}
	if by != usual {
		shown.Order = &by
	}
	return shown
}

// edited takes the queries after a change in the settings, and shows the one that was
// saved.
func (n *namedQueries) edited(msg shell.QueriesEdited) tea.Cmd {
	s := n.list
	if msg.Err != nil {
		s.sh.Fail(msg.Err)
		return nil
	}
	n.bar.Set(msg.All)
	s.prompt.Name(msg.All)
	if n.borrows() {
		s.filters = n.before
		n.active, n.lent = "", ""
	}
	s.relayout()
	if msg.New == nil {
		return tea.Batch(s.retype(""), s.sh.Say("removed @"+msg.Was))
	}
	i := slices.IndexFunc(msg.All, func(q query.Named) bool { return q.Name == msg.New.Name })
	said := "saved as @" + msg.New.Name
	if i < 9 {
		said += ", " + s.env.Keys.Find(shell.InList, shell.Queries).KeyAt(i)
	}
	if s.env.Outside.QueriesEnd {
		said += ", until you quit"
	}
	return tea.Batch(n.open(i), s.sh.Say(said))
}

// commands are the named queries in the palette.
func (n *namedQueries) commands() (all []shell.Command) {
	for i, q := range n.bar.Queries {
		all = append(all, shell.Command{Words: "query " + q.Name, Help: kit.CleanLine(q.Text), On: n.active == q.Name, Do: func() tea.Cmd { return n.open(i) }})
	}
	return all
}

// count counts what the queries find while nothing is being read for the list.
func (n *namedQueries) count() tea.Cmd {
	if s := n.list; !s.results.ready || !s.fetch.settled() || s.results.found.uncounted {
		return nil
	}
	return n.bar.Count(n.list.watch.version)
}
