package shell

import (
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
)

// What a search says of a damaged file does not hide what helps against the damage.
func TestAProblemWithARemedyIsSaidFirst(t *testing.T) {
	slow := model.HealthNote{Kind: "fts", Message: "the full-text index is damaged: every message was read"}
	damaged := model.HealthNote{Kind: "damaged", Message: "the database is damaged", Remedy: model.Remedy{Kind: model.RemedyRun, Text: "save it", Command: "save state.db"}}
	for _, c := range []struct {
		notes []model.HealthNote
		want  string
	}{
		{[]model.HealthNote{slow}, "the full-text index is damaged: every message was read"},
		{[]model.HealthNote{slow, damaged}, "the database is damaged (1 more) (save it)|save state.db"},
		{[]model.HealthNote{damaged, slow}, "the database is damaged (1 more) (save it)|save state.db"},
	} {
		if got := strings.Join(banner(cells.ByCodePoint, c.notes, 80, 4, "…"), "|"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
