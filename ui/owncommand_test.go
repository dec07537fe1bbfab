package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// does is a program of a test.
type does func() error

func (d does) Run() error        { return d() }
func (does) SetStdin(io.Reader)  {}
func (does) SetStdout(io.Writer) {}
func (does) SetStderr(io.Writer) {}

// ownCommands adds commands to the browser, and has them run.
func ownCommands(t *testing.T, run func(ctx context.Context, q shell.RunCommand, out io.Writer) error) func(*Options) {
	on := []shell.Context{shell.InList, shell.InTranscript, shell.InSpace}
	own := []shell.OwnCommand{
		{Action: "git-log", Letter: "G", Help: "What was committed", On: on, Then: shell.ThenShow, Needs: []string{"folder"}},
		{Action: "shout", Key: "f7", Help: "Shout the title", On: on, Then: shell.ThenShow},
		{Action: "go-there", Letter: "J", Help: "Leave for the folder", On: on[:1], Then: shell.ThenLeave},
	}
	keys, err := shell.NewKeys(append(uitest.Bindings(t), shell.Bindings(own)...), shell.Searches)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Keys, o.Commands = keys, own
		o.Outside.Command = func(ctx context.Context, q shell.RunCommand, out io.Writer) tea.ExecCommand {
			return does(func() error { return run(ctx, q, out) })
		}
	}
}

// A command of one's own is in the menu, in the palette and in the help, and does its work on the
// current conversation; the output is shown, bounded and without what would draw on the screen.
func TestCommandsOfOnesOwn(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		say, fail := "", error(nil)
		var of []string
		run := func(ctx context.Context, q shell.RunCommand, out io.Writer) error {
			of = append(of, fmt.Sprint(q.Command.Action, " ", len(q.Of.IDs), " ", q.One.ID == q.Of.IDs[0]))
			if _, err := io.WriteString(out, say); err != nil {
				return err
			}
			if say == "" {
				<-ctx.Done()
				return ctx.Err()
			}
			return fail
		}
		d := start(t, lib, 100, 30, ownCommands(t, run))
		d.keys("ctrl+x").sees("Own", "G  git log", "J  go there").keys("esc")
		d.types(":").types("go th").sees("go there", "Leave for the folder").keys("esc")
		d.types("?").sees("Shout the title").keys("esc")

		say = "one\n\x1b[2Jtwo\x1b]0;title\a \x1b[31mred\x1b[0m\tend\n"
		d.keys("f7").sees("Shout", "one", "two red    end").misses("[31m").keys("esc").misses("two red")
		say, fail = "half\n", errors.New("exit status 3")
		d.keys("f7").sees("exit status 3", "half").keys("esc")
		fail = nil
		say = strings.Repeat("many lines\n", 40_000)
		d.keys("f7").sees("the first 128 kB of 440 kB", "many lines").keys("G", "esc")
		say = " \n"
		d.keys("f7").sees("No output").keys("esc")
		say = ""
		d.keys("f7").sees("Running…", "esc stop").keys("esc").misses("Running…")
		if want := "shout 1 true"; len(of) != 5 || of[0] != want || of[4] != want {
			t.Errorf("%q", of)
		}
		d.keys("ctrl+x").types("J")
		if o := d.root.Outcome(); o.Command == nil || o.Command.Command.Action != "go-there" || o.Command.One.ID == "" {
			t.Errorf("%+v", o)
		}
	})
}

// Where a command cannot run, it says why.
func TestCommandsThatCannotRun(t *testing.T) {
	t.Parallel()
	own := shell.OwnCommand{Action: "x", Then: shell.ThenLeave, Needs: []string{"folder"}}
	for want, change := range map[string]func(*shell.Env, *model.Conversation){
		"no commands can be run here":    func(e *shell.Env, _ *model.Conversation) { e.Outside.Command = nil },
		"a script waits for the choice":  func(e *shell.Env, _ *model.Conversation) { e.Choose = true },
		"the conversation has no folder": func(_ *shell.Env, c *model.Conversation) { c.CWD = "" },
		"":                               func(*shell.Env, *model.Conversation) {},
	} {
		c := model.Conversation{}
		c.CWD = "/home/ada"
		env := shell.Env{Commands: []shell.OwnCommand{own}}
		env.Outside.Command = func(context.Context, shell.RunCommand, io.Writer) tea.ExecCommand { return nil }
		change(&env, &c)
		root := &Root{env: &env}
		h := shell.OutsideHandlers(root, "", "", func() model.Conversation { return c }, func() shell.Subjects { return shell.Single(c) })[0]
		if h.Action != "x" || h.Why != want {
			t.Errorf("%+v, want %q", h, want)
		}
	}
}

// A command with the key, the letter or the name of another action is refused.
func TestCommandsDoNotTakeWhatIsInUse(t *testing.T) {
	t.Parallel()
	for want, own := range map[string]shell.OwnCommand{
		`key ctrl+o does both "hidden" and "mine"`:             {Action: "mine", Key: "ctrl+o"},
		`letter d does both "delete" and "mine"`:               {Action: "mine", Letter: "d"},
		`list has an action "delete" already`:                  {Action: "delete", Letter: "G"},
		`"mine" in list has the key "x", which is typed there`: {Action: "mine", Key: "x"},
	} {
		own.Help, own.On = "Do it", []shell.Context{shell.InList}
		_, err := shell.NewKeys(append(uitest.Bindings(t), shell.Bindings([]shell.OwnCommand{own})...), shell.Searches)
		row, ok := errors.AsType[*shell.RowError](err)
		if !ok || row.Action != own.Action || row.Context != shell.InList || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
