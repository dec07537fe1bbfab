package state

import (
	"slices"
	"testing"

	"hermes-sessions/theme"
)

// A theme of the user's own is its base with other colors; what has not been said is the base's.
func TestOwnThemesAreRead(t *testing.T) {
	var s Settings
	if err := s.parse("theme = \"mine\"\ncolumns = [\"cost\", \"age\"]\n[themes.mine]\nbase = \"harbor\"\naccent = \"#ABCDEF\"\nadded-ground = \"#001100\"\n[themes.other]\nhit = \"#123456\"\n"); err != nil {
		t.Fatal(err)
	}
	look := s.Look()
	if look.Theme != "mine" || !slices.Equal(look.Columns, []string{"cost", "age"}) || len(look.Themes) != 2 {
		t.Fatalf("%+v", look)
	}
	want := theme.Harbor
	want.Accent, want.AddedGround = "#ABCDEF", "#001100"
	if mine := look.Themes[0]; mine.Name != "mine" || mine.Base != "harbor" || mine.Dark != want || mine.Light != want {
		t.Errorf("%+v", mine)
	}
	if other := look.Themes[1]; other.Base != "auto" || other.Light.Hit != "#123456" || other.Light.Text != theme.Light.Text || other.Dark.Text != theme.Dark.Text {
		t.Errorf("%+v", other)
	}
	if none := (Settings{}).Look(); none.Theme != "auto" || none.Columns != nil || none.Themes != nil {
		t.Errorf("%+v", none)
	}
}
