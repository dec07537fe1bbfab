package print

import (
	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

// RunningObject returns open sessions for JSON.
func RunningObject(s RowSource, rows []model.Running) answer.Running {
	o := answer.Running{Sessions: []answer.RunningSession{}}
	for _, r := range rows {
		one := answer.RunningSession{
			ID: s.LocalID(r.ID), Title: output.OrNull(r.Title), Preview: r.Preview, Source: r.Source, Folder: output.OrNull(r.CWD), Model: output.OrNull(r.Model),
			State: r.Activity.String(), Silent: r.Silent.Seconds(), Tool: output.OrNull(r.Tool), Object: output.OrNull(r.Object),
			StartedAt: output.Seconds(r.RootStartedAt), LastActive: output.Seconds(r.LastActive), Messages: r.Messages, Usage: answer.UsageOf(r.Total),
		}
		if one.ID != r.ID {
			one.Profile = r.Profile
		}
		o.Sessions = append(o.Sessions, one)
	}
	return o
}
