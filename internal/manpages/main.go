// Manpages writes the manual: hermes-sessions(1) and a page for each command.
//
//	go run ./internal/manpages [-version 1.2.3] [-date 2026-11-22] FOLDER
//
// The pages are made of the help texts. They are written here, and not by
// cobra/doc, because that runs the lines of tables in the texts together.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-sessions/internal/buildinfo"
	"hermes-sessions/internal/cli"
	"hermes-sessions/internal/cli/print"
)

func main() {
	var e edition
	build := buildinfo.Read()
	flag.StringVar(&e.version, "version", "", "release")
	flag.StringVar(&e.date, "date", "", "day of the release, else that of the commit")
	flag.Parse()
	day, _, _ := strings.Cut(build.Date, "T")
	e.date = cmp.Or(e.date, day)
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: manpages [-version V] [-date D] FOLDER")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), e); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

// edition is what the foot of each page says.
type edition struct{ version, date string }

// write writes all pages into a folder.
func write(folder string, e edition) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	for name, text := range pages(e) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the manual: %w", err)
		}
	}
	return nil
}

// pages returns the pages by the names of their files.
func pages(e edition) map[string]string {
	root := cli.Commands()
	all := map[string]string{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.IsAvailableCommand() || c == root {
			all[pageName(c)+".1"] = newPage(root, c, e)
		}
		for _, sub := range c.Commands() {
			if c.Name() != "completion" { // one page is about all shells
				add(sub)
			}
		}
	}
	add(root)
	return all
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page is the text of a page in the language of man(7).
type page struct{ strings.Builder }

// line writes a line that begins with a request.
func (p *page) line(request string, words ...string) {
	p.WriteString("." + request)
	for _, w := range words {
		p.WriteString(" " + `"` + strings.ReplaceAll(escape(w), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// escape makes text print as it is.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// text writes a text: its paragraphs are filled, its indented lines are not.
func (p *page) text(text string) {
	var fixed, empty bool
	first := true
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			empty = true
			continue
		}
		if indented := strings.HasPrefix(line, "  "); indented != fixed {
			if fixed = indented; fixed {
				if !first { // a heading begins a paragraph too
					p.line("PP")
				}
				p.line("nf")
			} else {
				p.line("fi")
				p.line("PP")
			}
		} else if empty {
			p.line("PP")
		}
		empty, first = false, false
		p.WriteString(escape(line) + "\n")
	}
	if fixed {
		p.line("fi")
	}
}

func (p *page) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.line("TP")
		p.WriteString(`\fB` + escape(name) + `\fR`)
		if value != "" && f.NoOptDefVal == "" {
			p.WriteString(` \fI` + escape(value) + `\fR`)
		}
		p.WriteString("\n" + escape(usage))
		if d := f.DefValue; d != "" && d != "false" && d != "0" && d != "[]" && !strings.Contains(usage, "default") {
			p.WriteString(escape(" (default " + d + ")"))
		}
		p.WriteByte('\n')
	})
}

func newPage(root, c *cobra.Command, e edition) string {
	c.InitDefaultHelpFlag()
	p := &page{}
	p.WriteString(".\\\" Made from the help texts by internal/manpages.\n")
	// The hyphens of the date stay as they are: programs read it.
	fmt.Fprintf(p, ".TH \"%s\" \"1\" \"%s\" \"%s\" \"hermes\\-sessions\"\n", escape(strings.ToUpper(pageName(c))), e.date, escape(strings.TrimSpace("hermes-sessions "+e.version)))
	p.line("SH", "NAME")
	p.WriteString(escape(pageName(c)) + ` \- ` + escape(c.Short) + "\n")
	p.line("SH", "SYNOPSIS")
	p.WriteString(`\fB` + escape(c.CommandPath()) + `\fR` + escape(strings.TrimPrefix(c.UseLine(), c.CommandPath())) + "\n")
	if c == root {
		p.line("br")
		p.WriteString(`\fB` + escape(c.Name()) + `\fR \fIcommand\fR` + escape(" [flags]") + "\n")
	}
	p.line("SH", "DESCRIPTION")
	long := cmp.Or(c.Long, c.Short+".")
	p.text(long)
	if c == root {
		p.line("SH", "COMMANDS")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				p.line("TP")
				p.WriteString(`\fB` + escape(sub.Name()) + `\fR` + "\n" + escape(sub.Short) + "\n")
			}
		}
	}
	if c == root {
		p.line("SH", "QUERIES")
		p.text(print.LanguageHelp())
	}
	p.line("SH", "OPTIONS")
	p.flags(c.NonInheritedFlags())
	if c.InheritedFlags().HasAvailableFlags() {
		p.line("SH", "GLOBAL OPTIONS")
		p.flags(c.InheritedFlags())
	}
	if c.Example != "" {
		p.line("SH", "EXAMPLES")
		p.text(c.Example)
	}
	p.line("SH", "EXIT STATUS")
	p.text("0 done, 1 failed, nothing found or part of a damaged file is missing, 2 usage, 130 canceled.")
	if c == root {
		p.filesAndEnvironment()
	}
	p.line("SH", "SEE ALSO")
	p.seeAlso(root, c)
	return p.String()
}

// filesAndEnvironment writes the sections about the files and the environment variables of the program.
func (p *page) filesAndEnvironment() {
	for _, section := range []struct {
		title string
		items [][2]string
	}{
		{"FILES", [][2]string{
			{"~/.hermes/state.db", "The session database of Hermes."},
			{"~/.config/hermes-sessions/config.toml", "Settings. macOS and Windows have their own folders for them."},
			{"~/.local/state/hermes-sessions/state.json", "What the browser remembers between runs."},
		}},
		{"ENVIRONMENT", [][2]string{
			{"HERMES_HOME", "Hermes's home, as for Hermes itself."},
			{"HERMES_BIN", "The Hermes program to run."},
			{"XDG_CONFIG_HOME, XDG_STATE_HOME", "The folders of the settings and of what the browser remembers."},
			{"PAGER, VISUAL, EDITOR", "The programs that open a conversation for reading and editing. PAGER also shows long output."},
			{"HERMES_SESSIONS_PAGER", "Replaces PAGER. If it is empty, commands use no pager."},
			{"NO_COLOR", "Draw without colors."},
		}},
	} {
		p.line("SH", section.title)
		for _, item := range section.items {
			p.line("TP")
			p.WriteString(`\fI` + escape(item[0]) + `\fR` + "\n" + escape(item[1]) + "\n")
		}
	}
}

// seeAlso names the page of the program, or on that page all others.
func (p *page) seeAlso(root, c *cobra.Command) {
	names := []string{pageName(root)}
	if c == root {
		names = nil
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				names = append(names, pageName(sub))
			}
		}
	}
	for i, n := range names {
		end := "\n"
		if i < len(names)-1 {
			end = ",\n"
		}
		p.WriteString(`\fB` + escape(n) + `\fR(1)` + end)
	}
}
