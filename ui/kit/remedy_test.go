package kit

import (
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
)

// A command has a line of its own. Where no line is long enough, its lines can be pasted
// into a shell all the same.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	var measure cells.Method
	const command = "hermes-sessions doctor --salvage saved.db --db /home/ada/.hermes/state.db"
	for w := 8; w < 100; w++ {
		lines := Remedy{Command: command}.CommandLines(measure, w)
		if w >= len(command) && len(lines) != 1 {
			t.Errorf("%d columns: %q", w, lines)
		}
		for _, l := range lines {
			if measure.StringWidth(l) > w {
				t.Errorf("%d columns: %q is wider", w, l)
			}
		}
		if typed := strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", ""); typed != command {
			t.Errorf("%d columns: %q", w, typed)
		}
	}
	if lines := (Remedy{}).CommandLines(measure, 40); lines != nil {
		t.Errorf("no command: %q", lines)
	}
}

// Paths and ids are data in every command, whatever they contain.
func TestRemedyCommand(t *testing.T) {
	t.Parallel()
	const odd = "a b; rm -rf ~"
	quoted := model.ShellWord(odd)
	for _, c := range []struct {
		remedy model.Remedy
		want   string
	}{
		{model.Advise("try again"), ""},
		{model.Remedy{}, ""},
		{model.AdviseToRun("free some space", "df -h /"), "df -h /"},
		{model.Remedy{Kind: model.RemedyOpen}, "hermes-sessions --db FILE"},
		{model.Remedy{Kind: model.RemedyOpen, Object: odd}, "hermes-sessions --db " + quoted},
		{model.Remedy{Kind: model.RemedyList}, "hermes-sessions list --all"},
		{model.Remedy{Kind: model.RemedyShow, Object: odd}, "hermes-sessions show " + quoted},
		{model.Remedy{Kind: model.RemedyRename}, "hermes-sessions rename ID TITLE"},
		{model.Remedy{Kind: model.RemedyMigrate, Object: odd}, "hermes-sessions doctor --migrate --db " + quoted},
		{model.Remedy{Kind: model.RemedySalvage, Object: odd}, "hermes-sessions doctor --salvage saved.db --db " + quoted},
		{model.Remedy{Kind: model.RemedyCheck}, "hermes-sessions doctor"},
		{model.Remedy{Kind: model.RemedyCompare, Object: "/x.db"}, "hermes-sessions doctor --full --db /x.db"},
		{model.Remedy{Kind: model.RemedyImport, Object: odd}, "hermes-sessions import " + quoted},
	} {
		if got := RemedyCommand(c.remedy); got != c.want {
			t.Errorf("%+v: %q, want %q", c.remedy, got, c.want)
		}
	}
}
