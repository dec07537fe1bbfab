package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func storageCommand(a *app) *cobra.Command {
	var limit int
	var vacuum, checkpoint, yes, wide bool
	cmd := &cobra.Command{
		Use:   "storage",
		Short: "Show what takes space in the database",
		Long: `storage measures the texts of each conversation, source and month, and estimates what
deleting them would free. It only reads.

With --vacuum it removes free pages from the file. It first shows what that needs, and
asks; no other process may have the database open. With --checkpoint it moves the
write-ahead log into the file and empties it, which is safe while Hermes runs. Both
work on one database.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			switch {
			case vacuum && checkpoint:
				return fault.Usage("give either --vacuum or --checkpoint")
			case (vacuum || checkpoint) && a.selection.Demo:
				return fault.Usage("--vacuum and --checkpoint cannot be combined with --demo")
			case yes && !vacuum:
				return fault.Usage("--yes needs --vacuum")
			case vacuum || checkpoint:
				return a.compact(ctx, vacuum, yes)
			}
			var all []print.Measured
			return a.readEach(ctx, func(name string, s *store.Store) error {
				meter := a.newMeter("Measuring", messagesOf)
				m, err := print.Measure(ctx, s, meter.Messages)
				meter.Stop()
				if a.selection.Demo {
					at, _ := a.locate() // the demo is always there
					m.Sizes.Path = at.Label
				}
				m.Name = name
				all = append(all, m)
				return err
			}, func() error {
				several := a.selection.Several()
				switch {
				case a.json && several:
					return a.out.JSON(print.StorageOfSeveralObject(all, limit))
				case a.json:
					return a.out.JSON(print.StorageObject(all[0], limit))
				case several:
					return print.StorageOfSeveral(a.out, a.listOptions(wide), all, limit)
				}
				return print.Storage(a.out, a.listOptions(wide), all[0], limit)
			})
		},
	}
	a.severalFlags(cmd, "measure the databases")
	f := cmd.Flags()
	countFlag(cmd, &limit, "limit", 20, "`NUMBER` of conversations, 0 for all")
	f.BoolVar(&vacuum, "vacuum", false, "remove free pages from the file")
	f.BoolVar(&checkpoint, "checkpoint", false, "empty the write-ahead log")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask before a vacuum")
	wideFlag(cmd, &wide)
	return a.paged(cmd)
}

// compact vacuums the database, or empties its write-ahead log.
func (a *app) compact(ctx context.Context, vacuum, yes bool) (err error) {
	s, err := a.openForChange(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	f, err := s.ForecastVacuum(ctx)
	if err != nil {
		return err
	}
	o := answer.Compacted{Before: answer.FileSizesOf(f.Sizes)}
	if vacuum {
		if why := f.Why(); why != "" {
			remedy := "free disk space first"
			if f.InUse == model.InUseByOther {
				remedy = "close Hermes and the other programs first"
			}
			return &fault.Fault{Kind: "in-use", Code: 1, Message: "the database was not vacuumed: " + why, Remedy: remedy}
		}
		if err := a.confirm(ctx, yes, f.Text()+"\nVacuum "+output.Clean(f.Sizes.Path)+"? [y/N] "); err != nil {
			return err
		}
		meter := a.newMeter("Vacuuming", messagesOf)
		err = s.Vacuum(ctx)
		meter.Stop()
		if errors.Is(err, context.Canceled) {
			a.say("hermes-sessions: stopped; the database is unchanged")
		}
		o.Vacuumed = err == nil
	} else {
		o.Checkpointed, err = s.Checkpoint(ctx)
	}
	if err != nil {
		return err
	}
	after, err := s.FileSizes(ctx)
	if err != nil {
		return err
	}
	o.After = answer.FileSizesOf(after)
	if a.json {
		return a.out.JSON(o)
	}
	file, log := model.ByteSize(after.File), model.ByteSize(after.Log)
	switch {
	case vacuum:
		_, err = fmt.Fprintf(a.out, "Vacuumed: %s, was %s.\n", file, model.ByteSize(f.Sizes.File))
	case o.Checkpointed:
		_, err = fmt.Fprintf(a.out, "The write-ahead log is empty, was %s.\n", model.ByteSize(f.Sizes.Log))
	default:
		_, err = fmt.Fprintf(a.out, "The write-ahead log still has %s: another process is using the database. Try again later.\n", log)
	}
	return err
}
