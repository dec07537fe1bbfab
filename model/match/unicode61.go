package match

import (
	"unicode"
	"unicode/utf8"
)

// The words of a text are the tokens of FTS5's default tokenizer, unicode61 with
// remove_diacritics=1: runs of letters, digits and characters for private use.
// Case and most diacritics do not count; everything else separates words.

// diacritics lists, for each Latin base letter, the lower-case letters that
// unicode61 folds to it. Letters with two diacritics (ở) are not among them:
// remove_diacritics=1 leaves those as they are.
var diacritics = invert(map[rune]string{
	'a': "àáâãäåāăąǎȁȃȧḁạả",
	'b': "ḃḅḇ",
	'c': "çćĉċč",
	'd': "ďḋḍḏḑḓ",
	'e': "èéêëēĕėęěȅȇȩḙḛẹẻẽ",
	'f': "ḟ",
	'g': "ĝğġģǧǵḡ",
	'h': "ĥȟḣḥḧḩḫẖ",
	'i': "ìíîïĩīĭįǐȉȋḭỉị",
	'j': "ĵǰ",
	'k': "ķǩḱḳḵ",
	'l': "ĺļľḷḻḽ",
	'm': "ḿṁṃ",
	'n': "ñńņňǹṅṇṉṋ",
	'o': "òóôõöōŏőơǒǫȍȏȯọỏ",
	'p': "ṕṗ",
	'r': "ŕŗřȑȓṙṛṟ",
	's': "śŝşšſșṡṣẛ",
	't': "ţťțṫṭṯṱẗ",
	'u': "ùúûüũūŭůűųưǔȕȗṳṵṷụủ",
	'v': "ṽṿ",
	'w': "ŵẁẃẅẇẉẘ",
	'x': "ẋẍ",
	'y': "ýÿŷȳẏẙỳỵỷỹ",
	'z': "źżžẑẓẕ",
	'β': "ϐ", 'ε': "ϵ", 'θ': "ϑ", 'ι': "\u1fbe", 'κ': "ϰ", 'μ': "µ", 'π': "ϖ", 'ρ': "ϱ", 'σ': "ς", 'φ': "ϕ",
})

func invert(m map[rune]string) map[rune]rune {
	t := map[rune]rune{}
	for base, all := range m {
		for _, r := range all {
			t[r] = base
		}
	}
	return t
}

// Fold returns the character as it is compared: in lower case and without its
// diacritic.
func Fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	r = unicode.ToLower(r)
	if r < 0x2000 {
		if base, ok := diacritics[r]; ok {
			return base
		}
	}
	return r
}

// foldedASCII holds the folded form of ASCII letters and digits, 0 for the others.
var foldedASCII = func() (t [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) {
			t[c] = byte(unicode.ToLower(rune(c)))
		}
	}
	return t
}()

// IsWord reports whether r is part of a word.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return foldedASCII[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// IsMark reports whether r is a combining mark from U+0300 to U+0331 that
// unicode61 skips inside a word: the word goes on, without the mark.
func IsMark(r rune) bool {
	if r < 0x300 || r > 0x331 {
		return false
	}
	switch {
	case r <= 0x304, r >= 0x306 && r <= 0x30c, r == 0x30f, r == 0x311, r == 0x31b,
		r >= 0x323 && r <= 0x328, r == 0x32d, r == 0x32e, r == 0x330, r == 0x331:
		return true
	}
	return false
}

// IsUnspaced reports whether r belongs to a script without spaces between words,
// or whose particles are written together with words (Hangul). A term in such a
// script is found anywhere in a text.
func IsUnspaced(r rune) bool {
	if r < 0xe00 || isCommonUnspaced(r) {
		return r >= 0xe00
	}
	switch r {
	case 'ー', 'ｰ', '〱', '〲', '〳', '〴', '〵': // marks of both kana, which Unicode puts into neither script
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// isCommonUnspaced reports whether r is one of the letters that most texts in such scripts
// consist of, without a look into the tables of Unicode.
func isCommonUnspaced(r rune) bool {
	return 'ぁ' <= r && r <= 'ゖ' || 'ァ' <= r && r <= 'ヺ' || '一' <= r && r <= '\u9fff' || '가' <= r && r <= '힣'
}

// EachWord calls each with the words of a text, in the folded form in which they are compared. The
// bytes are valid during the call.
func EachWord(text string, each func(folded []byte)) {
	var buf []byte
	for i := 0; ; {
		start, end, folded := nextWord(text, i, buf[:0])
		if start == len(text) {
			return
		}
		each(folded)
		i, buf = end, folded
	}
}

// nextWord returns the first word of text at or after i, text[start:end], and
// appends its folded form to buf. start is len(text) when there is none.
func nextWord(text string, i int, buf []byte) (start, end int, folded []byte) {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if foldedASCII[c] != 0 {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if IsWord(r) {
			break
		}
		i += size
	}
	start = i
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if c = foldedASCII[c]; c == 0 {
				break
			}
			buf = append(buf, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if IsWord(r) {
			buf = utf8.AppendRune(buf, Fold(r))
		} else if !IsMark(r) {
			break
		}
		i += size
	}
	return start, i, buf
}
