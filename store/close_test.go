package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/sessiondb"
)

// Closing amid calls that have just been canceled leaves nothing beside the
// file: the process may end right after it.
func TestCloseWaitsForCanceledCalls(t *testing.T) {
	for range 20 {
		path := fixture(t, "v11.db")
		ctx, cancel := context.WithCancel(t.Context())
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan bool)
		for range 4 {
			go func() {
				begun <- true
				for ctx.Err() == nil {
					// Canceled in the middle: its answer does not matter.
					_, _ = s.Search(ctx, query.Parse("the", false), query.ListOptions{})
				}
			}()
		}
		for range 4 {
			<-begun
		}
		cancel()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name() != filepath.Base(path) {
				t.Fatalf("%s is left beside the file", f.Name())
			}
		}
	}
}

// After Close every call says that the database was closed, a change included that
// would have been the first one; and Close can be called again.
func TestCallsAfterClose(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	id := texts(t, s, `SELECT min(id) FROM sessions`)[0]
	undone, err := s.Delete(t.Context(), []string{texts(t, s, `SELECT max(id) FROM sessions`)[0]}, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fresh := openFixture(t, "v25.db")
	for _, s := range []*Store{s, fresh} {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	given := map[reflect.Type]reflect.Value{}
	for _, v := range []any{
		t.Context(), id,
		[]string{id},
		sessiondb.NewSession{ID: "x", Source: "cli"},
		sessiondb.NewMessage{Role: "user"},
		strings.NewReader(`{"id": "x", "source": "cli", "started_at": 1, "messages": []}`), io.Discard,
		[]int64{1},
		model.SessionSlice{},
		query.Parse("the", false), undone,
	} {
		given[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	for _, s := range []*Store{s, fresh} {
		v := reflect.ValueOf(s)
		for i := range v.NumMethod() {
			name, call := v.Type().Method(i).Name, v.Method(i)
			in, out := call.Type().NumIn(), call.Type().NumOut()
			if name == "Close" || out == 0 || call.Type().Out(out-1) != reflect.TypeFor[error]() {
				continue
			}
			var args []reflect.Value
			for k := range in {
				want := call.Type().In(k)
				arg, ok := given[want]
				for have, v := range given {
					if !ok && want.Kind() == reflect.Interface && have.Implements(want) {
						arg, ok = v, true
					}
				}
				if !ok {
					arg = reflect.Zero(want)
				}
				args = append(args, arg)
			}
			if call.Type().IsVariadic() {
				args = args[:in-1]
			}
			err, _ := call.Call(args)[out-1].Interface().(error)
			if kind(err) != model.KindClosed {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
