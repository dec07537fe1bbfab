package output

import (
	"bytes"
	"errors"
	"iter"
	"testing"
)

// A streamed answer has the bytes of one that is written at once.
func TestAStreamedAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	type answer struct {
		List []any  `json:"list"`
		Text string `json:"text"`
	}
	each := func(all []any, err error) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) {
			for _, item := range all {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
	for _, list := range [][]any{{}, {1}, {"<\u202e\u0085\n", map[string]any{"a": []int{1, 2}, "b": map[string]any{}}, nil}} {
		var whole, streamed bytes.Buffer
		w, s := NewWriter(&whole, nil), NewWriter(&streamed, nil)
		if err := errors.Join(w.JSON(answer{list, "[]"}), w.Flush(), s.JSONStream(answer{[]any{}, "[]"}, each(list, nil)), s.Flush()); err != nil {
			t.Fatal(err)
		}
		if whole.String() != streamed.String() {
			t.Errorf("streamed %s, at once %s", &streamed, &whole)
		}
	}
	failed := errors.New("read")
	if err := NewWriter(&bytes.Buffer{}, nil).JSONStream(answer{List: []any{}}, each([]any{1}, failed)); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
}
