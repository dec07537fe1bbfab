package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// screens says of contexts of the key map what a reader has to know.
var screens = map[shell.Context]struct{ title, text string }{
	shell.InList:       {"List", "`/` acts as the first character, `→`, `home`, `end` and `delete` only if they would not edit the text."},
	shell.InTranscript: {"Transcript", "Type a number before its key: `123 G` goes to message 123, `50 %` to the middle."},
	shell.InComparison: {"Compare", "Two conversations beside each other: where they diverge, and what each did after that."},
	shell.InDialog:     {"Boxes", "Boxes to read or choose from; they move as the list does."},
}

// route writes how an action is reached: its keys, else its letter, else its name.
func route(b shell.Binding, keys shell.Keys) string {
	var all []string
	for _, k := range b.Keys {
		all = append(all, shell.KeyText(k))
	}
	if len(b.Keys) == 10 {
		all = []string{b.KeyTexts()}
	}
	bound := keys.Find(b.Context, b.Action)
	if _, listed := bound.Letters(); len(all) == 0 && listed {
		all = []string{bound.KeyText()}
	}
	for i, k := range all {
		all[i] = "`" + strings.ReplaceAll(k, "|", `\|`) + "`"
	}
	return strings.Join(all, " ")
}

// onSeveral returns for each action that several screens have the row that most of them share,
// and on how many they are.
func onSeveral(rows []shell.Binding) map[shell.Action]shell.Binding {
	count, most := map[string]int{}, map[shell.Action]shell.Binding{}
	of := func(b shell.Binding) string { return fmt.Sprint(b.Action, b.Keys, b.Help) }
	for _, b := range rows {
		if b.Context == shell.Anywhere {
			most[b.Action] = b
		} else if n := count[of(b)] + 1; b.Context != shell.InList && b.Context != shell.InDialog {
			if count[of(b)] = n; n > 1 && n >= count[of(most[b.Action])] {
				most[b.Action] = b
			}
		}
	}
	return most
}

// The page of keys says what the key map says, each key once.
func TestKeysPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Keys

<!-- Generated from keymap.go by: go test ./internal/docs -update -->

The action is the name in ` + "`:`" + ` and, with ` + "`-`" + ` for spaces, in the settings ([settings.md](settings.md)). An action
without a key is found by its name. ` + "`ctrl+x`" + ` lists what can be done here and now, each with a letter; the letters work on
every screen. The keys of ` + "`less`" + ` work too (` + "`space b f`, `ctrl+f`, `ctrl+b`" + `), and ` + "`ctrl+p`, `ctrl+n`" + ` for the arrows. The preset
` + "`vim`" + ` makes letters act in the list until ` + "`/`" + ` starts a query (` + "`j k g G`, `dd`, `yy`, `u`, `v`, `space`" + `); the preset
` + "`upstream`" + ` lets ` + "`q` and `d`" + ` act on an empty query, as in Hermes's picker.

The mouse works as well: click, double click, wheel, and the hints in the bottom line. With Shift it
selects text as usual; some terminals use Option (iTerm2) or Fn (Terminal on macOS) instead. ` + "`--no-mouse`" + `
leaves the mouse to the terminal altogether.

## Everywhere

What several screens have, with the same keys. In the list, typing searches: there keys without letters do it, or the letter
comes after ` + "`ctrl+x`" + `. ` + "`?` and `:`" + ` act there as the first character.

| keys | in the list | action | |
|---|---|---|---|
`)
	rows, keys := uitest.Bindings(t), uitest.Keys(t)
	several, inList := onSeveral(rows), map[shell.Action]string{}
	for _, b := range rows {
		if shared := several[b.Action]; b.Context == shell.InList && (b.Hint == "" || b.Hint == shared.Hint) {
			inList[b.Action] = route(b, keys)
		}
	}
	text := func(b shell.Binding) string { return strings.ReplaceAll(b.Help, "|", `\|`) }
	n := 0
	said := map[shell.Action]bool{}
	for _, b := range rows {
		if shared, ok := several[b.Action]; ok && !said[b.Action] {
			said[b.Action] = true
			here := route(shared, keys)
			there, ok := inList[b.Action]
			if shared.Context == shell.Anywhere {
				there, ok = here, true
			}
			if !ok {
				there = "–"
			}
			fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", here, there, strings.ReplaceAll(string(b.Action), "-", " "), text(shared))
			n++
		}
	}
	var last shell.Context
	for _, b := range rows {
		shared, ok := several[b.Action]
		_, listed := inList[b.Action]
		if ok && (b.Context == shell.Anywhere || b.Context == shell.InList && listed || b.Context == shell.InDialog || b.Help == shared.Help && slices.Equal(b.Keys, shared.Keys)) {
			continue
		}
		if b.Context != last {
			last = b.Context
			s := screens[last]
			fmt.Fprintf(&page, "\n## %s\n\n", cmp.Or(s.title, kit.Capitalize(string(last))))
			if s.text != "" {
				page.WriteString(s.text + "\n\n")
			}
			page.WriteString("| keys | action | |\n|---|---|---|\n")
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", route(b, keys), strings.ReplaceAll(string(b.Action), "-", " "), text(b))
		n++
	}
	if n > 130 {
		t.Errorf("%d rows of keys are more than anybody reads", n)
	}
	generated(t, "keys.md", []byte(page.String()))
}

// The table of filters says what the query language says.
func TestFiltersOfTheQueryPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "docs/query.md"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	before, rest, ok := strings.Cut(string(text), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end filters -->")
	if !ok || !ok2 {
		t.Fatal("docs/query.md has no place for the filters")
	}
	var table strings.Builder
	table.WriteString("| filter | asks for | values |\n|---|---|---|\n")
	for _, f := range query.Fields() {
		var values []string
		for _, v := range f.Values {
			values = append(values, "`"+v+"`")
		}
		fmt.Fprintf(&table, "| `%s:` | %s | %s |\n", f.Field, f.Help, strings.Join(values, " "))
	}
	generated(t, "query.md", []byte(before+"-update -->\n"+table.String()+"<!-- end filters -->"+after))
}

// The page of settings has every setting, theme, color and column.
func TestSettingsPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "docs/settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(state.SettingNames(), state.Themes(), theme.Roles(), shell.Columns()) {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "["+name+"]") && !strings.Contains(string(text), "`["+name+".") && name != "queries" {
			t.Errorf("docs/settings.md does not have %s", name)
		}
	}
	missing := map[shell.Context]bool{}
	for _, b := range uitest.Bindings(t) {
		if !strings.Contains(string(text), "`"+string(b.Context)+"`") && !missing[b.Context] {
			missing[b.Context] = true
			t.Errorf("docs/settings.md does not have the screen %s", b.Context)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// Links between the documents lead to files and headings.
func TestLinksLeadSomewhere(t *testing.T) {
	root := sourcetree.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			u, err := url.Parse(m[1])
			if err != nil || u.Host != "" {
				continue
			}
			target := page
			if u.Path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
			}
			body, err := os.ReadFile(target)
			if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(page), err)
			} else if u.Fragment != "" && !hasHeading(string(body), u.Fragment) {
				t.Errorf("%s: %s has no heading #%s", filepath.Base(page), u.Path, u.Fragment)
			}
		}
	}
}

// hasHeading reports whether a Markdown page has a heading with an anchor.
func hasHeading(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		if name == anchor {
			return true
		}
	}
	return false
}

// Every test that the page of the guidelines names is there.
func TestTheGuidelinesNameTests(t *testing.T) {
	root := sourcetree.Root(t)
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range declared.FindAllSubmatch(text, -1) {
			known[string(name[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/clig.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(page, -1)
	if len(named) < 50 {
		t.Errorf("the page names only %d tests", len(named))
	}
	for _, name := range named {
		if !known[string(name[1])] {
			t.Errorf("there is no %s", name[1])
		}
	}
}
