package cli

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
)

// namesHelp is the sentence of the help texts about the names of sessions.
const namesHelp = `Name a session by its ID or a unique prefix of it, or by its title or a unique
part of it, in any case. A title that others continue with a number means the newest
of them: of 'deploy', 'deploy #2' and 'deploy #3' the last. PROFILE/ID names a session
of another profile.`

// findSession returns the session that a name means, by [store.Store.MatchName].
func findSession(ctx context.Context, s *store.Store, name string) (string, error) {
	m, err := s.MatchName(ctx, name)
	if err != nil {
		return "", err
	}
	return onlyOne(ctx, s, name, m)
}

// findSessionToDelete is Find for a session that is to be deleted: neither a part of a title nor that of
// a series names it, and the error says which conversation it would be.
func findSessionToDelete(ctx context.Context, s *store.Store, name string) (string, error) {
	m, err := s.MatchName(ctx, name)
	if err != nil {
		return "", err
	}
	if (m.By == model.NamePart || m.By == model.NameSeries) && len(m.Sessions) == 1 {
		f := &fault.Fault{
			Kind: "part-of-title", Code: 1, Candidates: candidates(m.Sessions),
			Message: fmt.Sprintf("'%s' is only part of the title of %s", name, nameOf(m.Sessions[0])),
			Remedy:  "use its ID or its whole title",
			Command: "hermes-sessions delete " + model.ShellWord(m.Sessions[0].ID),
		}
		if m.By == model.NameSeries {
			f.Kind, f.Command = "series-of-titles", ""
			f.Message = fmt.Sprintf("'%s' is the title of a series, of which %s is the newest", name, nameOf(m.Sessions[0]))
			f.Remedy = "use the ID of the one to delete"
		}
		return "", f
	}
	return onlyOne(ctx, s, name, m)
}

// onlyOne returns the session that a match means, or says why there is not one.
func onlyOne(ctx context.Context, s *store.Store, name string, m model.NameMatch) (string, error) {
	if m.By == model.NameUnknown {
		return "", unknownName(ctx, s, name, m.Sessions)
	}
	if len(m.Sessions) == 1 {
		return m.Sessions[0].ID, nil
	}
	f := &fault.Fault{
		Kind: model.KindAmbiguous, Code: 1, Candidates: candidates(m.Sessions),
		Message: fmt.Sprintf("'%s' matches %s: %s", name, output.Count(len(m.Sessions), "session", "sessions"), strings.Join(namesOf(m.Sessions, maxNamed), ", ")),
	}
	if len(m.Sessions) > maxNamed {
		f.Message += ", …"
	}
	switch m.By {
	case model.NameID:
		f.Remedy = "use a longer prefix of the ID"
	case model.NameTitle:
		f.Remedy = "use an ID"
	default:
		f.Remedy = "use an ID, or more of the title"
	}
	return "", f
}

// The numbers of sessions that an error names.
const (
	maxNamed      = 5
	maxMeant      = 3
	maxCandidates = 20 // in JSON
)

// unknownName returns the error for a name that no session has. It offers those with a
// similar name, else those that a search finds by more than half of the words.
func unknownName(ctx context.Context, s *store.Store, name string, similar []model.NamedSession) error {
	if words := query.Parse(name, false); len(similar) == 0 && !words.FiltersOnly() {
		found, err := s.Search(ctx, words, query.ListOptions{Closest: true, Limit: maxMeant})
		if err != nil {
			return err
		}
		for _, m := range found.Matches {
			if m.Close && 2*len(m.Missing) >= m.Words {
				continue
			}
			similar = append(similar, model.NamedSession{ID: m.ID, Title: m.Title})
		}
	}
	f := &fault.Fault{
		Kind: model.KindNotFound, Code: 1, Candidates: candidates(similar),
		Message: fmt.Sprintf("Session '%s' not found.", name), Remedy: "look it up in the list", Command: kit.RemedyCommand(model.Remedy{Kind: model.RemedyList}),
	}
	if names := namesOf(similar, maxMeant); len(names) > 0 {
		last := len(names) - 1
		f.Remedy = names[last]
		if last > 0 {
			f.Remedy = strings.Join(names[:last], ", ") + " or " + names[last]
		}
		f.Remedy, f.Command = "did you mean "+f.Remedy+"?", ""
	}
	return f
}

// namesOf names up to most sessions.
func namesOf(sessions []model.NamedSession, most int) (names []string) {
	for _, s := range sessions[:min(len(sessions), most)] {
		names = append(names, nameOf(s))
	}
	return names
}

// nameOf names a session by its id and, in short, its title.
func nameOf(s model.NamedSession) string {
	if title := output.Clean(s.Title); title != "" {
		return fmt.Sprintf("%s '%s'", s.ID, ansi.Truncate(title, 40, "…"))
	}
	return s.ID
}

// candidates returns sessions for the JSON of an error.
func candidates(sessions []model.NamedSession) (all []answer.Candidate) {
	for _, s := range sessions[:min(len(sessions), maxCandidates)] {
		all = append(all, answer.Candidate{ID: s.ID, Title: output.OrNull(s.Title)})
	}
	return all
}

// messageSuffix matches an id that a message follows: ID#12. Titles end in " #12".
var messageSuffix = regexp.MustCompile(`^(.*[^ ])#(\d+)$`)

// findMessage returns the session that a name means, and the id of the message if the
// name ends in one, else 0. A title may itself end in #2, so the name is first looked
// up as it is. find looks a name up.
func findMessage(name string, find func(name string) (string, error)) (id string, message int64, err error) {
	id, err = find(name)
	parts := messageSuffix.FindStringSubmatch(name)
	if err == nil || parts == nil {
		return id, 0, err
	}
	message, perr := strconv.ParseInt(parts[2], 10, 64)
	found, ferr := find(parts[1])
	if ferr != nil || perr != nil {
		return "", 0, err
	}
	return found, message, nil
}
