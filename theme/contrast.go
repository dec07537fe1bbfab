package theme

import (
	"fmt"
	"math"
	"strconv"
	"sync"
)

// rgb is a color with parts from 0 to 1.
type rgb [3]float64

// parse reads #RRGGBB; ok is false for any other color.
func parse(c string) (v rgb, ok bool) {
	if len(c) != 7 || c[0] != '#' {
		return v, false
	}
	n, err := strconv.ParseUint(c[1:], 16, 32)
	if err != nil {
		return v, false
	}
	for i, shift := range [...]uint{16, 8, 0} {
		v[i] = float64(n>>shift&0xff) / 255
	}
	return v, true
}

func (v rgb) hex() string {
	part := func(x float64) uint8 { return uint8(math.Round(255 * max(0, min(x, 1)))) }
	return fmt.Sprintf("#%02X%02X%02X", part(v[0]), part(v[1]), part(v[2]))
}

// linear returns the parts as amounts of light.
func (v rgb) linear() rgb {
	for i, c := range v {
		if c <= 0.04045 {
			v[i] = c / 12.92
		} else {
			v[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return v
}

// luminance is the relative luminance of WCAG 2.
func (v rgb) luminance() float64 {
	l := v.linear()
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

// contrast is the contrast ratio of WCAG 2, from 1 to 21.
func contrast(a, b rgb) float64 {
	return ratio(a.luminance(), b.luminance())
}

// ratio is the contrast of two luminances.
func ratio(x, y float64) float64 { return (max(x, y) + 0.05) / (min(x, y) + 0.05) }

// mix goes from a toward b by a part of the way.
func mix(a, b rgb, part float64) rgb {
	for i := range a {
		a[i] += (b[i] - a[i]) * part
	}
	return a
}

// raiseContrast moves a color toward white or black, as little as possible, until it has the
// contrast least with all grounds. Where no color has it, the result is the best one.
func raiseContrast(c rgb, least float64, grounds []rgb) rgb {
	worst := func(c rgb) float64 {
		k := 21.0
		for _, g := range grounds {
			k = min(k, contrast(c, g))
		}
		return k
	}
	if worst(c) >= least {
		return c
	}
	white, black := rgb{1, 1, 1}, rgb{}
	toward := white
	if worst(black) > worst(white) {
		toward = black
	}
	for part := 0.02; part < 1; part += 0.02 {
		if m := mix(c, toward, part); worst(m) >= least+0.05 { // a margin, because the color is rounded
			return m
		}
	}
	return toward
}

// Fit returns a palette for a background of the terminal, #RRGGBB: with a surface that is
// a shade off it, and with colors moved toward white or black where their contrast
// would be too low. A palette that has a ground of its own, or no such colors, stays as
// it is.
func (p Palette) Fit(ground string) Palette {
	g, known := parse(ground)
	text, colored := parse(p.Text)
	if !known || !colored || p.Ground != "" {
		return p
	}
	p.Surface = mix(g, text, 0.06).hex()
	surface, _ := parse(p.Surface)
	selection, _ := parse(p.Selection)
	accent, _ := parse(p.Accent)
	if contrast(selection, g) < 1.15 || contrast(text, selection) < leastText {
		selection = mix(g, accent, 0.22)
		p.Selection = selection.hex()
	}
	grounds := []rgb{g, surface, selection}
	for _, r := range p.roles() {
		if c, ok := parse(*r.color); ok {
			*r.color = raiseContrast(c, r.least, grounds).hex()
		}
	}
	return p
}

// Indexed returns a palette for a terminal of 256 colors: each color becomes the nearest
// of the 240 that all terminals show alike whose contrast is high enough. The painted
// ground stays, because it is set as a color of its own.
func (p Palette) Indexed() Palette {
	near := func(c *string, least float64, grounds ...string) {
		v, ok := parse(*c)
		if !ok {
			return
		}
		var behind []float64
		for _, g := range grounds {
			if b, ok := color256(g); ok {
				behind = append(behind, b.luminance())
			}
		}
		best := -1
		distance := math.Inf(1)
		wanted := v.oklab()
	next:
		for i, w := range table256() {
			if d := wanted.distance(w.lab); d < distance {
				for _, b := range behind {
					if ratio(w.luminance, b) < least {
						continue next
					}
				}
				best, distance = 16+i, d
			}
		}
		if best >= 0 {
			*c = strconv.Itoa(best)
		}
	}
	text := p.Text
	for _, g := range []*string{&p.Surface, &p.Selection} {
		near(g, 7, text) // a ground is chosen first, so it keeps away from text
	}
	ground := p.Ground
	if ground == "" && p.Dark {
		ground = "#1E1E1E"
	} else if ground == "" {
		ground = "#FFFFFF"
	}
	for _, r := range p.roles() {
		near(r.color, r.least, ground, p.Surface, p.Selection)
	}
	for _, f := range p.fills() {
		near(f.ground, leastText, *f.text)
		near(f.text, leastText, *f.ground)
	}
	return p
}

// color256 returns the value of a color, which is #RRGGBB or a number from 16 to 255.
func color256(c string) (rgb, bool) {
	if n, err := strconv.Atoi(c); err == nil && n >= 16 && n < 256 {
		return indexed(n), true
	}
	return parse(c)
}

// indexed is a color from 16 to 255 of the 256: a cube of 6 steps, then 24 grays.
func indexed(n int) rgb {
	if n >= 232 {
		g := float64(8+10*(n-232)) / 255
		return rgb{g, g, g}
	}
	step := func(k int) float64 {
		if k == 0 {
			return 0
		}
		return float64(55+40*k) / 255
	}
	n -= 16
	return rgb{step(n / 36), step(n / 6 % 6), step(n % 6)}
}

// measured is a color by the values that are compared.
type measured struct {
	lab       rgb
	luminance float64
}

// table256 has the colors from 16 to 255.
var table256 = sync.OnceValue(func() *[240]measured {
	var all [240]measured
	for i := range all {
		c := indexed(16 + i)
		all[i] = measured{c.oklab(), c.luminance()}
	}
	return &all
})

// distance is how far two points are apart.
func (v rgb) distance(w rgb) float64 {
	return math.Sqrt((v[0]-w[0])*(v[0]-w[0]) + (v[1]-w[1])*(v[1]-w[1]) + (v[2]-w[2])*(v[2]-w[2]))
}

// oklab returns lightness and the two axes of hue of OKLab, where equal distances look
// alike.
func (v rgb) oklab() rgb {
	c := v.linear()
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return rgb{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}
