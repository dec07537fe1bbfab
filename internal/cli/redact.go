package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model/redact"
)

// redacting is the flag --redact of a command, and what it has masked.
type redacting struct {
	words  []string
	masker *redact.Masker // nil where nothing is to be masked
}

// flag adds --redact to a command.
func (r *redacting) flag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&r.words, "redact", nil, "mask keys, tokens and passwords in known formats; --redact=emails,paths masks more")
	f.Lookup("redact").NoOptDefVal = state.RedactWords()[0]
	_ = cmd.RegisterFlagCompletionFunc("redact", cobra.FixedCompletions(state.RedactWords(), cobra.ShellCompDirectiveNoFileComp))
}

// begin reads the settings if the flag is given.
func (r *redacting) begin(a *app, cmd *cobra.Command) error {
	if !cmd.Flags().Changed("redact") {
		return nil
	}
	for _, w := range r.words {
		if _, err := (state.Redact{}).Rules([]string{w}); err != nil {
			return help.BadValue("redact", w, "must be one of "+strings.Join(state.RedactWords(), ", "), state.RedactWords()...)
		}
	}
	s, err := state.ReadSettings(a.configFile, a.Environ)
	if err != nil {
		return err
	}
	rules, err := s.Redact.Rules(r.words)
	r.masker = rules.Masker()
	return err
}

// report prints the number of masks of each kind on standard error.
func (r *redacting) report(a *app) {
	if r.masker != nil {
		a.printNote(fault.Fault{
			Kind: "redacted", Message: "redacted " + r.masker.Counts.String(),
			Remedy: "not every secret has a known format: read the result before you share it",
		})
	}
}

// alwaysMasker returns the masker of secrets for everything that leaves the browser, nil
// where the settings do not ask for it.
func (a *app) alwaysMasker() *redact.Masker {
	if !a.settings.Redact.Always {
		return nil
	}
	return a.browserMasker()
}

// browserMasker returns a masker of secrets by the rules of the settings.
func (a *app) browserMasker() *redact.Masker {
	rules, _ := a.settings.Redact.Rules(nil) // checked when the settings were read
	return rules.Masker()
}
