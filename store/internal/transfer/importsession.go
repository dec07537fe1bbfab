package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// waitingChildren returns the children of earlier transactions that wait for the
// session of a line: pairs of parent and child.
func (im *importer) waitingChildren(l *importLine) (all [][2]string) {
	id := db.AsText(l.session.Get("id"))
	for _, child := range im.childrenByParent[id] {
		all = append(all, [2]string{id, child})
	}
	return all
}

// importSession imports one line. wait names the parent if that does not exist yet.
// waiting are pairs of a parent and a child that waits for it, imported the
// sessions that this transaction has imported so far.
func (im *importer) importSession(ctx context.Context, tx *insertTx, l *importLine, did *model.ImportReport, waiting [][2]string, imported []string) (wait string, err error) {
	t, id := tx.Tx, db.AsText(l.session.Get("id"))
	parent := db.AsText(l.session.Get("parent_session_id"))
	_, there, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	if err != nil {
		return "", err
	}
	if there {
		did.Skipped++
		if parent == "" {
			return "", nil
		}
		// An earlier import may have been interrupted before it came to the parent.
		_, single, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NULL`, id)
		if err != nil || !single {
			return "", err
		}
		if im.importedIDs[parent] || slices.Contains(imported, parent) {
			return "", setParentOf(ctx, t, parent, id)
		}
		return parent, nil
	}
	if parent != "" && parent != id {
		if _, there, err = t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, parent); err != nil {
			return "", err
		}
		if !there {
			wait = parent
			l = &importLine{
				number: l.number, text: l.text, ids: l.ids, messages: l.messages, smallMessages: l.smallMessages,
				session: setField(slices.Clone(l.session), "parent_session_id", nil),
			}
		}
	}
	if err := im.insertSession(ctx, tx, l, did); err != nil {
		return "", err
	}
	did.Sessions++
	for _, w := range waiting {
		if w[0] == id {
			if err := setParentOf(ctx, t, id, w[1]); err != nil {
				return "", err
			}
		}
	}
	return wait, im.insertMessages(ctx, tx, l, did)
}

func setParentOf(ctx context.Context, t *db.Tx, parent, child string) error {
	_, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL`, parent, child)
	return err
}

// computedColumns are the names that lists and exports add to a session's columns.
var computedColumns = [...]string{"messages", "last_active", "preview", "_lineage_root_id", "root_id", "segments", "delegates", "branches"}

func (im *importer) insertSession(ctx context.Context, tx *insertTx, l *importLine, did *model.ImportReport) error {
	tg, err := tx.target(ctx, "sessions")
	if err != nil {
		return err
	}
	columns := pyjson.Object{}
	for _, f := range l.session {
		if !tg.columns[f.Name] {
			if !slices.Contains(computedColumns[:], f.Name) {
				did.AddUnknown("sessions." + f.Name)
			}
			continue
		}
		v, err := asStorable(f.Value)
		if err != nil {
			return newLineError("column %s: %w", f.Name, err)
		}
		if v != nil || !tg.required[f.Name] {
			columns = append(columns, pyjson.Field{Name: f.Name, Value: v})
		}
	}
	if columns, err = splitSystemPrompt(ctx, tx.Tx, columns); err != nil {
		return err
	}
	err = tx.insert(ctx, "sessions", columns)
	if db.ExtendedCode(err) != sqliteConstraintUnique {
		return err
	}
	title := columns.Get("title")
	owner, taken, err2 := tx.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
	if err2 != nil || !taken {
		return errors.Join(err, err2)
	}
	if !im.options.DropTitles {
		return lineError{im.transfer.db.TitleTakenError(db.AsText(title), db.AsText(owner))}
	}
	did.Untitled++
	return tx.insert(ctx, "sessions", setField(columns, "title", nil))
}

// splitSystemPrompt moves a system prompt to where newer files keep it
// (store/README.md#system-prompts).
func splitSystemPrompt(ctx context.Context, t *db.Tx, columns pyjson.Object) (pyjson.Object, error) {
	if !t.Schema.Has("system_prompts", "hash") || !t.Schema.Has("sessions", "system_prompt_hash") {
		return columns, nil
	}
	if prompt, ok := columns.Get("system_prompt").(string); ok && prompt != "" {
		sum := sha256.Sum256([]byte(prompt))
		hash := hex.EncodeToString(sum[:])
		if _, err := t.Exec(ctx, `INSERT INTO system_prompts (hash, prompt) SELECT ?1, ?2
			WHERE NOT EXISTS (SELECT 1 FROM system_prompts WHERE hash = ?1)`, hash, prompt); err != nil {
			return nil, err
		}
		return setField(setField(columns, "system_prompt", nil), "system_prompt_hash", hash), nil
	}
	if hash := columns.Get("system_prompt_hash"); hash != nil {
		_, there, err := t.One(ctx, `SELECT 1 FROM system_prompts WHERE hash = ?`, hash)
		if err != nil {
			return nil, err
		}
		if !there {
			columns = setField(columns, "system_prompt_hash", nil)
		}
	}
	return columns, nil
}

// insertMessages inserts the messages of a session. They keep their numbers unless
// one of these is taken.
func (im *importer) insertMessages(ctx context.Context, tx *insertTx, l *importLine, did *model.ImportReport) error {
	if l.messages == 0 {
		return nil
	}
	if err := im.transfer.db.CheckIndexWritable(tx.Tx); err != nil {
		return err
	}
	tg, err := tx.target(ctx, "messages")
	if err != nil {
		return err
	}
	keep := l.ids != nil
	if keep {
		err := db.InChunks(l.ids, func(where string, args []any) error {
			_, taken, err := tx.One(ctx, `SELECT 1 FROM messages WHERE id `+where+` LIMIT 1`, args...)
			keep = keep && !taken
			return err
		})
		if err != nil {
			return err
		}
	}
	id := db.AsText(l.session.Get("id"))
	var waiting rowBatch
	err = l.each(func(m pyjson.Object) error {
		row := pyjson.Object{{Name: "session_id", Value: id}}
		for _, f := range m {
			switch {
			case f.Name == "session_id":
				if of, ok := f.Value.(string); ok && of != id {
					return newLineError("a message of the session %s", of)
				}
				continue
			case f.Name == "id" && !keep, db.IsDisplaySlot(f.Name):
				continue
			case !tg.columns[f.Name]:
				did.AddUnknown("messages." + f.Name)
				continue
			}
			v, err := columnValue(f.Name, f.Value)
			if err != nil {
				return newLineError("column %s of a message: %w", f.Name, err)
			}
			if v != nil || !tg.required[f.Name] {
				row = append(row, pyjson.Field{Name: f.Name, Value: v})
			}
		}
		if !waiting.hasRoom(row) {
			if err := tx.insert(ctx, "messages", waiting.drain()...); err != nil {
				return err
			}
		}
		waiting.add(row)
		return nil
	})
	if err == nil {
		err = tx.insert(ctx, "messages", waiting.drain()...)
	}
	if err != nil {
		return err
	}
	did.Messages += l.messages
	if !keep {
		did.Renumbered += l.messages
	}
	return nil
}

// setField sets a field; a repeated one keeps its place, as in Python.
func setField(o pyjson.Object, name string, v any) pyjson.Object {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = v
			return o
		}
	}
	return append(o, pyjson.Field{Name: name, Value: v})
}

// columnValue turns the decoded value of a message's column into what Hermes
// stores there (store/README.md#message-content).
func columnValue(column string, v any) (any, error) {
	switch column {
	case "content":
		switch v.(type) {
		case pyjson.Object, []any:
			if stored, err := readStoredValue(v); err == nil {
				return stored, nil // bytes that JSON cannot say
			}
			return "\x00json:" + string(pyjson.AppendASCII(nil, v)), nil
		}
	case "tool_calls":
		if v != nil {
			return string(pyjson.AppendASCII(nil, v)), nil
		}
	case "display_metadata": // a string was stored so by an earlier release
		if o, ok := v.(pyjson.Object); ok {
			return string(pyjson.AppendASCII(nil, o)), nil
		}
	}
	return asStorable(v)
}

// asStorable turns a JSON value into one to bind; lists and objects are stored
// as JSON.
func asStorable(v any) (any, error) {
	if stored, err := readStoredValue(v); err == nil {
		return stored, nil
	}
	switch v.(type) {
	case pyjson.Object, []any:
		return string(pyjson.AppendASCII(nil, v)), nil
	}
	return readStoredValue(v)
}
