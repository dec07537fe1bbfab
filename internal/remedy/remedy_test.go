package remedy

import (
	"testing"

	"hermes-sessions/model"
)

// Paths and ids are data in every command, whatever they contain.
func TestCommand(t *testing.T) {
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
		if got := Command(c.remedy); got != c.want {
			t.Errorf("%+v: %q, want %q", c.remedy, got, c.want)
		}
	}
}
