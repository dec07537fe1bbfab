package theme

import (
	"reflect"
	"regexp"
	"strings"
)

// Roles returns the names of the colors of a palette, as users write them: "on-match".
func Roles() (names []string) {
	t := reflect.TypeFor[Palette]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.String && f.Name != "CodeTheme" {
			names = append(names, roleName(f.Name))
		}
	}
	return names
}

// capital is where a word begins in the name of a field.
var capital = regexp.MustCompile(`\B[A-Z]`)

func roleName(field string) string { return strings.ToLower(capital.ReplaceAllString(field, "-$0")) }

// Valid reports whether a text is a color: #RRGGBB.
func Valid(color string) bool {
	_, ok := parse(color)
	return ok
}

// Own returns a theme of the user's own: a base with other colors by role. A ground says whether
// the theme is a dark one.
func Own(name, on string, colors map[string]string) Theme {
	base := named(on, nil)
	own := Theme{Name: name, Help: "Your own, on " + on, Base: on, Dark: base.Dark, Light: base.Light}
	for _, p := range []*Palette{&own.Dark, &own.Light} {
		v := reflect.ValueOf(p).Elem()
		for i := range v.NumField() {
			if c, ok := colors[roleName(v.Type().Field(i).Name)]; ok && v.Field(i).Kind() == reflect.String {
				v.Field(i).SetString(c)
			}
		}
		if ground, ok := parse(p.Ground); ok && colors["ground"] != "" {
			p.Dark = ground.luminance() < halfway
		}
	}
	return own
}

// halfway is the luminance from which a ground has better contrast with black than with white.
const halfway = 0.179
