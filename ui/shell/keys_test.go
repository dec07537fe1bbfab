package shell_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"

	tea "charm.land/bubbletea/v2"
)

func TestAKeyMapNamesItsFault(t *testing.T) {
	t.Parallel()
	row := func(change func(*shell.Binding)) func([]shell.Binding) []shell.Binding {
		return func(rows []shell.Binding) []shell.Binding {
			i := slices.IndexFunc(rows, func(b shell.Binding) bool { return b.Context == shell.InList && b.Action == shell.Copy })
			change(&rows[i])
			return rows
		}
	}
	for name, c := range map[string]struct {
		change func([]shell.Binding) []shell.Binding
		want   string
	}{
		"no keys":         {row(func(b *shell.Binding) { b.Keys, b.Letter = nil, "" }), `"copy" in list has no route`},
		"no help":         {row(func(b *shell.Binding) { b.Help = "" }), `"copy" in list has no help text`},
		"no hint":         {row(func(b *shell.Binding) { b.Hint = "" }), `"copy" in list has no hint`},
		"key used twice":  {row(func(b *shell.Binding) { b.Keys = []string{"ctrl+o"} }), `key ctrl+o does both "copy" and "hidden" in list`},
		"key of anywhere": {row(func(b *shell.Binding) { b.Keys = []string{"ctrl+c"} }), `key ctrl+c does both "copy" and "quit" in anywhere`},
		"same key again":  {row(func(b *shell.Binding) { b.Keys = []string{"ctrl+y", "ctrl+y"} }), `key ctrl+y does both "copy" and "copy"`},
		"letter twice":    {row(func(b *shell.Binding) { b.Letter = "o" }), `letter o does both "copy" and "hidden" in list`},
		"a typed letter":  {row(func(b *shell.Binding) { b.Keys = []string{"q"} }), `has the key "q", which is typed there`},
		"a typed space":   {row(func(b *shell.Binding) { b.Keys = []string{"space"} }), `has the key "space", which is typed there`},
		"misspelled":      {row(func(b *shell.Binding) { b.Keys = []string{"Ctrl+Y"} }), `has the key "Ctrl+Y", which no terminal sends`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := shell.NewKeys(c.change(uitest.Bindings(t)), shell.Searches)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want …%s…", err, c.want)
			}
		})
	}
}

func TestOwnKeysNameTheirFault(t *testing.T) {
	t.Parallel()
	for want, own := range map[string]shell.Overrides{
		`there is no screen "sky"`:                                 {"sky": {shell.Copy: {"f6"}}},
		`list has no action "fly"`:                                 {shell.InList: {"fly": {"f6"}}},
		`list has no action "find"`:                                {shell.InList: {shell.Find: {"f6"}}},
		`key ctrl+o does both`:                                     {shell.InList: {shell.Copy: {"ctrl+o"}}},
		`"type" in list has no route`:                              {shell.InList: {shell.Type: {}}},
		`has the key "ctrl+Q", which no terminal sends`:            {shell.InList: {shell.Copy: {"ctrl+Q"}}},
		`"copy" in list has the key "y", which is typed there`:     {shell.InList: {shell.Copy: {"y"}}},
		`"quit" in anywhere has the key "q", which is typed there`: {shell.Anywhere: {shell.Quit: {"q"}}},
		`key j does both "copy" and "down" in transcript`:          {shell.InTranscript: {shell.Copy: {"j"}}},
	} {
		rows, err := shell.Rebind(uitest.Bindings(t), own)
		if err == nil {
			_, err = shell.NewKeys(rows, shell.Searches)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", own, err, want)
		}
	}
}

// An action has one name: settings and the palette say what its hint says, or what it begins with.
func TestHintsAreTheNamesOfActions(t *testing.T) {
	t.Parallel()
	for _, b := range uitest.Bindings(t) {
		if name := strings.ReplaceAll(string(b.Action), "-", " "); b.Hint != "" && !strings.HasPrefix(strings.ToLower(b.Hint), name) {
			t.Errorf("%s: the action %q has the hint %q", b.Context, name, b.Hint)
		}
	}
}

// Settings of earlier versions keep their meaning.
func TestFormerNamesOfActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       shell.Context
		own      map[shell.Action][]string
		now      shell.Action
		wantKeys string
	}{
		{shell.InList, map[shell.Action][]string{"open": {"f6"}}, shell.Read, "f6"},
		{shell.InList, map[shell.Action][]string{"scope": {"f6"}}, shell.Hidden, "f6"},
		{shell.InUsage, map[shell.Action][]string{"open": {"f6"}}, shell.Open, "f6"},
		{shell.InList, map[shell.Action][]string{"refresh": {"f6"}, "reload": {"f7"}}, shell.Reload, "f7"},
		{shell.InTranscript, map[shell.Action][]string{"next-hit": {"f6"}}, shell.NextMatch, "f6"},
		{shell.InLineage, map[shell.Action][]string{"collapse-all": {"f6"}}, shell.FoldAll, "f6"},
		{"storage", map[shell.Action][]string{"next-set": {"f6"}}, shell.View, "f6"},
		{shell.InTranscript, map[shell.Action][]string{"next-hit": {"f6"}}, shell.NextMatch, "f6"},
		{"clean-up", map[shell.Action][]string{"view": {"f6"}}, shell.View, "f6"},
		{shell.InComparison, map[shell.Action][]string{"next-set": {"f6"}, "previous-set": {"f7"}}, shell.OtherSide, "f6 f7"},
		{shell.InDialog, map[shell.Action][]string{"back": {"f6"}}, shell.Close, "f6"},
	} {
		rows, err := shell.Rebind(uitest.Bindings(t), shell.Overrides{c.in: c.own})
		if err != nil {
			t.Fatal(err)
		}
		keys, err := shell.NewKeys(rows, shell.Searches)
		if err != nil {
			t.Fatal(err)
		}
		if c.in == "storage" || c.in == "clean-up" {
			c.in = shell.InSpace
		}
		if got := strings.Join(keys.Find(c.in, c.now).Keys, " "); got != c.wantKeys {
			t.Errorf("%s %v: %s has the keys %q, want %q", c.in, c.own, c.now, got, c.wantKeys)
		}
	}
}

// An alias works until another action has it by name, also one of the user's own keys; what has a
// key of one character has it in the menu, too.
func TestAliasesGiveWay(t *testing.T) {
	t.Parallel()
	keysWith := func(own shell.Overrides) shell.Keys {
		rows, err := shell.Rebind(uitest.Bindings(t), own)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := shell.NewKeys(rows, shell.Searches)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	ctrlP := tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl}
	if got, _ := keysWith(nil).Match(shell.InTranscript, ctrlP); got != shell.Up {
		t.Errorf("ctrl+p does %q", got)
	}
	keys := keysWith(shell.Overrides{shell.InTranscript: {shell.Copy: {"ctrl+p"}, shell.Wrap: {"P"}}})
	if got, _ := keys.Match(shell.InTranscript, ctrlP); got != shell.Copy {
		t.Errorf("the user's ctrl+p does %q", got)
	}
	for a, want := range map[shell.Action]string{
		shell.Export: "e true", shell.Wrap: "P true", shell.Pin: "p true", shell.NextFailure: "!E true", shell.ResumeInTUI: "T false", shell.PreviousMessage: "kK false", shell.Quit: "x false",
	} {
		letters, listed := keys.Find(shell.InTranscript, a).Letters()
		if got := strings.Join(letters, "") + fmt.Sprint(" ", listed); got != want {
			t.Errorf("%s has the letters %s, want %s", a, got, want)
		}
	}
}

// A shifted letter has two names, and settings may have either or both.
func TestAShiftedLetterIsItsCapital(t *testing.T) {
	t.Parallel()
	for _, own := range [][]string{{"F"}, {"shift+f"}, {"F", "shift+f"}, {"shift+f", "F"}} {
		rows, err := shell.Rebind(uitest.Bindings(t), shell.Overrides{shell.InTranscript: {shell.FoldAll: own}})
		if err != nil {
			t.Fatal(err)
		}
		keys, err := shell.NewKeys(rows, shell.Searches)
		if err != nil {
			t.Fatal(err)
		}
		if got := keys.Find(shell.InTranscript, shell.FoldAll).KeyTexts(); got != "F" {
			t.Errorf("%q are labelled %q", own, got)
		}
		for _, press := range []tea.KeyPressMsg{{Code: 'f', Mod: tea.ModShift}, {Code: 'f', ShiftedCode: 'F', Mod: tea.ModShift, Text: "F"}} {
			if got, _ := keys.Match(shell.InTranscript, press); got != shell.FoldAll {
				t.Errorf("%q: %s does %q", own, press, got)
			}
		}
	}
}

func TestKeysAreSpelledAsTerminalsSendThem(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"ctrl+o": true, "ctrl+/": true, "ctrl+_": true, "f3": true, "G": true, "shift+g": true, "?": true, "+": true,
		"ctrl++": true, "ctrl+shift+up": true, "alt+enter": true, "é": true, "space": true,
		"": false, "ctrl+": false, "shift+ctrl+up": false, "ctrl+O": false, "pageup": false, "C-o": false, "f99": false, "ctrl+ctrl+a": false,
	} {
		if shell.Spelled(key) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
}

func TestKeysInSentences(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"ctrl+o": "ctrl+o", "enter": "enter", "right": "→", "shift+up": "shift+↑", "ctrl+x u": "ctrl+x u", "+": "+", "ctrl++": "ctrl++",
		"f1": "f1", "G": "G", "/": "/", "ctrl+/": "ctrl+/", "pgdown": "pgdown", "ctrl+home": "ctrl+home", "alt+y y": "alt+y y",
	} {
		if got := shell.KeyText(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// An action that only has a letter is named with the key that its screen has for all actions.
func TestALetterFollowsTheKeyOfItsScreen(t *testing.T) {
	t.Parallel()
	rows := uitest.Bindings(t)
	for i, b := range rows {
		switch {
		case b.Context == shell.InList && b.Action == shell.More:
			rows[i].Keys = []string{"f9"}
		case b.Action == shell.Copy:
			rows[i].Keys, rows[i].Letter = nil, "y"
		}
	}
	keys, err := shell.NewKeys(rows, shell.Searches)
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[shell.Context]string{shell.InList: "f9 y", shell.InTranscript: "ctrl+x y"} {
		if b := keys.Find(c, shell.Copy); b.KeyText() != want {
			t.Errorf("%s: %q, want %q", c, b.KeyText(), want)
		}
	}
}

func TestAKeyFindsTheActionOfItsContext(t *testing.T) {
	t.Parallel()
	keys := uitest.Keys(t)
	for _, c := range []struct {
		in   shell.Context
		key  tea.KeyPressMsg
		want shell.Action
	}{
		{shell.InList, tea.KeyPressMsg{Code: tea.KeyEnter}, shell.Resume},
		{shell.InTranscript, tea.KeyPressMsg{Code: tea.KeyEnter}, shell.Fold},
		{shell.InList, tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, shell.Quit},
		{shell.InTranscript, tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, shell.PageDown},
		{shell.InTranscript, tea.KeyPressMsg{Code: 'g', ShiftedCode: 'G', Mod: tea.ModShift, Text: "G"}, shell.Last},
		{shell.InTranscript, tea.KeyPressMsg{Code: 'g', Mod: tea.ModShift}, shell.Last},
		{shell.InList, tea.KeyPressMsg{Code: 'с', BaseCode: 'c', Mod: tea.ModCtrl}, shell.Quit}, // a Cyrillic layout
		{shell.InList, tea.KeyPressMsg{Code: 'q', Text: "q"}, ""},
	} {
		if got, _ := keys.Match(c.in, c.key); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.key, c.in, got, c.want)
		}
	}
}
