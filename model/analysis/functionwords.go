package analysis

import "strings"

// IsFunctionWord reports whether an English word says little of what a text is
// about: articles, pronouns, prepositions, auxiliary verbs, and what questions about
// earlier conversations are made of (that, where, how, remember). word is in lower
// case.
func IsFunctionWord(word string) bool {
	_, ok := functionWords[word]
	return ok
}

var functionWords = func() map[string]struct{} {
	set := map[string]struct{}{}
	for _, w := range strings.Fields(`
a about after again all also am an and any are aren as at be because been before being
between both but by came can cannot come could couldn did didn do does doesn doing don
done down during each even ever few for from get gets getting go goes going gone got had
hadn has hasn have haven having he her here hers him his how i if im in into is isn it its
ive just kind let like ll made make makes many may maybe me might mine more most much must
my no nor not now of off on once one only onto or other our ours out over own please re
really s same shall she should shouldn so some somehow something sometime stuff such t than
that thats the their theirs them then there these they thing things this those through to
too under until up upon us use used using ve very via want wanted was wasn way we went were
weren what when where whether which while who whom whose why will with within without won
would wouldn yes yet you your yours
remember conversation chat session talk talked discussed asked told said`) {
		set[w] = struct{}{}
	}
	return set
}()

// IsFunctionCharacter reports whether a character of Chinese or Japanese mostly has
// the place of a function word, alone or at the border of another word: particles,
// pronouns, prepositions, endings.
func IsFunctionCharacter(r rune) bool {
	return r >= 'ぁ' && r <= 'ん' || strings.ContainsRune(functionCharacters, r)
}

const functionCharacters = "的了是在和与或把被给让我你您他她它这那哪有没不也都就还又很吗呢吧啊着过得地个些里上下中从到对向为以用于及之其此所而且但如则会能可要想去来说看做怎么什谁几"
