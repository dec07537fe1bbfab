package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// history generates a year of sessions into a database: they start, run at the same
// time, are compressed, forked and abandoned.
type history struct {
	*writer
	insert, finish, message *sql.Stmt

	schema    int     // of the database, 0 for 11
	prompt    string  // what all system prompts begin with
	now       float64 // seconds since the epoch
	step      float64 // mean seconds between two messages
	plan      []plan  // of the sessions that are still to come
	started   int
	live      []*session
	titles    map[string]bool
	next      int  // the coming message, counted from 0; it also picks who speaks Chinese
	replaying bool // nothing is written: it was before
	han       int  // messages of sessions in Chinese so far
}

// plan is the length and name of a session that has not started.
type plan struct {
	messages int
	name     string // of a session that benchmarks look for
}

// session is one that is running.
type session struct {
	id, source     string
	han            bool
	left, messages int
	calls          int // tool calls so far
	last           float64
	ended          bool

	turn struct {
		asked   bool   // the user has spoken
		calls   int    // still to be made before the answer
		pending string // call that waits for its result
		tool    string
	}
}

const (
	yearEnd = 1_767_225_600 // 2026-01-01, when the last message is written, about
	year    = 365 * 86_400
)

func newHistory(ctx context.Context, db *sql.DB, c Config) (*history, error) {
	h := &history{
		writer: newWriter(c),
		schema: c.Schema,
		now:    yearEnd - year,
		step:   year / float64(max(1, c.Messages)),
		titles: map[string]bool{},
	}
	h.prompt = h.take(func() { h.prose(6_000/c.Shorter, false, "\n") })
	h.plan = h.lengths(c)
	var errs [3]error
	h.insert, errs[0] = db.PrepareContext(ctx, `INSERT INTO sessions
		(id, source, model, model_config, system_prompt, parent_session_id, started_at, title, billing_provider, cost_status)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'estimated')`)
	h.finish, errs[1] = db.PrepareContext(ctx, `UPDATE sessions SET ended_at = ?, end_reason = ?, message_count = ?, tool_call_count = ?,
		input_tokens = ?, output_tokens = ?, cache_read_tokens = ?, api_call_count = ?, estimated_cost_usd = ? WHERE id = ?`)
	h.message, errs[2] = db.PrepareContext(ctx, `INSERT INTO messages
		(session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason, reasoning, reasoning_details)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *history) close() error {
	var errs []error
	for _, stmt := range []*sql.Stmt{h.insert, h.finish, h.message} {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	return errors.Join(errs...)
}

// lengths plans the sessions: half of them have a dozen messages or fewer, a few have
// thousands, one in a hundred has none. The sum is Config.Messages.
func (h *history) lengths(c Config) []plan {
	named := []plan{{c.Longest, "longest"}}
	if c.Messages >= 5_000 {
		named = append(named, plan{1_000, "thousand"})
	}
	left := c.Messages
	for _, p := range named {
		left -= p.messages
	}
	var plans []plan
	for left > 0 {
		n := 0
		if h.rand.IntN(100) > 0 {
			n = min(left, max(1, h.length(13, 1.3, float64(max(30, c.Longest/7)))))
		}
		plans = append(plans, plan{messages: n})
		left -= n
	}
	// The named ones begin in the middle of the year and end before the tail.
	for _, p := range named {
		at := len(plans)/4 + h.rand.IntN(1+len(plans)/4)
		plans = append(plans[:at], append([]plan{p}, plans[at:]...)...)
	}
	return plans
}

// advance writes n more messages.
func (h *history) advance(ctx context.Context, n int) error {
	for end := h.next + n; h.next < end; {
		h.now += h.rand.ExpFloat64() * h.step
		for len(h.live) < 3 && len(h.plan) > 0 {
			if err := h.begin(ctx, nil); err != nil {
				return err
			}
		}
		at := len(h.live) - 1
		if h.rand.IntN(10) == 0 {
			at = h.rand.IntN(len(h.live))
		}
		s := h.live[at]
		if s.left > 0 {
			if err := h.writeMessage(ctx, s); err != nil {
				return err
			}
			// A long session starts a subagent from time to time.
			if s.left > 20 && h.rand.IntN(300) == 0 && h.nextUnnamed() {
				if err := h.begin(ctx, s); err != nil {
					return err
				}
			}
			continue
		}
		h.live = append(h.live[:at], h.live[at+1:]...)
		reason := any("user_exit")
		k := h.rand.IntN(100)
		switch {
		case k < 10 && h.nextUnnamed():
			reason = "compression"
		case k < 12 && h.nextUnnamed():
			reason = "branched"
		case k >= 80:
			reason = nil // left open
		}
		if err := h.end(ctx, s, reason); err != nil {
			return err
		}
		if reason == "compression" || reason == "branched" {
			if err := h.begin(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// replay generates the first n messages without writing them: they are in the
// database already.
func (h *history) replay(ctx context.Context, n int) error {
	h.replaying = true
	defer func() { h.replaying = false }()
	return h.advance(ctx, n)
}

// write runs a prepared statement.
func (h *history) write(ctx context.Context, stmt *sql.Stmt, args ...any) error {
	if h.replaying {
		return ctx.Err()
	}
	_, err := stmt.ExecContext(ctx, args...)
	return err
}

// nextUnnamed reports whether the next session to come may be part of another.
func (h *history) nextUnnamed() bool { return len(h.plan) > 0 && h.plan[0].name == "" }

// endAll writes the sums of the sessions that are still running.
func (h *history) endAll(ctx context.Context) error {
	for len(h.plan) > 0 { // empty ones may remain
		if err := h.begin(ctx, nil); err != nil {
			return err
		}
	}
	for _, s := range h.live {
		if err := h.end(ctx, s, nil); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) begin(ctx context.Context, parent *session) error {
	p := h.plan[0]
	h.plan = h.plan[1:]
	h.started++
	h.now++
	s := &session{left: p.messages, last: h.now}
	s.source = h.pick("cli", "cli", "cli", "tui", "telegram", "discord", "cron", "whatsapp")
	s.han = p.name == "" && h.han*100 < h.next*8 && h.rand.IntN(2) == 0
	var parentID, title any
	if parent != nil {
		parentID = parent.id
		s.source = parent.source
		s.han = parent.han
	}
	s.id = h.take(func() {
		h.buf = time.Unix(int64(h.now), 0).UTC().AppendFormat(h.buf, "20060102_150405_")
		h.hex(6)
	})
	switch {
	case p.name != "":
		s.id, title = p.name, p.name
	case h.rand.IntN(10) < 7:
		t := strings.Trim(h.take(func() { h.prose(18+h.rand.IntN(25), s.han, " ") }), " ,，.")
		if h.titles[t] {
			t = fmt.Sprintf("%s #%d", t, h.started)
		}
		h.titles[t] = true
		title = t
	}
	if parent != nil && !parent.ended {
		title = nil // subagents have no title
	}
	config := `{"temperature": 0.7, "max_tokens": 8192, "reasoning": {"effort": "medium"}`
	if parent != nil && !parent.ended && h.schema != 0 { // later schemas tell subagents by it
		config += `, "_delegate_from": "` + parent.id + `"`
	}
	prompt := h.prompt + h.take(func() { h.prose(2_000/h.shorter, false, "\n") })
	err := h.write(ctx, h.insert, s.id, s.source,
		h.pick("nousresearch/hermes-4-405b", "nousresearch/hermes-4-70b", "local/atlas-32b", "local/atlas-8b"),
		config+"}", prompt, parentID, h.now, title, "openrouter")
	h.live = append(h.live, s)
	return err
}

func (h *history) end(ctx context.Context, s *session, reason any) error {
	var at any
	if reason != nil {
		at, s.ended = s.last+0.001, true
	}
	return h.write(ctx, h.finish, at, reason, s.messages, s.calls,
		s.messages*900, s.messages*150, s.messages*4_000, s.messages/2, float64(s.messages)*0.003, s.id)
}

// writeMessage writes the next message of s: a question, tool calls with their results
// in turn, the answer.
func (h *history) writeMessage(ctx context.Context, s *session) error {
	var role, content string
	var callID, calls, tool, finish, reasoning, details any
	switch {
	case !s.turn.asked:
		role = "user"
		content = h.take(func() { h.prose(h.size(90, 1.0, 6_000), s.han, "\n") })
		s.turn.asked = true
		for s.turn.calls = 0; s.turn.calls < 20 && h.rand.IntN(5) > 0; s.turn.calls++ {
		}
	case s.turn.pending != "":
		role = "tool"
		callID = s.turn.pending
		tool = s.turn.tool
		content = h.take(func() { h.output(max(40, h.size(1_500, 1.2, 50_000)), s.han && h.rand.IntN(2) == 0) })
		s.turn.pending = ""
	case s.turn.calls > 0:
		role, finish = "assistant", "tool_calls"
		s.turn.calls--
		s.turn.pending = h.take(func() { h.raw("call_"); h.hex(12) })
		s.turn.tool = h.pick("terminal", "read_file", "write_file", "patch", "search_files", "web_search", "web_extract", "execute_code", "memory", "delegate_task")
		s.calls++
		calls = h.take(func() {
			h.raw(`[{"id": "` + s.turn.pending + `", "type": "function", "function": {"name": "` + s.turn.tool + `", "arguments": "`)
			h.arguments(h.size(60, 1.1, 8_000), s.han && h.rand.IntN(3) == 0)
			h.raw(`"}}]`)
		})
		if h.rand.IntN(2) == 0 {
			content = h.take(func() { h.prose(h.size(60, 0.7, 600), s.han, "\n") })
		}
	default:
		role, finish = "assistant", "stop"
		content = h.take(func() { h.prose(h.size(350, 1.0, 12_000), s.han, "\n") })
		s.turn.asked = false
	}
	if role == "assistant" && h.rand.IntN(10) < 3 {
		reasoning = h.take(func() { h.prose(h.size(300, 0.8, 4_000), false, "\n") })
		if h.rand.IntN(3) == 0 {
			details = h.take(func() {
				h.raw(`[{"type": "reasoning.text", "text": "`)
				h.prose(200, false, " ")
				h.raw(`"}]`)
			})
		}
	}
	var stored any
	if content != "" {
		stored = content
	}
	if err := h.write(ctx, h.message, s.id, role, stored, callID, calls, tool, h.now, len(content)/4, finish, reasoning, details); err != nil {
		return err
	}
	s.messages++
	s.left--
	s.last = h.now
	h.next++
	if s.han {
		h.han++
	}
	return nil
}

func (h *history) pick(from ...string) string { return from[h.rand.IntN(len(from))] }
