package list

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/running"
	"hermes-sessions/ui/shell"
)

// runningRows knows what the running conversations on the list are doing. It reads their last
// messages when rows have come; the time since then goes on by the clock.
type runningRows struct {
	read   *kit.Latest[[]model.Conversation, []model.Running]
	byRoot map[string]model.Running // safe to draw
	now    time.Time                // that they are drawn at
}

// runningInterval is after how many seconds rows are read again while some run: the end of a
// process changes no file.
const runningInterval = 5 * time.Second

func newRunningRows(env *shell.Env) runningRows {
	reader, clock := &running.Reader{Source: env.Library}, env.Clock
	return runningRows{now: clock(), read: kit.NewLatest(env.Context, func(ctx context.Context, all []model.Conversation) ([]model.Running, error) {
		return reader.Describe(ctx, all, clock())
	})}
}

// ask reads what the rows do that run, nil where none does.
func (r *runningRows) ask(items []Item) tea.Cmd {
	var all []model.Conversation
	for i := range items {
		if items[i].State == model.StateRunning {
			all = append(all, *items[i].Conversation)
		}
	}
	if len(all) == 0 {
		r.byRoot = nil
		return nil
	}
	return r.read.Ask(all)
}

// take takes what was read. Where that failed, the rows stay as they were: the list says what
// is wrong with the database.
func (r *runningRows) take(msg kit.Answer[[]model.Conversation, []model.Running]) tea.Cmd {
	ok, next := r.read.Take(msg)
	if !ok || msg.Err != nil {
		return next
	}
	r.byRoot = map[string]model.Running{}
	for _, run := range msg.Value {
		run.Tool, run.Object = kit.CleanLine(run.Tool), kit.CleanLine(run.Object)
		r.byRoot[run.RootID] = run
	}
	return next
}

// outdated reports whether the rows of a list may have stopped running since they were read.
func (r *runningRows) outdated(read, now time.Time) bool {
	for _, run := range r.byRoot {
		ends := run.LastActive.Add(model.RunningWindow)
		if run.Lock.Live(now) && now.Sub(read) >= runningInterval || ends.After(read) && !ends.After(now) {
			return true
		}
	}
	return false
}

// of returns what a row does now, nil where that is not known.
func (r *runningRows) of(it *Item) *model.Running {
	run, ok := r.byRoot[it.RootID]
	if !ok || it.State != model.StateRunning {
		return nil
	}
	run = run.At(r.now)
	return &run
}

// waits reports whether the row runs and the next message is the user's.
func (it *Item) waits() bool {
	return it.running != nil && it.running.Activity == model.ActivityWaiting
}

// workLine draws the second line of a row that runs: the tool at work and what it works on, and
// for how long nothing was heard; nothing as long as that is not known.
func workLine(s *theme.Styles, shape rowShape, it *Item, selected bool) string {
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	var tool, object, state string
	if run := it.running; run != nil {
		switch tool, object = run.Tool, run.Object; run.Activity {
		case model.ActivityWaiting:
			tool = "waiting for you"
			object = ""
			state = ""
		case model.ActivityCompressing:
			tool = "compressing"
			object = ""
			state = model.Silence(run.Silent)
		default:
			if state = model.Silence(run.Silent); tool == "" {
				tool, object = "working", ""
			}
		}
	}
	if state != "" {
		state = "  " + state
	}
	room := max(0, shape.w-shape.indent()-s.Cells.StringWidth(state)-1)
	tool = s.Cells.Truncate(tool, room, s.Glyphs.Ellipsis)
	object = s.Cells.Pad(" "+object, room-s.Cells.StringWidth(tool), s.Glyphs.Ellipsis)
	indent := s.Cells.Pad("", shape.indent(), "")
	return s.Cells.Truncate(on(s.Text).Render(indent)+on(s.Tool).Render(tool)+on(s.Argument).Render(object)+on(s.Faint).Render(state+" "), shape.w, "")
}

// runningHandler goes to the conversations that run, which are at the top of the list without a
// query.
func (s *Screen) runningHandler() shell.Handler {
	r, why := &s.results, ""
	top := !r.shown.narrowed() && r.shown.List.SortOrder() == query.ByActivity
	if top && r.ready && r.err == nil && (len(r.found.items) == 0 || r.found.items[0].State != model.StateRunning) {
		why = "no conversation is running"
	}
	return shell.NewHandler(shell.Running, why, func() tea.Cmd {
		if top {
			if r.rows.Selected == 0 && r.ready && r.err == nil {
				return s.sh.Refuse("this is the newest running conversation")
			}
			r.pending.cancel()
			r.rows.GoToEnd(false)
			r.chosenByHand = true
			return s.follow()
		}
		s.filters.sort = query.ByActivity
		return s.retype("")
	})
}
