package state

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

func TestSettingsNameTheirFault(t *testing.T) {
	for text, want := range map[string]string{
		"colour = 1":                                  `there is no setting "colour"`,
		"file = \"x\"":                                `there is no setting "file"`,
		"mose = false":                                `there is no setting "mose"; did you mean mouse?`,
		"after_resume = \"print\"":                    `there is no setting "after_resume"; did you mean after-resume?`,
		"[redact]\nallways = true":                    `there is no setting "redact.allways"; did you mean redact.always?`,
		"[queries]\nx = {scop = \"all\"}":             `there is no setting "scop"; did you mean scope?`,
		"preset = \"emacs\"":                          "must be one of default, vim, upstream",
		"theme = \"pink\"":                            "must be one of auto, dark, light, harbor, linen, high-contrast, color-blind, ansi16, mono",
		"motion = \"slow\"":                           "must be one of full, reduced",
		"after-resume = \"dance\"":                    "must be one of leave, return, print",
		"ascii = true\nmouse = = 1":                   "line 2: ",
		"[redact]\nalso = [\"names\"]":                `redact.also: "names" must be one of secrets, emails, paths`,
		"[redact.patterns]\na = \"(\"":                "redact.patterns.a: error parsing regexp",
		"[redact.patterns]\n\"a]\" = \"b\"":           `the name "a]" must not be empty or have brackets`,
		"[redact]\never = true":                       `there is no setting "redact.ever"`,
		"ascii = \"yes\"":                             "line 1: ascii must be true or false",
		"theme = 5":                                   "line 1: theme must be text in quotes",
		"\nhermes-args = \"--yolo\"":                  "line 2: hermes-args must be a list",
		"hermes-args = [1]":                           "line 1: hermes-args must be text in quotes",
		"redact = true":                               "line 1: redact must be a table",
		"[redact]\npatterns = 3":                      "redact.patterns must be a table",
		"keys = 3":                                    "keys must be a table",
		"[keys.list]\ncopy = 3":                       "keys.list.copy must be a key or a list of keys",
		"[keys.list]\ncopy = [\"f4\", 3]":             "keys.list.copy must be a key or a list of keys",
		"[keys]\nlist = \"f4\"":                       "keys.list must be a table",
		"themes = 3":                                  "themes must be a table",
		"[themes]\nmine = 3":                          "themes.mine: must be a table of colors",
		"[themes.dark]\naccent = \"#000000\"":         "themes.dark: there is a theme of this name already",
		"[themes.\"a b\"]\naccent = \"#000000\"":      "themes.a b: a name has letters",
		"[themes.mine]\nbase = \"drak\"":              `themes.mine.base: there is no theme "drak"; did you mean dark?`,
		"[themes.mine]\naccnt = \"#000000\"":          `themes.mine.accnt: there is no color "accnt"; did you mean accent?`,
		"[themes.mine]\naccent = \"#00000\"":          `themes.mine.accent: there is no color "#00000"; write #RRGGBB`,
		"[themes.mine]\naccent = \"mauve\"":           `themes.mine.accent: there is no color "mauve"; write #RRGGBB`,
		"[themes.mine]\naccent = 3":                   "line 2: themes.mine.accent must be text in quotes",
		"theme = \"mine\"":                            "theme = \"mine\": must be one of",
		"columns = [\"ages\"]":                        `columns: there is no column "ages"; did you mean age?`,
		"columns = [\"age\", \"cost\", \"age\"]":      `columns: "age" is there twice`,
		"columns = \"age\"":                           "line 1: columns must be a list",
		"commands = 3":                                "commands must be a table",
		"[commands]\nx = 3":                           "line 2: commands.x must be a table",
		"[commands.x]\nletter = \"G\"":                "commands.x: there is nothing to run",
		"[commands.x]\nrun = \"ls\"":                  "commands.x: a command needs a key",
		"[commands.x]\nrun = \"ls\"\nkeyy = \"f6\"":   `there is no setting "commands.x.keyy"; did you mean commands.x.key?`,
		"[commands.x]\nrun = \"ls\"\nletter = \"GG\"": "commands.x.letter: must be one character",
		"[commands.x]\nrun = \"ls\"\nletter = \"G\"\nthen = \"sleep\"":      "commands.x.then: must be one of return, reload, show, leave",
		"[commands.x]\nrun = \"ls\"\nletter = \"G\"\nscreens = [\"lst\"]":   `commands.x.screens: there is no screen with commands "lst"; did you mean list?`,
		"[commands.x]\nrun = \"ls\"\nletter = \"G\"\nscreens = [\"usage\"]": `commands.x.screens: there is no screen with commands "usage", only list, transcript, lineage, space`,
		"[commands.x]\nrun = \"ls {foldr}\"\nletter = \"G\"":                `commands.x.run: there is no placeholder {foldr}; did you mean {folder}?`,
		"[commands.x]\nrun = \"ls '{folder}'\"\nletter = \"G\"":             "commands.x.run: {folder} stands in quotes",
		"[commands.x]\nrun = 'sh -c \"ls {id}\"'\nletter = \"G\"":           "commands.x.run: {id} stands in quotes",
		"[commands.\"a b\"]\nrun = \"ls\"\nletter = \"G\"":                  "commands.a b: a name has letters",
		"[commands.x]\nrun = \"ls\"\nletter = \"G\"\nhelp = \"a\\nb\"":      "commands.x.help: must be one line",
		"[keys.list.copy]\nkey = \"ctrl+l\"":                                "keys.list.copy must be a key or a list of keys",
	} {
		var s Settings
		if err := s.parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The message names the line of the setting that is wrong.
func TestSettingsNameTheLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]string{
		"# mine\n\nthemee = \"dark\"\n":                                        "line 3: there is no setting",
		"\ufeff\r\nthemee = \"dark\"\r\n":                                      "line 2: there is no setting",
		"plain = true\n[redact]\nallways = true\n":                             "line 3: there is no setting",
		"\ntheme = \"pink\"\n":                                                 "line 2: theme =",
		"[queries]\nx = \"y\"\nwork = {query = \"x\", scope = \"foo\"}\n":      "line 3: queries.work: ",
		"[queries]\n\"a b\" = \"docker\"\n":                                    "line 2: queries.a b: ",
		"[redact]\nalways = true\nalso = [\"names\"]\n":                        "line 3: redact.also: ",
		"[redact]\n[redact.patterns]\na = \"a\"\nb = \"(\"\n":                  "line 4: redact.patterns.b: ",
		"[keys.list]\nscope = \"f6\"\ncopy = 3\n":                              "line 3: keys.list.copy must",
		"[keys]\nlist.scope = \"f6\"\nlist.copy = 3\n":                         "line 3: keys.list.copy must",
		"\nkeys = {list = {copy = 3}}\n":                                       "line 2: keys.list.copy must",
		"[commands.x]\nletter = \"G\"\nrun = \"ls '{id}'\"\n":                  "line 3: commands.x.run: {id} stands",
		"theme = \"mine\"\n[themes.mine]\nbase = \"dark\"\naccent = \"red\"\n": "line 4: themes.mine.accent: there is no color",
		"\ncolumns = [\"age\", \"age\"]\n":                                     "line 2: columns: ",
		"\n[commands.x]\nrun = \"ls\"\n":                                       "line 2: commands.x: a command needs",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSettings(file, env.Vars{}); err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	text := "[keys.list]\nscope = \"f6\"\n[keys.nowhere]\nscope = \"f6\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Settings{File: file}.Fault(&shell.UnknownName{Name: "nowhere", Setting: "keys.nowhere"})
	if !strings.Contains(err.Error(), "line 3: ") {
		t.Errorf("an unknown screen: %v", err)
	}
}

// The file lies in the user's folder for settings. It may be missing there, and
// not where --config names it.
func TestWhereSettingsAre(t *testing.T) {
	home := t.TempDir()
	if s, err := ReadSettings("", env.Vars{"HOME=" + home, "APPDATA=" + home}); err != nil || s.File != "" {
		t.Errorf("a missing file: %v", err)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadSettings("", env.Vars{"HOME=" + file, "APPDATA=" + file}); err != nil || s.File != "" {
		t.Errorf("a home that is a file: %v", err)
	}
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "hermes-sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "hermes-sessions", "config.toml"), []byte("ascii = true"), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := env.Vars{"HOME=" + home, "XDG_CONFIG_HOME=" + config}
	if s, err := ReadSettings("", environ); err != nil || !s.ASCII {
		t.Errorf("not read: %v", err)
	}
	if s, err := ReadSettings("none", environ); err != nil || s.ASCII {
		t.Errorf("read though none was wanted: %v", err)
	}
	if _, err := ReadSettings(filepath.Join(home, "gone.toml"), environ); err == nil || fault.Of(err).Code != 2 || !strings.Contains(err.Error(), "gone.toml") {
		t.Errorf("a named file that is missing: %v", err)
	}
	if runtime.GOOS == "linux" {
		if got := (env.Vars{"HOME=/h", "XDG_CONFIG_HOME=relative"}).ConfigFolder(); got != "/h/.config/hermes-sessions" {
			t.Error(got)
		}
	}
}

func TestTheOrderOfTheListIsASetting(t *testing.T) {
	var s Settings
	if s.ListOrder() != query.ByActivity {
		t.Error("the default is not by activity")
	}
	if err := s.parse(`order = "cost"`); err != nil || s.ListOrder() != query.ByCost {
		t.Errorf("%v %v", s.ListOrder(), err)
	}
	if err := s.parse(`order = "relevance"`); err == nil { // needs words
		t.Error("an order that the list cannot have is accepted")
	}
}
