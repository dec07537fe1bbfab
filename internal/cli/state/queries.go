package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// named returns the queries of a decoded table, in the order in which their keys are in the
// file.
func named(table map[string]any, order []toml.Key) ([]query.Named, error) {
	var all []query.Named
	for _, k := range order {
		if len(k) == 1 && k[0] == "queries" && table == nil {
			return nil, errors.New("queries must be a table of names and queries")
		}
		if len(k) != 2 || k[0] != "queries" {
			continue
		}
		n, err := namedQuery(k[1], table[k[1]])
		if err != nil {
			return nil, fmt.Errorf("queries.%s: %w", k[1], err)
		}
		all = append(all, n)
	}
	return all, nil
}

// namedQuery reads one: a text, or a table with the text, a scope and an order.
func namedQuery(name string, value any) (query.Named, error) {
	n := query.Named{Name: name}
	if why := query.WhyNoName(name); why != "" {
		return n, errors.New(why)
	}
	parts, ok := value.(map[string]any)
	if !ok {
		parts = map[string]any{"query": value}
	}
	for part, value := range parts {
		text, ok := value.(string)
		if !ok {
			return n, errors.New(`must be a query, or a table as in {query = "docker", scope = "archived", sort = "cost"}`)
		}
		switch part {
		case "query":
			n.Text = text
		case "scope":
			i := slices.IndexFunc(model.Scopes(), func(s model.Scope) bool { return s.String() == text })
			if i < 0 {
				return n, fmt.Errorf("there is no scope %q", text)
			}
			n.Scope = model.Scopes()[i]
		case "sort":
			by, ok := orderNamed(text)
			if !ok {
				return n, fmt.Errorf("there is no order %q", text)
			}
			n.Order = &by
		default:
			return n, noSetting(part, []string{"query", "scope", "sort"})
		}
	}
	return n, nil
}

// orderNamed returns the order of a name; ok is false where there is none.
func orderNamed(name string) (by query.Order, ok bool) {
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		if by.String() == name {
			return by, true
		}
	}
	return 0, false
}

// queryEntry writes a named query as a value of TOML.
func queryEntry(n query.Named) string {
	if n.Scope == model.ScopeConversations && n.Order == nil {
		return quoted(n.Text)
	}
	text := "{query = " + quoted(n.Text)
	if n.Scope != model.ScopeConversations {
		text += ", scope = " + quoted(n.Scope.String())
	}
	if n.Order != nil {
		text += ", sort = " + quoted(n.Order.String())
	}
	return text + "}"
}

// NamedQueries reads the named queries of a settings file, as [ReadSettings] finds it, for a command
// that was given a text with a word @name in it, and none for other texts.
func NamedQueries(text, file string, environ env.Vars) ([]query.Named, error) {
	if !strings.HasPrefix(text, "@") && !strings.Contains(text, " @") {
		return nil, nil
	}
	s, err := ReadSettings(file, environ)
	return s.Named, err
}

// EditQueries changes the named queries in the settings file that was read, or creates
// the file, and returns those that it has then. The query of the name was is replaced by n; a
// new one comes last where there is none of that name, and a nil n removes it. The
// rest of the file stays as it is.
func (s Settings) EditQueries(was string, n *query.Named, environ env.Vars) ([]query.Named, error) {
	file := s.File
	if file == "" {
		folder := environ.ConfigFolder()
		if folder == "" || s.none {
			return nil, &fault.Fault{Kind: "settings", Code: 1, Message: "there is no settings file to save the query in", Remedy: "start without --config=none"}
		}
		file = filepath.Join(folder, "config.toml")
	}
	if resolved, err := filepath.EvalSymlinks(file); err == nil {
		file = resolved // of a link, its target is written
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, s.Fault(err)
	}
	var before, after Settings
	if err := before.parse(string(text)); err != nil {
		return nil, s.Fault(err)
	}
	changed := editQueries(string(text), was, n)
	if err := after.parse(changed); err != nil || !madeOnly(before, after, was, n) {
		return nil, &fault.Fault{
			Kind: "settings", Code: 1, Err: err, Message: "settings " + file + ": the queries are written in a way that this program cannot change", Remedy: "edit the file by hand",
		}
	}
	if err := ReplaceFile(file, []byte(changed), true); err != nil {
		remedy := "check the permissions of the file and its folder"
		if n != nil {
			remedy = "add below [queries] by hand: " + n.Name + " = " + queryEntry(*n)
		}
		f := fault.Of(err)
		return nil, &fault.Fault{Kind: "settings", Code: 1, Err: err, Message: "the settings cannot be saved: " + f.Message, Remedy: cmp.Or(f.Remedy, remedy), Command: f.Command}
	}
	return after.Named, nil
}

// madeOnly reports whether an edit has made the change that was wanted, and no other.
func madeOnly(before, after Settings, was string, n *query.Named) bool {
	want := withEdit(before.Named, was, n)
	same := reflect.DeepEqual(want, after.Named) || len(want)+len(after.Named) == 0
	before.Named = nil
	after.Named = nil
	before.Queries = nil
	after.Queries = nil
	return same && reflect.DeepEqual(before, after)
}

// withEdit returns a copy of named queries with an edit.
func withEdit(all []query.Named, was string, n *query.Named) []query.Named {
	all = slices.Clone(all)
	i := slices.IndexFunc(all, func(q query.Named) bool { return q.Name == was })
	switch {
	case n == nil && i >= 0:
		return slices.Delete(all, i, i+1)
	case n != nil && i >= 0:
		all[i] = *n
	case n != nil:
		return append(all, *n)
	}
	return all
}

// editQueries makes the change in the text of a settings file.
func editQueries(text, was string, n *query.Named) string {
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	in, last := "", -1 // the table, and the end of what [queries] has
	for _, st := range statements(text) {
		switch {
		case st.header:
			if in = st.name; in == "queries" {
				last = st.end
			}
			continue
		case in == "" && strings.HasPrefix(st.name, "queries"):
			return text // another way to write the table
		case in != "queries":
			continue
		}
		last = st.end
		if st.name != was {
			continue
		}
		if n != nil {
			return text[:st.start] + keyOf(n.Name) + " = " + queryEntry(*n) + text[st.end:]
		}
		start, end := strings.LastIndexByte(text[:st.start], '\n')+1, lineEnd(text, st.end)
		return text[:start] + text[min(end+1, len(text)):]
	}
	switch {
	case n == nil:
		return text
	case last < 0:
		if text != "" {
			text = strings.TrimRight(text, "\r\n") + newline + newline
		}
		return text + "[queries]" + newline + keyOf(n.Name) + " = " + queryEntry(*n) + newline
	}
	last = lineEnd(text, last) // behind a comment
	if strings.HasSuffix(text[:last], "\r") {
		last--
	}
	return text[:last] + newline + keyOf(n.Name) + " = " + queryEntry(*n) + text[last:]
}

// keyOf writes a name as a key: one with letters beyond ASCII in quotes.
func keyOf(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r > 0x7f }) >= 0 {
		return quoted(name)
	}
	return name
}
