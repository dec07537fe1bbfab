package edits

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// changedBesides returns what triggers have changed so far, without these columns of these
// sessions.
func changedBesides(ctx context.Context, t *db.Tx, ids, columns []string) (all []model.CellChange, err error) {
	effects, err := t.SideEffects(ctx)
	for _, e := range effects {
		c := model.CellChange{Session: e.Session, Column: e.Column, Before: e.Before, After: e.After}
		if e.Table == "messages" {
			c.Message = e.ID
		} else if slices.Contains(ids, e.Session) && slices.Contains(columns, e.Column) {
			continue
		}
		all = append(all, c)
	}
	return all, err
}

// undoBesides runs an undo, and takes back what triggers have changed in the edit and change
// again in the undo. What has changed since the edit stays: it follows from other columns.
func undoBesides(ctx context.Context, t *db.Tx, changes []model.CellChange, undo func() error) error {
	at := func(c model.CellChange) (table string, id any) {
		if c.Message != nil {
			return "messages", c.Message
		}
		return "sessions", c.Session
	}
	var back []model.CellChange
	for _, c := range changes {
		table, id := at(c)
		if !db.MayDiffer(table, c.Column) || !t.Schema.Has(table, c.Column) {
			continue
		}
		_, same, err := t.One(ctx, `SELECT 1 FROM `+table+` WHERE id = ? AND `+db.Quote(c.Column)+` IS ?`, id, c.After)
		if err != nil {
			return err
		}
		if same {
			back = append(back, c)
		}
	}
	if err := undo(); err != nil {
		return err
	}
	if err := t.RevertSideEffects(ctx); err != nil {
		return err
	}
	for _, c := range back {
		table, id := at(c)
		if _, err := t.Exec(ctx, `UPDATE `+table+` SET `+db.Quote(c.Column)+` = ? WHERE id = ?`, c.Before, id); err != nil {
			return err
		}
	}
	return nil
}
