package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/ui/running"
)

func runningCommand(a *app) *cobra.Command {
	var watch, wide bool
	cmd := &cobra.Command{
		Use:   "running",
		Short: "Show which sessions are working and which are waiting for you",
		Long: `running lists the sessions in which a turn goes on, however old, and the open ones
with a message in the last day: working, compressing, waiting for your next message, or
dead: the process of the turn is gone. In files of an older Hermes, which does not write
down who works, a session that should be working and has written nothing for five
minutes is silent. "Silent" is the time since the last sign of life. --watch prints the
list again whenever it changes, until ctrl+c or until its reader ends; with --json, one
line each time. Exit code 1: no open sessions.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if !watch {
				a.beginPaging(ctx)
			}
			return a.readListed(ctx, func(s listed) error {
				reader := running.Reader{Source: s}
				if watch {
					unread := func() bool { return output.Unread(a.Stdout) }
					return reader.Watch(ctx, a.Now, unread, func(rows []model.Running) error { return a.printWatched(s, rows, wide) })
				}
				rows, err := reader.Sessions(ctx, a.Now())
				switch {
				case err != nil:
					return err
				case a.json:
					err = a.out.JSON(print.RunningObject(s, rows))
				case len(rows) == 0:
					a.say("No open sessions.")
				default:
					err = print.Running(a.out, a.listOptions(wide), rows)
				}
				return cmp.Or(err, fault.NothingFound(len(rows)))
			})
		},
	}
	a.severalFlags(cmd, "show the open sessions")
	cmd.Flags().BoolVar(&watch, "watch", false, "print again whenever something changes")
	wideFlag(cmd, &wide)
	return cmd
}

// printWatched prints the list once: as a line of JSON, or with the time above it.
func (a *app) printWatched(s listed, rows []model.Running, wide bool) error {
	if a.json {
		return cmp.Or(a.out.JSONLine(print.RunningObject(s, rows)), a.out.Flush())
	}
	fmt.Fprintln(a.out, a.out.Faint(a.Now().Format(time.TimeOnly)))
	if len(rows) == 0 {
		fmt.Fprintln(a.out, "No open sessions.")
	} else if err := print.Running(a.out, a.listOptions(wide), rows); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	return a.out.Flush()
}
