package db

import (
	"context"
	"database/sql"
	"errors"
	"hermes-sessions/model"
	"slices"
	"strings"
	"time"
)

// How long a trial and one of its statements may take, and how much it copies.
const (
	trialTime     = 5 * time.Second
	trialStall    = time.Second
	trialMessages = 60
)

// TryChanges adds sessions of the file to an empty copy of its schema in memory, changes and
// deletes them there, and returns what would be refused. Nothing is written to the file. A
// trigger that asks for certain rows may do so of others.
func (d *DB) TryChanges(ctx context.Context) (refused []*model.Error, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	memory, err := sql.Open("sqlite", "file::memory:?_pragma=foreign_keys(1)")
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	memory.SetMaxOpenConns(1)
	trial := New(d.Path)
	trial.Clock = d.Clock
	trial.Schema = d.Schema
	trial.Pool = d.Pool // which names the triggers
	trial.Writer.Pool, trial.Writer.MaxStall = memory, trialStall
	if err := d.copySchema(ctx, memory); err != nil {
		return nil, err
	}
	rows := map[string][][]any{} // of sessions, then of messages, by session
	var ids []string
	for _, table := range []string{"sessions", "messages"} {
		column := "id"
		if table == "messages" {
			column = "session_id"
		}
		at := slices.Index(d.Schema.ColumnOrder[table], column)
		if err := EachRow(ctx, d.Pool, `SELECT `+rawColumns(d.Schema, table)+` FROM main.`+table+` WHERE `+column+` IN
			(SELECT session_id FROM main.messages ORDER BY `+d.Schema.RowKey("messages")+` DESC LIMIT ?1) LIMIT ?1`, []any{trialMessages}, func(r Row) {
			id := r.Text(at)
			if table == "sessions" {
				ids = append(ids, id)
			}
			rows[id] = append(rows[id], slices.Clone(r))
		}); err != nil {
			return nil, err
		}
	}
	try := func(checked bool, f func(*Tx) error) {
		err := trial.Writer.Run(ctx, trial.Clock, checked, func(t *Tx) error { return t.watched(ctx, trial, f) })
		e, ok := errors.AsType[*model.Error](trial.WriteError("try a change of", err))
		if ok && e.Kind == model.KindRefused && !slices.ContainsFunc(refused, func(known *model.Error) bool { return known.Message == e.Message }) {
			refused = append(refused, e)
		}
	}
	for _, id := range ids {
		try(false, func(t *Tx) error { // a parent may not be there
			for i, row := range rows[id] {
				table := "messages"
				if i == 0 {
					table = "sessions"
				}
				var columns []string
				for _, c := range d.Schema.ColumnOrder[table] {
					columns = append(columns, Quote(c))
				}
				if _, err := t.Insert(ctx, 1, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES (`+Placeholders(len(row))+`)`, row...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, id := range ids {
		for c, value := range map[string]string{"title": "id || '*'", "archived": "1 - archived", "pinned": "1 - pinned"} {
			if d.Schema.Has("sessions", c) {
				try(true, func(t *Tx) error {
					_, err := t.Exec(ctx, `UPDATE sessions SET `+c+` = `+value+` WHERE id = ?`, id)
					return err
				})
			}
		}
		try(true, func(t *Tx) error {
			if err := t.Delete(ctx, `messages`, `session_id = ?`, id); err != nil {
				return err
			}
			return t.Delete(ctx, `sessions`, `id = ?`, id)
		})
	}
	return refused, nil
}

// copySchema makes the tables, views and triggers of a file in an empty database. What cannot
// be made, for want of a tokenizer, is left out: it cannot be tried.
func (d *DB) copySchema(ctx context.Context, to *sql.DB) error {
	return EachRow(ctx, d.Pool, `SELECT name, sql FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', rowid`, nil, func(r Row) {
		if !d.Schema.isShadow(r.Text(0)) {
			_, _ = to.ExecContext(ctx, r.Text(1))
		}
	})
}
