package print

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/redact"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
)

// Recap prints the recap of messages of the conversation of a session as Hermes does before it resumes a conversation
// (store/README.md#recap), with the speakers named as on the screen. masker is nil where
// nothing is to be masked.
func Recap(ctx context.Context, out *output.Writer, s *store.Store, id string, ids []int64, masker *redact.Masker) error {
	entries, earlier, err := readRecap(ctx, s, id, ids)
	if err != nil {
		return err
	}
	if earlier > 0 {
		fmt.Fprintf(out, "  ... %d earlier messages ...\n\n", earlier)
	}
	for _, e := range entries {
		if masker != nil {
			e.Text = masker.Text(e.Text)
		}
		if e.IsEvent {
			fmt.Fprintln(out, "  ◈ "+output.Clean(e.Text))
			continue
		}
		mark, margin := "  ◆ hermes: ", strings.Repeat(" ", 12)
		if e.FromUser {
			mark, margin = "  ● you: ", strings.Repeat(" ", 9)
		}
		text := indent(strings.TrimSpace(kit.Clean(e.Text)), margin)
		fmt.Fprintln(out, out.Bold(mark)+strings.TrimPrefix(text, margin))
	}
	return nil
}

// readRecap returns the entries of the recap of messages, and how many earlier ones it leaves
// out. It reads a page at a time and keeps only the messages that the recap may need.
func readRecap(ctx context.Context, s *store.Store, id string, ids []int64) (entries []model.RecapEntry, earlier int, err error) {
	const maxKept = 400 // more than a recap shows: some have no text
	var kept []model.Message
	for page := range slices.Chunk(ids, export.Page) {
		messages, err := s.MessagesOf(ctx, id, page)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range messages {
			if m.Author() == model.AuthorUser || m.Author() == model.AuthorAgent {
				kept = append(kept, m)
			}
		}
		if over := len(kept) - maxKept; over > 0 {
			old, k := model.Recap(kept[:over])
			earlier += len(old) + k
			kept = slices.Clone(kept[over:])
		}
	}
	entries, k := model.Recap(kept)
	return entries, earlier + k, nil
}

// indent puts a margin before each line that has text.
func indent(s, margin string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			lines[i] = ""
		} else {
			lines[i] = margin + l
		}
	}
	return strings.Join(lines, "\n")
}
