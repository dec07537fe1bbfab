package db

import (
	"context"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// triggerEffect is something that a trigger may do.
type triggerEffect struct {
	trigger       string
	action        sqlite.AuthorizerActionCode // authSkips for RAISE(IGNORE)
	table, column string
}

// authSkips stands for RAISE(IGNORE), which an authorizer is not asked about.
const authSkips sqlite.AuthorizerActionCode = -1

// triggersThat returns the triggers of which one effect is as asked, in order. The answer is
// for people: what a trigger may do, it need not do.
func (d *DB) triggersThat(ctx context.Context, guilty func(triggerEffect) bool) (names []string, err error) {
	conn, err := d.Pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	add := func(e triggerEffect) {
		if e.trigger != "" && guilty(e) && !slices.Contains(names, e.trigger) {
			names = append(names, e.trigger)
		}
	}
	authorize := func(f sqlite.AuthorizerFn) error {
		return conn.Raw(func(driver any) error { return driver.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(f) })
	}
	last := "" // whose statements are being compiled
	if err := authorize(func(action sqlite.AuthorizerActionCode, first, second, _, within string) sqlite.AuthorizerReturnCode {
		switch {
		case strings.HasPrefix(d.Schema.Tables[within], "CREATE TRIGGER"):
			last = within
			add(triggerEffect{within, action, first, second})
		case action == sqlite.AuthRecursive: // within the query
			add(triggerEffect{last, action, first, second})
		}
		return sqlite.AuthorizerOK
	}); err != nil {
		return nil, err
	}
	defer authorize(nil) //nolint:errcheck // a broken connection is not used again
	for _, table := range []string{"sessions", "messages"} {
		var set []string
		for _, c := range d.Schema.ColumnOrder[table] {
			set = append(set, Quote(c)+" = "+Quote(c))
		}
		for _, change := range []string{`DELETE FROM main.` + table, `INSERT INTO main.` + table + ` DEFAULT VALUES`, `UPDATE main.` + table + ` SET ` + strings.Join(set, ", ")} {
			listed := ""
			last = ""
			// What cannot be prepared, for want of a tokenizer, has no names.
			_ = EachRow(ctx, conn, `EXPLAIN `+change, nil, func(r Row) {
				switch r.Text(1) {
				case "Init":
					listed = strings.TrimPrefix(r.Text(5), "-- TRIGGER ")
				case "Halt":
					if r.Int(2) == 0 && r.Int(3) == 4 { // OE_Ignore
						add(triggerEffect{listed, authSkips, table, ""})
					}
				}
			})
		}
	}
	slices.Sort(names)
	return names, nil
}
