package analysis

import "strings"

// IsFunctionWord reports whether an English word says little of what a text is
// about: articles, pronouns, prepositions, auxiliary verbs, and what questions about
// earlier conversations are made of (that, where, how, remember). Yesterday and the like
// are, in ten languages. word is in lower case.
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
my no nor not now of off on once one only onto or other our ours out over own please pls plz re
really s same shall she should shouldn so some somehow something sometime stuff such t than
that thats the their theirs them then there these they thing things this those through to
too under until up upon us use used using ve very via want wanted was wasn way we went were
weren what when where whether which while who whom whose why will with within without won
would wouldn yes yet you your yours
myself yourself himself herself itself ourselves yourselves themselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent im isnt shouldnt wasnt werent whats
wont wouldnt youre
ago yesterday today tonight recently lately gestern heute vorgestern neulich hier ayer hoy ontem hoje ieri oggi вчера
сегодня недавно 어제 오늘 그저께 지난주 지난달 최근 昨天 今天 前天 上周 上次 最近 昨日 今日 先週 先月
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

// IsFunctionPair reports whether a pair of characters of Chinese or Japanese is a
// function word, or two halves of such: 我们, 怎么, 多少, した.
func IsFunctionPair(pair string) bool {
	_, ok := functionPairs[pair]
	return ok || !strings.ContainsFunc(pair, func(r rune) bool { return !IsFunctionCharacter(r) })
}

var functionPairs = func() map[string]struct{} {
	set := map[string]struct{}{}
	for _, p := range strings.Fields(`
一个 一些 一样 一下 一直 为什 之前 之后 事情 他们 以前 以后 你们 其他 几个 可以 可能 因为 多少 如何 如果 已经
应该 或者 所以 时候 是否 有些 有的 没有 然后 现在 知道 觉得 记得 请问 还是 这个 这些 那个 那些 哪个 哪些 哪里
每个 我们 咱们 需要 东西 不会 不是 不能 昨天 今天 前天 上周 上次 最近 昨日 今日 先週 先月`) {
		set[p] = struct{}{}
	}
	return set
}()
