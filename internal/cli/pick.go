package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
)

// picking holds the flags of a script that wants ids of conversations.
type picking struct {
	one    bool // --print-id
	multi  bool // --multi
	null   bool // --print0: a NUL after each id, not a line feed
	height int  // --height: lines of the terminal to draw in, 0 for all
}

func (p *picking) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.one, "print-id", false, "print the ID of the choice instead of resuming it")
	f.BoolVarP(&p.multi, "multi", "m", false, "choose several with tab, and print their IDs, one per line")
	f.BoolVarP(&p.null, "print0", "0", false, "like --print-id, with a NUL after each ID, for xargs -0")
	countFlag(cmd, &p.height, "height", 0, "use this many `LINES` below the prompt instead of the full screen")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("height") && p.height < 3 {
			return fault.Usage("--height needs 3 lines or more")
		}
		return nil
	}
}

// any reports whether ids are to be printed.
func (p picking) any() bool { return p.one || p.multi || p.null }

// outcome is the user's choice in the browser.
type outcome struct {
	ids   []string // none, one, or with --multi any number
	tui   bool     // resume in Hermes's terminal interface
	print bool     // print the command instead of running it
}

// printIDs prints ids for a script, with a line feed after each, or a NUL byte with null.
func printIDs(out *output.Writer, ids []string, null bool) error {
	end := "\n"
	if null {
		end = "\x00"
	}
	for _, id := range ids {
		if out.ToTerminal() {
			id = output.Clean(id)
		}
		if _, err := fmt.Fprint(out, id, end); err != nil {
			return err
		}
	}
	return nil
}
