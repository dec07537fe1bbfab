package theme

// Palette has the colors by role; doc.go says what each role means. A color is #RRGGBB
// or a number of the terminal's palette; "" is the terminal's default color.
type Palette struct {
	Dark bool // light text on a dark ground

	// Grounds. Ground is painted behind everything; "" leaves the terminal's own.
	Ground, Surface, Selection string

	Text, Muted, Faint string
	Accent, Border     string
	Hit                string
	Match, OnMatch     string // the ground of the current hit, and text on it
	Good, Warn, Bad    string
	Danger, OnDanger   string // the ground of a choice that destroys, and text on it

	User, Agent, Summary   string
	Tool, Argument, Output string

	Added, Removed             string
	AddedGround, RemovedGround string // "" for none

	// CodeTheme names the Chroma style of code blocks, "" for none.
	CodeTheme string
}

// The least contrasts with a ground.
const (
	leastText  = 4.5
	leastFaint = 3.0
)

// role is a color that text is drawn in.
type role struct {
	name  string
	color *string
	least float64 // contrast with the background, the surface and the current row
}

// roles lists the colors that stand on the background.
func (p *Palette) roles() []role {
	return []role{
		{"text", &p.Text, leastText},
		{"muted", &p.Muted, leastText},
		{"faint", &p.Faint, leastFaint},
		{"accent", &p.Accent, leastText},
		{"border", &p.Border, leastFaint},
		{"hit", &p.Hit, leastText},
		{"good", &p.Good, leastText},
		{"warn", &p.Warn, leastText},
		{"bad", &p.Bad, leastText},
		{"user", &p.User, leastText},
		{"agent", &p.Agent, leastText},
		{"summary", &p.Summary, leastText},
		{"tool", &p.Tool, leastText},
		{"argument", &p.Argument, leastText},
		{"output", &p.Output, leastText},
	}
}

// fill is a color on a ground of its own.
type fill struct {
	name         string
	text, ground *string
}

// fills lists the colors that stand on a ground of their own.
func (p *Palette) fills() []fill {
	return []fill{
		{"current hit", &p.OnMatch, &p.Match},
		{"danger", &p.OnDanger, &p.Danger},
		{"added", &p.Added, &p.AddedGround},
		{"removed", &p.Removed, &p.RemovedGround},
	}
}
