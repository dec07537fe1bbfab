package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/state"
	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// screens says of contexts of the key map what a reader has to know.
var screens = map[shell.Context]struct{ title, text string }{
	shell.InList:       {"List", "Typing searches. `?`, `:` and `/` act as the first character, `→`, `home`, `end` and `delete` only if they would not edit the text."},
	shell.InTranscript: {"Transcript", "Type a number before its key: `123 G` goes to message 123, `50 %` to the middle."},
	shell.InComparison: {"Compare", "Two conversations beside each other: where they diverge, and what each did after that."},
	shell.InDialog:     {"Boxes", "Boxes to read or choose from."},
}

var keyNames = strings.NewReplacer("pgdown", "pgdn", "pgup", "pgup", "up", "↑", "down", "↓", "left", "←", "right", "→")

// keyText writes the keys of a binding.
func keyText(b shell.Binding) string {
	var all []string
	for _, k := range b.Keys {
		if strings.HasPrefix(k, "shift+") && len(k) == len("shift+g") {
			continue // how some terminals spell a capital letter
		}
		if k == "ctrl+_" {
			continue // how some terminals send ctrl+/
		}
		all = append(all, "`"+strings.ReplaceAll(keyNames.Replace(k), "|", `\|`)+"`")
	}
	return strings.Join(all, " ")
}

// The page of keys says what the key map says.
func TestKeysPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Keys

<!-- Generated from keymap.go by: go test ./internal/docs -update -->

The action is the name in ` + "`:`" + ` and, with ` + "`-`" + ` for spaces, in the settings ([settings.md](settings.md)). ` + "`^X`" + ` is the letter after
` + "`ctrl+x`" + `, which lists all actions. The preset ` + "`vim`" + ` makes letters act in the list until ` + "`/`" + ` starts a query (` + "`j k g G`" + `,
` + "`dd`, `yy`, `u`, `v`, `space`" + `); the preset ` + "`upstream`" + ` lets ` + "`q` and `d`" + ` act on an empty query, as in Hermes's picker.

The mouse works as well: click, double click, wheel, and the hints in the bottom line. With Shift it
selects text as usual; some terminals use Option (iTerm2) or Fn (Terminal on macOS) instead. ` + "`--no-mouse`" + `
leaves the mouse to the terminal altogether.
`)
	var last shell.Context
	for _, b := range uitest.Bindings(t) {
		if b.Context != last {
			last = b.Context
			s := screens[last]
			fmt.Fprintf(&page, "\n## %s\n\n", cmp.Or(s.title, kit.Capitalize(string(last))))
			if s.text != "" {
				page.WriteString(s.text + "\n\n")
			}
			page.WriteString("| keys | ^X | action | |\n|---|---|---|---|\n")
		}
		letter := ""
		if b.Letter != "" {
			letter = "`" + strings.ReplaceAll(b.Letter, "|", `\|`) + "`"
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", keyText(b), letter, strings.ReplaceAll(string(b.Action), "-", " "), strings.ReplaceAll(b.Help, "|", `\|`))
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

// The page of settings has every setting and every theme.
func TestSettingsPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "docs/settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(state.SettingNames(), state.Themes()...) {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "["+name+"]") && name != "keys" && name != "queries" {
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
