package help

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	textWidth = 80 // of every help text, on any terminal
	nameWidth = 24 // more than the name of a flag with its value usually has
)

// display are the flags about how something is shown, which have a section of their own.
var display = []string{"ascii", "height", "no-mouse", "plain", "theme", "tsv", "vim", "wide"}

// Text returns the help of a command, in 80 columns: what it does, how it is called, the commands
// below it by group, its flags, those about the display, and those that every command has.
func Text(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString(filled(cmp.Or(cmd.Long, cmd.Short+".")))
	usage, below := strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.HasAvailableSubCommands()
	b.WriteString("\nUsage: " + usage + " [flags]\n")
	if below {
		b.WriteString("       " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	if below {
		b.WriteString("\n" + commands(cmd))
	}
	var own, shown, every []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" && cmd.HasParent():
		case f.Name == "help" || f.Name == "version" || cmd.PersistentFlags().Lookup(f.Name) != nil:
			every = append(every, f)
		case slices.Contains(display, f.Name):
			shown = append(shown, f)
		default:
			own = append(own, f)
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { every = append(every, f) })
	if !cmd.HasParent() { // the flags of the browser stand with its command
		b.WriteString("\nFlags of every command (those of the browser: " + cmd.Name() + " browse --help):\n" + flags(every))
		return b.String()
	}
	for _, section := range []struct {
		title string
		flags []*pflag.Flag
	}{{"Flags", own}, {"Display", shown}, {"Flags of every command", every}} {
		if len(section.flags) > 0 {
			b.WriteString("\n" + section.title + ":\n" + flags(section.flags))
		}
	}
	return b.String()
}

// filled wraps the paragraphs of a text. Lines that are indented stay as they are.
func filled(text string) string {
	var b strings.Builder
	paragraph := ""
	end := func() {
		if paragraph != "" {
			b.WriteString(wrapped(paragraph, textWidth, "") + "\n")
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, " "):
			end()
			b.WriteString(line + "\n")
		default:
			paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
		}
	}
	end()
	return b.String()
}

// beside writes a text beside a name, and below it where the name leaves it no room.
func beside(b *strings.Builder, name, text string, width int) {
	margin := strings.Repeat(" ", width)
	b.WriteString(name)
	if room := width - ansi.StringWidth(name); room >= 2 {
		b.WriteString(margin[:room])
	} else {
		b.WriteString("\n" + margin)
	}
	b.WriteString(wrapped(text, textWidth-width, margin) + "\n")
}

// wrapped wraps a text at its spaces, the lines after the first behind a margin.
func wrapped(text string, width int, margin string) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := ansi.StringWidth(word)
		switch {
		case at == 0:
		case at+1+n > width:
			b.WriteString("\n" + margin)
			at = 0
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// commands lists the commands below one by their groups; a command and its opposite, such as pin and
// unpin, stand in one row.
func commands(of *cobra.Command) string {
	var b strings.Builder
	names, width := commandNames(of), 0
	for i, name := range names {
		if slices.Contains(names, "un"+name) {
			names[i] = "[un]" + name
		}
		width = max(width, len(names[i])+4)
	}
	list := func(title, group string) {
		b.WriteString(title + ":\n")
		for _, c := range of.Commands() {
			i := slices.IndexFunc(names, func(n string) bool { return strings.TrimPrefix(n, "[un]") == c.Name() })
			opposite, ok := strings.CutPrefix(c.Name(), "un")
			if i >= 0 && c.GroupID == group && !(ok && slices.Contains(names, "[un]"+opposite)) {
				beside(&b, "  "+names[i], c.Short, width)
			}
		}
	}
	for _, g := range of.Groups() {
		list(g.Title, g.ID)
	}
	if len(of.Groups()) == 0 {
		list("Commands", "")
	}
	return b.String()
}

// flags lists flags with what they do.
func flags(all []*pflag.Flag) string {
	slices.SortFunc(all, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	width := 0
	for _, f := range all {
		if n := len(flagName(f)) + 2; n <= nameWidth+4 {
			width = max(width, n)
		}
	}
	for _, f := range all {
		_, usage := pflag.UnquoteUsage(f)
		if d := f.DefValue; !slices.Contains([]string{"", "false", "0", "[]"}, d) && !strings.Contains(usage, "default") {
			usage += " (default " + d + ")"
		}
		beside(&b, flagName(f), usage, width)
	}
	return b.String()
}

// flagName is a flag as it is written, with its letter and the word for its value.
func flagName(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	value, _ := pflag.UnquoteUsage(f)
	switch {
	case f.Value.Type() == "bool":
	case f.NoOptDefVal != "":
		name += "[=" + f.NoOptDefVal + "]"
	case value != "":
		name += " " + value
	}
	return name
}

// unquote takes the marks around the words for values out of the texts of all flags, which a shell
// would show.
func unquote(cmd *cobra.Command) {
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	}
	for _, c := range cmd.Commands() {
		unquote(c)
	}
}
