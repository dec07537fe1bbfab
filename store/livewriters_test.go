package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// python writes as Hermes does: a message at a time, with its patience. It
// stops when its input ends, and says how many it wrote.
const python = `
import random, select, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], timeout=1.0, isolation_level=None)
db.execute("PRAGMA foreign_keys=ON")
n = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    for attempt in range(15):
        try:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
                       ("python", "quagga number %d of python" % n, time.time()))
            db.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = 'python'")
            db.execute("COMMIT")
            n += 1
            break
        except sqlite3.OperationalError as e:
            if db.in_transaction: db.execute("ROLLBACK")
            if attempt == 14 or not ("locked" in str(e) or "busy" in str(e)): raise
            time.sleep(random.uniform(0.02, 0.15))
    time.sleep(float(sys.argv[2]))
print(n)
`

// The other half of TestAllOperationsBesideLiveWriters.
func TestLiveWriterChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_LIVE")
	if path == "" {
		t.Skip("runs inside TestAllOperationsBesideLiveWriters")
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := time.ParseDuration(os.Getenv("STORE_TEST_REST"))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	for n := 0; ; n++ {
		select {
		case <-stop:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			fmt.Printf("wrote %d\n", n)
			return
		default:
		}
		if err := db.SleepContext(t.Context(), rest); err != nil { // no model answers faster
			t.Fatal(err)
		}
		if _, err := s.AppendMessage(t.Context(), "go", sessiondb.NewMessage{Role: "user", Content: fmt.Sprintf("quagga number %d of go", n)}); err != nil {
			t.Fatal(err)
		}
	}
}

// Two processes append message after message while this one lists, searches,
// reads, renames, appends, deletes and restores: no process gets an error, and no
// row is lost.
// A campaign goes on for three quarters of a minute.
func TestAllOperationsBesideLiveWriters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} {
		// With a rollback journal no process reads while another one writes, so two
		// writers without pauses would leave no time for others.
		rest := time.Millisecond
		if name == "v25.db" {
			rest = 20 * time.Millisecond
		}
		rounds := campaign.Length(5, 1000)
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			s := reopen(t, path)
			ctx := t.Context()
			for _, id := range []string{"go", "python", "mine", "gone"} {
				if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli"}); err != nil {
					t.Fatal(err)
				}
			}
			writers := map[string]*exec.Cmd{"go": child(ctx, "TestLiveWriterChild", "STORE_TEST_LIVE="+path, "STORE_TEST_REST="+rest.String())}
			if python3, err := exec.LookPath("python3"); err == nil && runtime.GOOS != "windows" {
				writers["python"] = exec.Command(python3, "-c", python, path, fmt.Sprint(rest.Seconds()))
			}
			outs, ended := map[string]*strings.Builder{}, map[string]chan error{}
			var ins []io.WriteCloser
			for id, c := range writers {
				in, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				ins = append(ins, in)
				outs[id] = &strings.Builder{}
				c.Stdout, c.Stderr = outs[id], outs[id]
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				end := make(chan error, 1)
				go func() { end <- c.Wait() }()
				ended[id] = end
			}
			stillWriting := func() {
				t.Helper()
				for id := range writers {
					select {
					case err := <-ended[id]:
						t.Fatalf("%s ended early: %v\n%s", id, err, outs[id])
					default:
					}
				}
			}
			asked := query.Query{Text: "quagga", Groups: []match.Group{{All: []match.Term{{Text: "quagga"}}}}}
			tip := texts(t, s, `SELECT id FROM sessions WHERE title IS NULL LIMIT 1`)[0]
			begun := func() bool { // a process takes a while to start
				n := Count(t, s, `SELECT count(DISTINCT session_id) FROM messages WHERE session_id IN ('go', 'python')`)
				return n == len(writers)
			}
			last, mine, gone := 0, 0, 0
			for i := 0; i < rounds || i < rounds+5000 && !begun(); i++ {
				if stillWriting(); name == "v25.db" { // no other process writes while this one reads
					if err := db.SleepContext(ctx, rest); err != nil {
						t.Fatal(err)
					}
				}
				list := query.ListOptions{Scope: model.ScopeAll, Limit: 50}
				if _, err := s.Conversations(ctx, list); err != nil {
					t.Fatalf("list, round %d: %v", i, err)
				}
				found, err := s.Search(ctx, asked, list)
				if err != nil {
					t.Fatalf("search, round %d: %v", i, err)
				}
				if found.Hits < last {
					t.Fatalf("round %d finds %d, the one before found %d", i, found.Hits, last)
				}
				last = found.Hits
				if _, err := s.SetTitle(ctx, tip, fmt.Sprint("round ", i)); err != nil {
					t.Fatalf("rename, round %d: %v", i, err)
				}
				if _, err := s.AppendMessage(ctx, "mine", sessiondb.NewMessage{Role: "user", Content: "quagga of mine"}); err != nil {
					t.Fatalf("append, round %d: %v", i, err)
				}
				mine++
				if i%20 == 0 {
					if _, err := s.AppendMessage(ctx, "gone", sessiondb.NewMessage{Role: "user", Content: "okapi of mine"}); err != nil {
						t.Fatalf("append, round %d: %v", i, err)
					}
					gone++
				}
				u, err := s.Delete(ctx, []string{"gone"}, model.DeleteOptions{})
				if err != nil || u.Deleted().Messages != gone {
					t.Fatalf("delete, round %d: %+v %v", i, u, err)
				}
				if err := errors.Join(s.Restore(ctx, u, model.RestoreOptions{}), u.Close()); err != nil {
					t.Fatalf("restore, round %d: %v", i, err)
				}
				if _, err := s.Tail(ctx, "go", 5); err != nil {
					t.Fatalf("read, round %d: %v", i, err)
				}
			}
			for _, in := range ins {
				in.Close()
			}
			if got := Count(t, s, `SELECT count(*) FROM messages_fts f JOIN messages m ON m.id = f.rowid
				WHERE messages_fts MATCH 'okapi' AND m.session_id = 'gone'`); got != gone {
				t.Errorf("%d messages came back and are found, not %d", got, gone)
			}
			want := map[string]int{"mine": mine}
			for id := range writers {
				if err := <-ended[id]; err != nil {
					exit, _ := errors.AsType[*exec.ExitError](err)
					t.Fatalf("%s: %v %v\n%s", id, err, exit, outs[id])
				}
				want[id] = wrote(t, outs[id].String())
				if want[id] == 0 {
					t.Errorf("%s wrote nothing", id)
				}
			}
			for id, n := range want {
				if got := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = '`+id+`'`); got != n {
					t.Errorf("%s wrote %d messages, %d are there", id, n, got)
				}
				if got := Count(t, s, `SELECT message_count FROM sessions WHERE id = '`+id+`'`); got != n {
					t.Errorf("%s wrote %d messages, %d are counted", id, n, got)
				}
				if got := Count(t, s, `SELECT count(*) FROM messages_fts f JOIN messages m ON m.id = f.rowid
					WHERE messages_fts MATCH 'quagga' AND m.session_id = '`+id+`'`); got != n {
					t.Errorf("%s wrote %d messages, %d are found", id, n, got)
				}
			}
			indexed(t, otherConnection(t, path), true)
			t.Logf("%d rounds beside %v", mine, want)
		})
	}
}

// wrote reads the number that a writer says at its end.
func wrote(t testing.TB, out string) int {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		if n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "wrote ")); err == nil {
			return n
		}
	}
	t.Fatalf("no number in %q", out)
	return 0
}
