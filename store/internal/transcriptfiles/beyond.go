package transcriptfiles

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// sameMoment is how far apart the times of one message may be: the database has the time at
// which a turn was written, a file may have that of the message itself.
const sameMoment = 10 * time.Minute

// fact is by what a message of a file is recognized among others: role, text, the call that
// it answers and the calls that it makes; and its time, where both have one.
type fact struct {
	of [sha256.Size]byte
	at time.Time
}

func factOf(m model.Message) fact {
	h := sha256.New()
	part := func(s string) {
		h.Write(append([]byte(strings.ToValidUTF8(s, "\uFFFD")), 0))
	}
	part(m.Role)
	part(m.Content.Text)
	part(m.ToolCallID)
	for _, a := range m.Content.Media {
		part(a.Kind)
	}
	for _, c := range m.Calls {
		part(c.ID)
		part(c.Name)
	}
	f := fact{at: m.At}
	h.Sum(f.of[:0])
	return f
}

// stock holds messages, each of which answers for one message of a file.
type stock map[[sha256.Size]byte][]time.Time

// add adds a message.
func (s stock) add(f fact) { s[f.of] = append(s[f.of], f.at) }

// take removes the first message that is the same, and reports whether there was one.
func (s stock) take(f fact) bool {
	at := slices.IndexFunc(s[f.of], func(at time.Time) bool {
		return at.IsZero() || f.at.IsZero() || at.Sub(f.at).Abs() <= sameMoment
	})
	if at >= 0 {
		s[f.of] = slices.Delete(s[f.of], at, at+1)
	}
	return at >= 0
}

// beyond calls each, if not nil, with each message of a session's files that the database does
// not have, in their order, and returns how many there are. A message is there when the
// session has one of the same role, text and calls, within ten minutes where both have a
// time, whether or not it was rewound since; each of those answers for one message. What a
// file says about the session, and the system prompt, are no turns. newest is the highest id of
// the messages that the database has.
func (f *Folder) beyond(ctx context.Context, c *Conversation, each func(o pyjson.Object, newest int64) error) (n int, broken []Broken, err error) {
	newest := int64(0)
	stored := stock{}
	column := func(name string) string { return f.db.Schema.ColumnOrNull("messages", "m", name) }
	err = db.EachRow(ctx, f.db.Pool, `SELECT m.role, `+column("content")+`, `+column("tool_calls")+`, `+column("tool_call_id")+`, m.timestamp, m.id
		FROM messages m WHERE m.session_id = ? ORDER BY m.id`, []any{c.ID}, func(r db.Row) {
		m := model.Message{Role: r.Text(0), Calls: db.CallsOf(r[2]), ToolCallID: r.Text(3), At: r.Time(4)}
		m.Content, _ = model.DecodeContent(r.Text(1)) // what cannot be decoded is given as it is stored
		stored.add(factOf(m))
		newest = r.Int(5)
	})
	if err != nil {
		return 0, nil, f.db.WrapError("compare transcript files with", err)
	}
	broken, err = c.each(ctx, func(o pyjson.Object, own time.Time) error {
		m := decode(o)
		m.At = own
		if m.Role == "session_meta" || m.Role == "system" || stored.take(factOf(m)) {
			return nil
		}
		if n++; each == nil {
			return nil
		}
		return each(o, newest)
	})
	return n, broken, f.wrap(err)
}

// maxCompared is how many bytes of files are compared with the database without being asked
// to: about two seconds.
const maxCompared = 64 << 20

// Reports says what files have of sessions of the database; those without files are left out.
func (f *Folder) Reports(ctx context.Context, ids []string) (all []model.TranscriptFiles, err error) {
	for _, id := range ids {
		if r := f.report(ctx, id, maxCompared); r != nil {
			all = append(all, *r)
		}
	}
	return all, ctx.Err()
}

// Details returns what is known of a conversation that only files have.
func (f *Folder) Details(ctx context.Context, c *Conversation) (model.Details, error) {
	d := model.Details{Conversation: c.Conversation()}
	if r := f.report(ctx, c.ID, maxCompared); r != nil {
		r.Only = true
		d.Files = append(d.Files, *r)
	}
	return d, ctx.Err()
}

// report says what the files of a session have, nil for a session without files. Files of more
// than limit bytes are not compared with the database. What cannot be read is in the report.
func (f *Folder) report(ctx context.Context, id string, limit int64) *model.TranscriptFiles {
	names := db.TranscriptNames(f.db.Transcripts, id)
	if len(names) == 0 {
		return nil
	}
	c := f.files(id, names)
	r := &model.TranscriptFiles{Session: id, Names: c.names(), Bytes: c.bytes()}
	if r.Compared = r.Bytes <= limit; !r.Compared {
		return r
	}
	c, err := f.Open(ctx, id)
	var broken []Broken
	if err == nil && c != nil {
		r.Beyond, broken, err = f.beyond(ctx, c, nil)
		broken = append(slices.Clone(c.broken), broken...)
	}
	for _, b := range broken {
		r.Broken = append(r.Broken, b.Error())
	}
	if err != nil {
		r.Broken = append(r.Broken, names[0]+": "+db.CauseOf(err))
	}
	return r
}

// The kinds of the notes of a checkup.
const (
	NoteOnlyInFiles = "only-in-files"
	NoteBeyond      = "messages-in-files"
	NoteBroken      = "broken-file"
	NoteNotCompared = "files-not-compared"
	NoteUnread      = "files-unread"
)

// maxNotes is how many conversations a checkup names.
const maxNotes = 10

// Check says what stands in files alone, and what of the files cannot be read. Files of more
// than [maxCompared] bytes together are compared only if it is to be thorough.
func (f *Folder) Check(ctx context.Context, thorough bool) (notes []model.HealthNote, err error) {
	l, err := f.current(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return []model.HealthNote{{Kind: NoteUnread, Message: "the transcript files could not be read: " + db.CauseOf(err), Remedy: model.AdviseToRun("check the permissions of the folder", "ls -ld "+model.ShellWord(f.db.Transcripts))}}, nil
	}
	toImport := func(text, id string) model.Remedy {
		return model.Remedy{Kind: model.RemedyImport, Text: text, Object: id}
	}
	only := map[string]bool{}
	var ids []string
	for _, h := range l.only {
		only[h.ID] = true
		ids = append(ids, h.ID)
	}
	if n := len(ids); n > 0 {
		named := strings.Join(ids[:min(n, maxNotes)], ", ")
		if n > maxNotes {
			named += ", …"
		}
		notes = append(notes, model.HealthNote{
			Kind: NoteOnlyInFiles, Message: model.Quantity(n, "conversation") + " only in files of the folder sessions, and not in the database: " + named,
			Remedy: toImport("import what should be in it", ids[0]),
		})
	}
	left := int64(maxCompared)
	var skipped, more int
	for _, id := range slices.Sorted(maps.Keys(l.names)) {
		if thorough {
			left = math.MaxInt64
		}
		r := f.report(ctx, id, left)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case r == nil:
			continue
		case !r.Compared:
			skipped++
			continue
		}
		left -= r.Bytes
		where := "sessions/" + r.Names[0]
		if beyond := r.Beyond > 0 && !only[id]; beyond || len(r.Broken) > 0 {
			if len(notes) > maxNotes {
				more++
				continue
			}
			if beyond {
				notes = append(notes, model.HealthNote{
					Kind: NoteBeyond, Message: where + " has " + model.Quantity(r.Beyond, "message") + " that the database does not have",
					Remedy: toImport("import them", id),
				})
			}
			if n := len(r.Broken); n > 0 {
				text := "sessions/" + r.Broken[0]
				if n > 1 {
					text += fmt.Sprintf(" (and %d more)", n-1)
				}
				notes = append(notes, model.HealthNote{Kind: NoteBroken, Message: text, Remedy: model.Advise("everything else in the file can be read")})
			}
		}
	}
	if more > 0 {
		notes = append(notes, model.HealthNote{Kind: NoteBeyond, Message: model.Quantity(more, "more conversation") + " with messages in files alone, or with broken files", Remedy: model.Advise("the details of a conversation say so")})
	}
	if skipped > 0 {
		notes = append(notes, model.HealthNote{
			Kind: NoteNotCompared, Message: "the transcript files of " + model.Quantity(skipped, "session") + " were not compared with the database, because they are large",
			Remedy: model.Remedy{Kind: model.RemedyCompare, Text: "compare them too", Object: f.db.Path},
		})
	}
	return notes, nil
}
