package db

import ()

// ToolCallsExpr is the condition for a session to have made no call of a model.
func (t *Tx) ToolCallsExpr() string {
	if !t.Schema.Has("sessions", "api_call_count") {
		return "1"
	}
	return "coalesce(api_call_count, 0) = 0"
}

// CheckpointAll closes the writing connection until the next change.
func (w *writer) CheckpointAll() error {
	err := w.Close()
	w.opening.Lock()
	defer w.opening.Unlock()
	w.Db, w.schema, w.writes = nil, Schema{}, 0
	return err
}
