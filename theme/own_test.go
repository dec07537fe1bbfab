package theme

import (
	"slices"
	"testing"
)

// A ground makes a theme a dark or a light one. Terminals with few colors get the same palettes
// as with every other theme.
func TestOwnThemes(t *testing.T) {
	for ground, dark := range map[string]bool{"#101010": true, "#FAFAF0": false, "#3050A0": true} {
		own := Own("mine", "auto", map[string]string{"ground": ground, "base": "auto"})
		if own.Dark.Dark != dark || own.Light.Dark != dark || own.Dark.Ground != ground {
			t.Errorf("%s: %+v", ground, own)
		}
	}
	own := []Theme{Own("mine", "light", map[string]string{"accent": "#0A58B5"})}
	for _, c := range []struct {
		setup Setup
		want  Palette
	}{
		{Setup{Theme: "mine", Own: own, Colors: NoColors}, Setup{Theme: "light", Colors: NoColors}.Palette()},
		{Setup{Theme: "mine", Own: own, Colors: Colors16}, Setup{Theme: "light", Colors: Colors16}.Palette()},
		{Setup{Theme: "mine", Own: own, Background: "#000000"}, Setup{Theme: "light", Background: "#000000"}.Palette()},
		{Setup{Theme: "mine", Own: own, Light: true}, Setup{Theme: "light", Light: true}.Palette()},
	} {
		if got := c.setup.Palette(); got != c.want {
			t.Errorf("%+v\n%+v, want\n%+v", c.setup, got, c.want)
		}
	}
	if roles := Roles(); !slices.Contains(roles, "on-match") || !slices.Contains(roles, "accent") || slices.Contains(roles, "code-theme") || slices.Contains(roles, "dark") {
		t.Errorf("%q", roles)
	}
	for color, valid := range map[string]bool{"#A0b1C2": true, "#FFF": false, "red": false, "12": false, "": false, "#GGGGGG": false, "#-12345": false} {
		if Valid(color) != valid {
			t.Errorf("%q is valid: %v", color, !valid)
		}
	}
}
