package ui

import (
	"slices"
	"testing"
	"time"

	"hermes-sessions/ui/lineage"
	"hermes-sessions/ui/uitest"
)

// One segment alone goes by choice: the newest first, any other from there.
// What becomes of the rest is said before.
func TestOneSegmentGoesByChoice(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+d").sees("s Only the newest segment").keys("s")
		segments := d.list().Current().Segments
		d.sees("Delete the newest segment of “Kafka", "Deletes 1 segment (35 messages).", "will end with segment 3; resume continues from there", "s Whole conversation", "[ ] Other segment")
		d.keys("]").sees("Delete the newest segment") // there is none after it
		d.keys("[", "[").sees("Delete segment 2 of 4 of “Kafka", "will be split in two: segment 1 and segments 3 to 4")
		d.keys("[", "[", "[").sees("Delete segment 1 of 4 of “Kafka", "will begin with segment 2")
		d.keys("s").sees("4 segments (142 messages)", "s Only segment 1 of 4").keys("s", "]").sees("Delete segment 2 of 4")
		if d.keys("enter"); len(d.root.dialogs) != 0 || len(lib.Parted) != 0 {
			t.Fatal("Enter does not keep it")
		}
		d.keys("ctrl+d", "s", "[", "y").sees("Deleted a segment of “Kafka consumer retries #3” · alt+z undo", "12 conversations")
		if want := segments[2:3]; !slices.Equal(lib.Parted, want) {
			t.Fatalf("deleted %q, want %q", lib.Parted, want)
		}
		d.keys("alt+z").sees("Restored a segment of “Kafka consumer retries #3” (35 messages)")
		if len(lib.Parted) != 0 {
			t.Fatal("it is not back")
		}
		d.keys("down", "ctrl+d").misses("only").keys("s", "[", "]").sees("Delete “")
	})
}

// From the tree, the choice begins with the segment at hand.
func TestTheCurrentSegmentIsDeletedFromTheTree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40)
		d.keys("home").keys("d").sees("s Only segment 1 of 4").keys("s").sees("Delete segment 1 of 4", "will begin with segment 2").keys("n")
		for range 20 {
			if d.root.top().(*lineage.Screen).Current().ID == "20260102_090000_three" {
				break
			}
			d.keys("j")
		}
		d.keys("d", "s").sees("Delete segment 3 of 4", "will be split in two: segments 1 to 2 and segment 4").keys("y")
		if !slices.Equal(lib.Parted, []string{"20260102_090000_three"}) {
			t.Fatalf("deleted %q", lib.Parted)
		}
		if d.keys("u"); len(lib.Parted) != 0 {
			t.Fatal("it is not back")
		}
	})
}

// A yes never applies to the count of another choice: it waits for the count of
// the one on the screen.
func TestTheCountOfAnotherChoiceIsNotAgreedTo(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Planning = func(ids []string) time.Duration {
			if ids[0] == "d" { // the newest segment
				return time.Second
			}
			return 3 * time.Second
		}
		d := start(t, lib, 100, 24).keys("ctrl+d")
		d.wait(4 * time.Second)
		d.keys("s", "[").sees("Delete segment 3 of 4")
		d.wait(1500 * time.Millisecond) // the count of the newest has come
		d.keys("y").sees("Delete segment 3 of 4").misses("Deletes ")
		d.wait(4 * time.Second)
		d.sees("Deletes ").keys("y")
		d.wait(time.Second * 5)
		d.sees("Deleted a segment of").misses("another program")
		if !slices.Equal(lib.Parted, []string{"c"}) {
			t.Errorf("gone are %v", lib.Parted)
		}
	})
}
