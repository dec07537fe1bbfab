package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Context is a place in which keys mean something.
type Context string

// The contexts. Keys of Anywhere hold in all of them.
const (
	Anywhere     Context = "anywhere"
	InList       Context = "list"
	InTranscript Context = "transcript"
	InLineage    Context = "lineage"
	InSpace      Context = "space"
	InUsage      Context = "usage"
	InComparison Context = "comparison"
	InDialog     Context = "dialog" // boxes that are read or chosen from
)

// Action is something the user can do. What it does in a context is up to the
// screen; its keys, letter and help text are in keymap.go.
type Action string

// Binding is one row of the key map.
type Binding struct {
	Context Context
	Action  Action
	Keys    []string // as Bubble Tea spells them: "ctrl+o", "enter"; a shifted letter as "G"; two after each other: "d d"
	Aliases []string // more keys, which are named nowhere and give way to what another action has
	// Letter is what follows the key of [More]. The menu shows a key that is one character, else the
	// first letter; the others work, unless another action has them. "-" before them keeps the action
	// out of the menu.
	Letter string
	Hint   string // one or two words for the footer and the menu
	Help   string // a sentence for the help screen
	Place  Place  // where it is named without being asked for

	more    string // the key before Letter, "" outside [Keys]
	letters []string
}

// Place is where an action is named without being looked for.
type Place int

// The places: each also has what the next one has.
const (
	Searched Place = iota // nowhere
	OnPage                // on the page of help
	InFooter
)

// defaultMore is the key of More where no key map says another.
const defaultMore = "ctrl+x"

// Keys is a key map that [NewKeys] has checked.
type Keys struct {
	rows   []Binding
	Typing Typing
}

// NewKeys checks a key map for a list in which printable keys do what typing
// says. The error names the row that is wrong: an action without a route, a key
// that no terminal sends, a key or letter used twice in one context, a letter
// that could then no longer be typed into the list, a missing text; it is a [RowError].
func NewKeys(rows []Binding, typing Typing) (Keys, error) {
	taken, rows := takenKeys{}, slices.Clone(rows)
	for i := range rows {
		b := &rows[i]
		b.Keys, b.Aliases = withCapitals(b.Keys), withCapitals(b.Aliases)
		if err := cmp.Or(b.complete(), b.check(typing), taken.addName(*b), taken.add(*b)); err != nil {
			return Keys{}, err
		}
	}
	for _, b := range rows {
		if err := taken.checkPairs(b); err != nil {
			return Keys{}, err
		}
	}
	for _, add := range []func(*Binding){taken.addListed, taken.addAliases, taken.addUnlisted} {
		for i := range rows {
			add(&rows[i])
		}
	}
	k := Keys{rows, typing}
	for i := range rows {
		more := k.Find(rows[i].Context, More)
		if len(more.Keys) == 0 { // one of Anywhere
			more = k.Find(InList, More)
		}
		if len(more.Keys) > 0 {
			rows[i].more = more.Keys[0]
		}
	}
	return k, nil
}

// RowError says which row of a key map is wrong.
type RowError struct {
	Context       Context
	Action, Other Action // Other is the one that it clashes with, "" for none
	said          string
}

func (e *RowError) Error() string { return "key map: " + e.said }

// wrong says what is wrong with a row.
func (b Binding) wrong(other Action, format string, args ...any) error {
	return &RowError{b.Context, b.Action, other, fmt.Sprintf(format, args...)}
}

// complete reports what a row lacks.
func (b Binding) complete() error {
	switch {
	case len(b.Keys) == 0 && strings.TrimPrefix(b.Letter, "-") == "":
		return b.wrong("", "%q in %s has no route", b.Action, b.Context)
	case b.Help == "":
		return b.wrong("", "%q in %s has no help text", b.Action, b.Context)
	case b.Hint == "" && (b.Place == InFooter || b.namedLetter() != ""):
		return b.wrong("", "%q in %s has no hint", b.Action, b.Context)
	}
	return nil
}

// check reports a key of a row that no terminal sends, or that would be typed.
func (b Binding) check(typing Typing) error {
	for _, k := range slices.Concat(b.Keys, b.Aliases) {
		two := parts(k)
		if len(two) > 2 || slices.ContainsFunc(two, func(k string) bool { return !Spelled(k) }) {
			return b.wrong("", "%q in %s has the key %q, which no terminal sends", b.Action, b.Context, k)
		}
		typed := b.Context == Anywhere || b.Context == InList && typing == Searches && !slices.Contains(firstOnly(), k)
		if typed && typeable(two[0]) {
			return b.wrong("", "%q in %s has the key %q, which is typed there", b.Action, b.Context, k)
		}
	}
	return nil
}

// takenKeys has the rows of keys and letters by name: "key enter".
type takenKeys map[string][]Binding

// in returns the action that has a key or a letter in a context, or in one that overlaps it.
func (t takenKeys) in(c Context, name string) (Action, bool) {
	for _, b := range t[name] {
		if b.Context == c || b.Context == Anywhere || c == Anywhere {
			return b.Action, true
		}
	}
	return "", false
}

// add takes the keys and the letter of a row, unless another has them.
func (t takenKeys) add(b Binding) error {
	names := make([]string, 0, len(b.Keys)+1)
	for _, k := range b.Keys {
		names = append(names, "key "+k)
	}
	if named := b.namedLetter(); named != "" {
		names = append(names, "letter "+named)
	}
	for _, what := range names {
		if other, ok := t.in(b.Context, what); ok {
			return b.wrong(other, "%s does both %q and %q in %s", what, other, b.Action, b.Context)
		}
		t[what] = append(t[what], b)
	}
	return nil
}

// addName takes the name of a row.
func (t takenKeys) addName(b Binding) error {
	name := "action " + string(b.Action)
	if _, ok := t.in(b.Context, name); ok {
		return b.wrong("", "%s has an action %q already", b.Context, b.Action)
	}
	t[name] = append(t[name], b)
	return nil
}

// unlisted reports whether the menu does not show an action.
func (b Binding) unlisted() bool { return strings.HasPrefix(b.Letter, "-") || MovesOnly(b.Action) }

// short reports whether a key is one character.
func short(k string) bool { return utf8.RuneCountInString(k) == 1 }

// namedLetter returns the letter that a row itself gives to the menu, "" for none.
func (b Binding) namedLetter() string {
	if b.unlisted() || len(b.Keys) > 0 && short(b.Keys[0]) {
		return ""
	}
	_, n := utf8.DecodeRuneInString(b.Letter)
	return b.Letter[:n]
}

// give gives a row letters that no other has.
func (t takenKeys) give(b *Binding, letters []string) {
	for _, l := range letters {
		if what := "letter " + l; short(l) && t.free(b, what) {
			b.letters = append(b.letters, l)
			t[what] = append(t[what], *b)
		}
	}
}

// free reports whether no other row has a key or a letter.
func (t takenKeys) free(b *Binding, what string) bool {
	_, ok := t.in(b.Context, what)
	return !ok
}

// addListed gives a row what the menu shows.
func (t takenKeys) addListed(b *Binding) {
	if named := b.namedLetter(); named != "" {
		b.letters = []string{named}
	}
	if !b.unlisted() {
		t.give(b, b.Keys)
	}
}

// addAliases gives a row the aliases that no other has.
func (t takenKeys) addAliases(b *Binding) {
	b.Aliases = slices.DeleteFunc(slices.Clone(b.Aliases), func(k string) bool { return !t.free(b, "key "+k) })
	for _, k := range b.Aliases {
		t["key "+k] = append(t["key "+k], *b)
	}
	t.give(b, strings.Split(strings.TrimPrefix(b.Letter, "-"), ""))
}

// addUnlisted gives a row that the menu does not show its keys as letters.
func (t takenKeys) addUnlisted(b *Binding) {
	if b.unlisted() {
		t.give(b, b.Keys)
	}
}

// checkPairs reports a key that begins two and does something alone.
func (t takenKeys) checkPairs(b Binding) error {
	for _, k := range b.Keys {
		first := parts(k)[0]
		if other, ok := t.in(b.Context, "key "+first); ok && first != k {
			return b.wrong(other, "%s begins %q, which does %q in %s, and does %q alone", first, k, b.Action, b.Context, other)
		}
	}
	return nil
}

// typeable reports whether a key puts a character into a text.
func typeable(k string) bool { return short(k) || k == "space" }

// Spelled reports whether a key can come from a terminal under that name:
// modifiers in Bubble Tea's order, then one character or a key's name.
func Spelled(k string) bool {
	rest, order := k, []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}
	for {
		mod, after, ok := strings.Cut(rest, "+")
		i := slices.Index(order, mod)
		if !ok || i < 0 {
			break
		}
		rest, order = after, order[i+1:]
	}
	if utf8.RuneCountInString(rest) == 1 {
		// A shifted letter alone comes as its capital; with Ctrl or Alt it
		// comes in lower case.
		return rest == strings.ToLower(rest) || rest == k
	}
	_, ok := namedKeys[rest]
	return ok
}

// Match returns the action of a key press in a context.
func (k Keys) Match(c Context, msg tea.KeyPressMsg) (Action, bool) {
	name := KeyName(msg)
	for _, b := range k.rows {
		if (b.Context == c || b.Context == Anywhere) && (slices.Contains(b.Keys, name) || slices.Contains(b.Aliases, name)) {
			return b.Action, true
		}
	}
	return "", false
}

// KeyName names a key press as the key map does.
func KeyName(msg tea.KeyPressMsg) string {
	if name := msg.String(); name != " " {
		return withCapital(name)
	}
	return "space"
}

// withCapital returns a shifted letter as its capital. Most terminals send it so; those
// that report the keys themselves may send "shift+g" for "G".
func withCapital(key string) string {
	letter, ok := strings.CutPrefix(key, "shift+")
	if r, n := utf8.DecodeRuneInString(letter); !ok || n < len(letter) || !unicode.IsLower(r) {
		return key
	}
	return strings.ToUpper(letter)
}

// withCapitals returns keys of the key map in which shifted letters are capitals; those
// that have both names are there once.
func withCapitals(keys []string) []string {
	var named []string
	for _, k := range keys {
		name := parts(k)
		for i := range name {
			name[i] = withCapital(name[i])
		}
		if name := strings.Join(name, " "); name == k || !slices.Contains(keys, name) {
			named = append(named, name)
		}
	}
	return named
}

// In returns the rows that hold in a context, its own before those of Anywhere.
func (k Keys) In(c Context) []Binding {
	var own, any []Binding
	for _, b := range k.rows {
		switch b.Context {
		case c:
			own = append(own, b)
		case Anywhere:
			any = append(any, b)
		}
	}
	return append(own, any...)
}

// Find returns the row of an action in a context.
func (k Keys) Find(c Context, a Action) Binding {
	for _, in := range [...]Context{c, Anywhere} {
		for i := range k.rows {
			if b := &k.rows[i]; b.Context == in && b.Action == a {
				return *b
			}
		}
	}
	return Binding{}
}

// Letters returns what follows the key of [More]. The menu lists the action with the first
// one if listed says so.
func (b Binding) Letters() (letters []string, listed bool) {
	return b.letters, len(b.letters) > 0 && !b.unlisted()
}

// KeyText names the first key of a binding as sentences, footers and menus do.
func (b Binding) KeyText() string {
	if len(b.Keys) > 0 {
		return KeyText(b.Keys[0])
	}
	if len(b.letters) == 0 {
		return ""
	}
	return KeyText(cmp.Or(b.more, defaultMore)) + " " + b.letters[0]
}

// KeyAt names a key of a binding as sentences do, by its number; "" where there is none.
func (b Binding) KeyAt(i int) string {
	if i >= len(b.Keys) {
		return ""
	}
	return KeyText(b.Keys[i])
}

// KeyTexts names all keys of a binding, those of all digits by the first and the last.
func (b Binding) KeyTexts() string {
	if n := len(b.Keys); n == 10 && strings.HasSuffix(b.Keys[8], "9") && strings.HasSuffix(b.Keys[9], "0") {
		return KeyText(b.Keys[9]) + "…" + b.Keys[8][len(b.Keys[8])-1:]
	}
	var all []string
	for _, k := range b.Keys {
		all = append(all, KeyText(k))
	}
	return cmp.Or(strings.Join(all, " "), b.KeyText())
}

// KeyText writes a key in lower case, arrows as arrows.
func KeyText(k string) string {
	if two := parts(k); len(two) == 2 {
		return KeyText(two[0]) + " " + KeyText(two[1])
	}
	cut := strings.LastIndex(k, "+") + 1
	if cut == len(k) { // the plus key itself
		cut = len(k) - 1
	}
	if arrow, ok := arrows[k[cut:]]; ok {
		return k[:cut] + arrow
	}
	return k
}

var arrows = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}
