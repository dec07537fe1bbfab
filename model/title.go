package model

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
)

// MaxTitle is how many characters (code points) a title may have.
const MaxTitle = 100

// TitleTooLong says how long a title is that has more than [MaxTitle]
// characters.
type TitleTooLong struct{ Length int }

// Error gives the words that Hermes uses.
func (e TitleTooLong) Error() string {
	return fmt.Sprintf("Title too long (%d chars, max %d)", e.Length, MaxTitle)
}

// TitleTaken says that another session has a title.
type TitleTaken struct{ Title, Owner string }

// Error gives the words that Hermes uses.
func (e TitleTaken) Error() string {
	return fmt.Sprintf("Title '%s' is already in use by session %s", e.Title, e.Owner)
}

// SanitizeTitle gives a title as it is stored: without control and invisible
// formatting characters, each run of white space one space, trimmed. "" means
// no title. The only error is a [TitleTooLong], counted after cleaning
// (store/README.md#titles). Bytes that are not UTF-8 become U+FFFD.
func SanitizeTitle(title string) (string, error) {
	var b strings.Builder
	space := false
	n := 0
	for _, r := range title {
		switch {
		case droppedFromTitle(r):
		case isTitleSpace(r):
			space = n > 0
		default:
			if space {
				b.WriteByte(' ')
				n++
			}
			space = false
			b.WriteRune(r)
			n++
		}
	}
	if n > MaxTitle {
		return "", TitleTooLong{n}
	}
	return b.String(), nil
}

// droppedFromTitle are the characters that vanish from a title. Some of them are white
// space elsewhere (U+000B, U+001C, U+2028).
func droppedFromTitle(r rune) bool {
	switch {
	case r <= 0x1f && r != '\t' && r != '\n' && r != '\r', r == 0x7f,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x2069,
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffc:
		return true
	}
	return false
}

// isTitleSpace is the white space that is left when the dropped characters are gone.
func isTitleSpace(r rune) bool {
	switch {
	case r == ' ', r == '\t', r == '\n', r == '\r', r == 0x85, r == 0xa0, r == 0x1680,
		r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// TitleBase gives a title without the number that makes it one of a lineage:
// "deploy" for "deploy #3", and "deploy" itself.
func TitleBase(title string) string {
	base, _ := splitTitle(title)
	return base
}

// splitTitle takes " #<digits>" from the end of a title; number is nil where
// there is none. As in Python the digits may be of any script.
func splitTitle(title string) (base string, number *big.Int) {
	rest := strings.TrimRightFunc(title, unicode.IsDigit)
	base, ok := strings.CutSuffix(rest, " #")
	if !ok || len(rest) == len(title) || strings.Contains(base, "\n") {
		return title, nil
	}
	digits := strings.Map(asDecimalDigit, title[len(rest):])
	number, _ = new(big.Int).SetString(digits, 10)
	return base, number
}

// asDecimalDigit gives 0 to 9 for a digit of any script. All digits of one stand
// together, from zero up.
func asDecimalDigit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// NextTitle gives the title for the next session of a lineage: base itself
// where taken is empty, else base with one more than the highest number in
// taken; a title without a number counts as 1. taken are the titles that are
// in use for this lineage. The result may be longer than [MaxTitle].
func NextTitle(base string, taken []string) string {
	if len(taken) == 0 {
		return base
	}
	highest := big.NewInt(1)
	for _, title := range taken {
		if _, n := splitTitle(title); n != nil && n.Cmp(highest) > 0 {
			highest = n
		}
	}
	return base + " #" + highest.Add(highest, big.NewInt(1)).String()
}

// SuggestTitle makes a title of what a person asked first: the first sentence
// if it is one, else as many words as are told apart at a glance. "" where
// there is nothing to make one of.
func SuggestTitle(asked string) string {
	const most = 60
	text, _ := SanitizeTitle(firstRunes(asked, MaxTitle))
	text = strings.TrimSpace(strings.TrimSuffix(text, "..."))
	runes := []rune(text)
	for i, r := range runes {
		ends := strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?:", r) && (i+1 == len(runes) || runes[i+1] == ' ')
		if ends && i >= 8 && i <= most {
			if r == '?' || r == '？' {
				i++
			}
			return strings.TrimSpace(string(runes[:i]))
		}
	}
	if len(runes) <= most {
		return strings.TrimRight(text, " .,;:–-")
	}
	cut := string(runes[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " .,;:–-")
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// TitleOwner is who has a title.
type TitleOwner struct {
	Session        string // that has it, one of the conversation's segments
	Conversation   Conversation
	EarlierSegment bool   // an earlier segment of the conversation to be renamed: from there a title moves on
	NextFree       string // the next free title with a number: "deploy #4"
}
