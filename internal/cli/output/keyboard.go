package output

import (
	"io"
	"os"
	"runtime"
	"strings"
)

// The marks that a terminal sends around text that is pasted.
const pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"

// Keyboard returns the reader of keys for the screen.
//
// Over a slow line the marks around a paste can come in two pieces. Bubble Tea takes a piece
// that stays alone for 50 ms for keys of its own: without the second mark everything that is
// typed later would be pasted, Ctrl+C too, and without the first one each line break of the
// text would be Enter. So pieces of them are kept back until they are whole. Where the second
// mark has been lost, as of text that is pasted while no screen is there yet, Ctrl+C stands for it.
func (t Terminal) Keyboard() io.Reader {
	if f, ok := t.In.(*os.File); ok && runtime.GOOS != "windows" { // whose console sends no marks
		return &keyboard{File: f}
	}
	return t.In
}

// interrupt is what Ctrl+C sends.
const interrupt = "\x03"

type keyboard struct {
	*os.File
	last    string // the last bytes that were read, in which a mark may begin
	kept    int    // how many of them were kept back
	pasting bool
}

// Read reads what has been typed, without a piece of a mark at its end. It can be nothing.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) < len(pasteBegins) {
		return 0, io.ErrShortBuffer
	}
	n := copy(p, k.last[len(k.last)-k.kept:])
	more, err := k.File.Read(p[n:])
	n += more
	text := k.last[:len(k.last)-k.kept] + string(p[:n])
	for rest := text; ; {
		mark, least := pasteBegins, 3 // Escape and [ may be keys
		if k.pasting {
			mark, least = pasteEnds, 1
		}
		_, after, found := strings.Cut(rest, mark)
		if found {
			k.pasting, rest = !k.pasting, after
			continue
		}
		if k.pasting && n+len(pasteEnds) <= len(p) && strings.HasSuffix(rest, interrupt) {
			k.pasting = false
			k.last = ""
			k.kept = 0
			return copy(p[n-1:], pasteEnds+interrupt) + n - 1, err
		}
		k.last = rest[max(0, len(rest)-len(mark)+1):]
		k.kept = 0
		if err == nil {
			k.kept = min(pieceOf(mark, least, rest), n)
		}
		return n - k.kept, err
	}
}

// pieceOf returns how many bytes at the end of text are the beginning of a mark, 0 if fewer
// than least are.
func pieceOf(mark string, least int, text string) int {
	for n := min(len(mark)-1, len(text)); n >= least; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
