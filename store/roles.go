package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// casting remembers in which role messages are said, as far as a search has
// asked. It never changes of one that is there.
type casting struct {
	mu    sync.Mutex
	known ftsindex.Set
	of    map[string]*ftsindex.Set
}

// maxRoles bounds the memory of a file with odd roles.
const maxRoles = 32

// usual are the roles that are read by the stretch.
var usual = [...]string{"user", "assistant", "tool", "system"}

// inRoles gives those of some messages that are said in a role which is asked
// for.
func (f *finder) inRoles(ctx context.Context, ids *ftsindex.Set, asked func(role string) bool) (*ftsindex.Set, error) {
	f.by("filters on messages by reading who said what is found")
	c := &f.s.casting
	found := &ftsindex.Set{}
	gather := func(of map[string]*ftsindex.Set) {
		for role, said := range of {
			if asked(role) {
				found.Union(ftsindex.Both(ids, said))
			}
		}
	}
	c.mu.Lock()
	unread := ftsindex.Without(ids, &c.known)
	gather(c.of)
	c.mu.Unlock()
	if unread.Empty() {
		return found, nil
	}
	read, err := f.readRoles(ctx, unread)
	if err != nil {
		return nil, err
	}
	gather(read)
	c.add(read)
	return found, nil
}

// readRoles reads them of some messages, and of others beside them.
func (f *finder) readRoles(ctx context.Context, ids *ftsindex.Set) (map[string]*ftsindex.Set, error) {
	read := map[string]*ftsindex.Set{}
	add := func(role string, id int64) {
		if read[role] == nil {
			read[role] = &ftsindex.Set{}
		}
		read[role].Add(id)
	}
	rest := ids
	if dense(ids) {
		rest = &ftsindex.Set{}
		to, ok := ids.Before(ftsindex.MaxRow + 1)
		for ; ok; to, ok = ids.Before(to - hearAtOnce + 1) {
			var lists [len(usual) + 1]any
			err := f.each(ctx, `SELECT group_concat(CASE role WHEN 'user' THEN id END), group_concat(CASE role WHEN 'assistant' THEN id END),
				group_concat(CASE role WHEN 'tool' THEN id END), group_concat(CASE role WHEN 'system' THEN id END),
				group_concat(CASE WHEN role IN ('user', 'assistant', 'tool', 'system') THEN NULL ELSE id END)
				FROM messages WHERE id > ? AND id <= ?`, []any{to - hearAtOnce, to}, func(scan func(...any) error) error {
				return scan(&lists[0], &lists[1], &lists[2], &lists[3], &lists[4])
			})
			if err != nil {
				return nil, err
			}
			for i, l := range lists {
				for id := range idsIn([]byte(text(l))) {
					if i < len(usual) {
						add(usual[i], id)
					} else {
						rest.Add(id)
					}
				}
			}
		}
	}
	if !rest.Empty() {
		err := f.each(ctx, `SELECT m.id, m.role FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(rest.All())},
			func(scan func(...any) error) error {
				var id int64
				var role any
				err := scan(&id, &role)
				add(text(role), id)
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return read, nil
}

// add takes in what was read.
func (c *casting) add(read map[string]*ftsindex.Set) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) > maxRoles {
		c.known, c.of = ftsindex.Set{}, map[string]*ftsindex.Set{}
	}
	for role, said := range read {
		if c.of[role] == nil {
			c.of[role] = &ftsindex.Set{}
		}
		c.of[role].Union(said)
		c.known.Union(said)
	}
}

// forget drops what is known of other messages than these.
func (c *casting) forget(o *owners) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Intersect(o.all())
	for _, said := range c.of {
		said.Intersect(o.all())
	}
}

// only leaves of messages those that the query's filters ask for.
func (f *finder) only(ctx context.Context, ids *ftsindex.Set) (*ftsindex.Set, error) {
	var role, tool []model.Filter
	for _, filter := range f.query.Filters {
		switch filter.Field {
		case model.FilterRole:
			role = append(role, filter)
		case model.FilterTool:
			tool = append(tool, filter)
		}
	}
	var err error
	if len(role) > 0 && !ids.Empty() {
		if ids, err = f.inRoles(ctx, ids, func(name string) bool { return model.Only(role, name, nil) }); err != nil {
			return nil, err
		}
	}
	if len(tool) == 0 || ids.Empty() {
		return ids, nil
	}
	naming, err := f.naming(ctx, tool, ids)
	if err != nil {
		return nil, err
	}
	kept := &ftsindex.Set{}
	if !slices.ContainsFunc(tool, func(filter model.Filter) bool { return !filter.Not }) {
		kept = ftsindex.Without(ids, naming)
	}
	if naming.Len() > f.some {
		if err := f.named(ctx, tool, naming, kept); err != nil {
			return nil, err
		}
	}
	if naming.Empty() {
		return kept, nil
	}
	f.by("filters on messages by reading who said what is found")
	err = f.each(ctx, `SELECT m.id, `+f.name+`, `+f.calls+` FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(naming.All())},
		func(scan func(...any) error) error {
			var id int64
			var name, calls any
			err := scan(&id, &name, &calls)
			if model.Only(tool, "", toolNames(name, calls)) {
				kept.Add(id)
			}
			return err
		})
	return kept, err
}

// named takes messages out of naming of which it is remembered by which tool they
// are, and that they call none, and puts those into kept that filters ask for.
func (f *finder) named(ctx context.Context, tools []model.Filter, naming, kept *ftsindex.Set) error {
	if f.words.table == "" {
		return nil
	}
	if err := f.surveyGrams(ctx); err != nil {
		return err
	}
	if _, sized := f.s.schema.tables[f.grams.table+"_docsize"]; !sized {
		return nil
	}
	w, err := f.writing(ctx, naming)
	if err != nil {
		return ctx.Err() // they are read
	}
	told := &w.known
	told.Subtract(&w.calls)
	told.Subtract(&w.odd)
	naming.Subtract(told)
	for name, ids := range w.names {
		if ids.Intersect(told); model.Only(tools, "", toolNames(name, nil)) {
			kept.Union(ids)
		}
		told.Subtract(ids)
	}
	if model.Only(tools, "", nil) {
		kept.Union(told)
	}
	return nil
}

// naming gives those of some messages that may name a tool which filters are
// about: a message holds the tools that it names as words, and signs as they
// stand.
func (f *finder) naming(ctx context.Context, tools []model.Filter, ids *ftsindex.Set) (*ftsindex.Set, error) {
	var words, signs []question
	for _, filter := range tools {
		t := model.Term{Text: filter.Value, Prefix: filter.Prefix}
		if t.Words() != nil {
			words = append(words, spoken(t))
			continue
		}
		named, ok := namedBySigns(filter)
		if !ok {
			return ids, nil
		}
		signs = append(signs, named...)
	}
	if f.words.table == "" || f.words.outside != "" {
		return ids, nil
	}
	found := &ftsindex.Set{}
	if len(words) > 0 {
		var err error
		found, err = f.match(ctx, &f.words, anyOf(words...))
		if _, ok := errors.AsType[*indexError](err); ok && ctx.Err() == nil {
			return ids, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if len(signs) > 0 {
		if err := f.surveyGrams(ctx); err != nil {
			return nil, err
		}
		named, ok, err := f.trigrams(ctx, anyOf(signs...))
		if err != nil {
			return nil, err
		}
		if !ok {
			return ids, nil
		}
		coded, err := f.coded(ctx)
		if _, ok := errors.AsType[*indexError](err); ok && ctx.Err() == nil {
			return ids, nil
		}
		if err != nil {
			return nil, err
		}
		found.Union(named)
		found.Union(coded)
	}
	found.Intersect(ids)
	return found, nil
}

// namedBySigns asks the index of trigrams for what may name a tool without any
// word in its name: it stands behind what is said, or in quotes in JSON, which
// may spell any character of it with a backslash. The JSON may be a text
// itself. ok is false for names that may be stored in other ways too.
func namedBySigns(filter model.Filter) (of []question, ok bool) {
	value := filter.Value
	if !asTyped(value) || strings.ContainsAny(value, "\"\ufffd") {
		return nil, false
	}
	ends := func(three []byte) bool {
		last := three[len(three)-1]
		return filter.Prefix || last == ' ' || last == '"' || last == '\\'
	}
	of = []question{inside(" "+value, ends), inside(`"`+value, ends)}
	for i := range value {
		of = append(of, inside(`"`+value[:i]+`\`, func(three []byte) bool {
			last := three[len(three)-1]
			return last == 'u' || last == '/' || last == '\\'
		}))
	}
	return of, true
}
