package hermes

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hermes stands in for Hermes: it loads the plugin as a directory with register(ctx),
// gives it a subparser, sets HERMES_HOME by the profile and calls the handler.
const fakeHermes = `
import argparse, importlib.util, os, sys
spec = importlib.util.spec_from_file_location("hermes_plugins.hermes_sessions", os.path.join(sys.argv[1], "__init__.py"))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
class Context:
    def __init__(self): self.commands = {}
    def register_cli_command(self, name, help, setup_fn, handler_fn=None, description=""):
        self.commands[name] = (help, setup_fn, handler_fn, description)
ctx = Context()
module.register(ctx)
os.environ["HERMES_HOME"] = sys.argv[2]
parser = argparse.ArgumentParser(prog="hermes")
parser.add_argument("--model", "-m")
parser.add_argument("--yolo", action="store_true")
subparsers = parser.add_subparsers(dest="command")
subparsers.add_parser("chat").add_argument("--source")
for name, (help, setup, handler, description) in ctx.commands.items():
    sub = subparsers.add_parser(name, help=help, description=description)
    setup(sub)
    sub.set_defaults(func=handler)
args = parser.parse_args(sys.argv[3:])
args.func(args)
`

// hermes browse calls the program with the words as they are, in the home of the
// profile, and ends with its exit code.
func TestThePluginPassesEverythingOn(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, `a "program"`)
	script := "#!/bin/sh\nprintf '%s' \"$HERMES_HOME\"\nfor a in \"$@\"; do printf '<%s>' \"$a\"; done\nexit 7\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	folder, err := WritePlugin(dir, program, false)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"browse":                           "/p/work<browse>",
		"browse docker build":              "/p/work<browse><docker><build>",
		"browse --source cli -- -x --help": "/p/work<browse><--source><cli><--><-x><--help>",
		"browse -m x --yolo chat":          "/p/work<browse><-m><x><--yolo><chat>",
	} {
		cmd := exec.CommandContext(t.Context(), python, append([]string{"-c", fakeHermes, folder, "/p/work"}, strings.Fields(line)...)...)
		out, err := cmd.CombinedOutput()
		if string(out) != want || cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%s: %q %v, want %q", line, out, err, want)
		}
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", fakeHermes, folder, "/p/work", "browse").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "init plugin again") || strings.Contains(string(out), "Traceback") {
		t.Errorf("without the program: %s %v", out, err)
	}
}

// A plugin that is there is replaced only when asked.
func TestWriteKeepsWhatIsThere(t *testing.T) {
	home := t.TempDir()
	folder, err := WritePlugin(home, "first", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WritePlugin(home, "second", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if _, err := WritePlugin(home, "second", true); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "__init__.py"))
	if err != nil || !strings.Contains(string(text), `PROGRAM = "second"`) {
		t.Errorf("%v\n%s", err, text)
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "plugin.yaml"))
	if err != nil || !strings.Contains(string(manifest), "name: "+PluginName+"\n") {
		t.Errorf("%v\n%s", err, manifest)
	}
}
