package state

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/ui/shell"
)

// The shell never reads a value: it gets a variable, as one word, for each placeholder.
func TestPlaceholdersBecomeVariables(t *testing.T) {
	for _, c := range []struct {
		run, unix, windows string
		needs              string
	}{
		{"ls {folder}", `ls "$HERMES_SESSIONS_FOLDER"`, `ls "!HERMES_SESSIONS_FOLDER!"`, "folder"},
		{"x {selection}", `x "$@"`, "x !HERMES_SESSIONS_SELECTION!", "selection"},
		{"x --t={title}{id}", `x --t="$HERMES_SESSIONS_TITLE""$HERMES_SESSIONS_ID"`, `x --t="!HERMES_SESSIONS_TITLE!""!HERMES_SESSIONS_ID!"`, "title,id"},
		{"x $HERMES_SESSIONS_FILE", "x $HERMES_SESSIONS_FILE", "x $HERMES_SESSIONS_FILE", "file"},
		{"echo {a,b} ${id} {}", "echo {a,b} ${id} {}", "echo {a,b} ${id} {}", ""},
		{"awk '{print $1}' {file}", `awk '{print $1}' "$HERMES_SESSIONS_FILE"`, `awk '{print $1}' "!HERMES_SESSIONS_FILE!"`, "file"},
		{`echo \" {id}`, `echo \" "$HERMES_SESSIONS_ID"`, "", "id"},
		{`echo "a\"b" {id}`, `echo "a\"b" "$HERMES_SESSIONS_ID"`, `echo "a\"b" {id}`, "id"},
	} {
		line, needs, err := shellLine(c.run, false)
		if line != c.unix || strings.Join(needs, ",") != c.needs || err != nil {
			t.Errorf("%s: %s, needs %q, %v", c.run, line, needs, err)
		}
		if line, _, err := shellLine(c.run, true); (err == nil) != (line == c.windows) && c.windows != "" {
			t.Errorf("%s on Windows: %s, %v", c.run, line, err)
		}
	}
	for _, run := range []string{`"{id}"`, `'{id}'`, `"$(ls "{id}" '{id}')"`, `"'{id}'"`, `sh -c "x {title}`} {
		if line, _, err := shellLine(run, false); err == nil {
			t.Errorf("%s: %s", run, line)
		}
	}
}

// Commands are in the order of the file, on two screens unless they say which.
func TestCommandsAreRead(t *testing.T) {
	var s Settings
	if err := s.parse("[commands.zebra]\nrun = \"ls  -l\\t{id}\"\nkey = \"f6\"\n[commands.ant-hill]\nrun = \"x\"\nletter = \"G\"\nhelp = \"Dig\"\nthen = \"show\"\nscreens = [\"space\", \"space\"]\n"); err != nil {
		t.Fatal(err)
	}
	if len(s.Own) != 2 || s.Own[0].Action != "zebra" || s.Own[0].Help != "Run ls -l {id}" || !slices.Equal(s.Own[0].On, []shell.Context{shell.InList, shell.InTranscript}) || s.Own[0].Then != shell.ThenReturn {
		t.Errorf("%+v", s.Own)
	}
	if c := s.Own[1]; c.Words() != "ant hill" || c.Help != "Dig" || c.Then != shell.ThenShow || !slices.Equal(c.On, []shell.Context{shell.InSpace}) || c.Letter != "G" {
		t.Errorf("%+v", c)
	}
}
