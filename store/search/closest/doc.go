// Package closest ranks the conversations that have most of what a query asks for,
// when few or none have all of it in one message. People remember some words of a
// conversation, in another form than they were written, from different places of it.
//
//	how did we fix the docker biuld in CI
//	    │
//	    ├─ split        the words of the query, each in one form: fix docker biuld CI;
//	    │               function words, and yesterday, say nothing about the topic; the
//	    │               times that dates name
//	    ├─ Cache        a word is looked up once while a query is typed
//	    ├─ lookUp       the forms of each word that texts have, in this order:
//	    │                 fix     as typed, and its inflections: fixed, fixes, fixing
//	    │                 biuld   nowhere: a misspelling of build; swore is none of store, as it
//	    │                         is a word
//	    │                 $HOME   nowhere: without its marks
//	    │                 gateway inside identifiers, if nowhere else: runGateway;
//	    │                         a piece of a hash, a number or a name
//	    │                         with symbols too: 3.13 in python3.13;
//	    │                         where no index holds the texts, in the newest
//	    │                 用docker部署  its parts: docker, and pairs of characters; the
//	    │                         Chinese characters where no part is anywhere;
//	    │                 编写测试  the pairs also where few have the whole: 编写一下测试
//	    │                 cmd, k8s what they are short for: command, kubernetes
//	    │                 time-out, userName, utf8  other spellings: timeout, user name, utf 8;
//	    │                         and 0.4.4 for v0.4.4
//	    │                 dockerfile  nowhere: written together, docker and file
//	    │                 change log, log in, 50 ms  neighbors that texts also have as one:
//	    │                         changelog, login, 50ms; and as a phrase, which counts a
//	    │                         little more
//	    │               with the messages that have it, by conversation, the titles, and
//	    │               the conversations of a source of this name (slack)
//	    ├─ score        each conversation: the sum over words of
//	    │                 rarity × f/(f+saturation), and a bonus for the title and the source
//	    │               rarity = ln(1 + conversations/(1 + conversations with the word))
//	    │               f = messages of the user and the agent, and a quarter of those of tools;
//	    │               less for other forms than the one typed
//	    ├─ weighLengths scores the best of them again: saturation grows with the messages
//	    │               of a conversation, as a long one has most words somewhere
//	    ├─ findBestMessages
//	    │               the message with most of the rare words, whose weight counts
//	    │               half once more: a message of the user more, a long one less
//	    ├─ order        conversations of the time get a bonus, for as much as they have of the
//	    │               other words; those with all words come first
//	    └─ cut          what is far behind the best is marked, or left out
//
// A test of package search computes the score in one SQL statement and compares
// (closestscore_test.go).
//
// # What each part earns
//
// Right conversation first / among the first five, in percent of the 287 queries on
// the invented history (internal/tools/bench/recall), with each part left out (four of them by
// its flag -without):
//
//	                                all        questions   typos
//	all of it                       93 / 97    93 / 100    97 / 100
//	parts and pairs of characters   89 / 93    79 / 86     97 / 100
//	titles                          91 / 96    93 / 98     84 / 94
//	the best message                91 / 97    90 / 100    97 / 100
//	inflections                     91 / 96    93 / 98     97 / 100
//	rarity                          91 / 96    91 / 98     97 / 100
//	corrections                     91 / 97    93 / 100    77 / 97
//	words together and apart        92 / 97    93 / 100    97 / 100
//	the length of a conversation    92 / 97    91 / 100    97 / 100
//	more for the user's messages    93 / 97    93 / 100    97 / 100
//	less for long messages          93 / 97    93 / 100    97 / 100
//	only messages with all words    19 / 19     0 / 0       0 / 0
//
// The messages of the invented history are short. In 260 queries on a history of real
// conversations, with long pasted texts, the last three earn 0.4, 1.5 and 3.1 points of
// the conversations that are first. In 339 others, neighbors of the query that are a
// phrase in the text earn 0.9, and 2.2 among the questions.
//
// Tried and left out: synonyms (delete, remove, rm) from a table of 120 groups, at 0.3 to
// 0.7 of the weight of a word. Two more of 287 queries on the invented history were first,
// and one fewer of 260 on the real one: other words for a thing are also what unrelated
// conversations are made of. Longer lists of function words changed nothing. The words of
// neighboring messages, at 0.3 to 0.5 of those of the best one, and a bonus for the
// first message of the user put as many conversations lower as higher. None of these put
// more than three of 489 queries on both histories first: words close together in the best
// message, the preview as the title of a conversation without one, less for messages that
// call tools, more for conversations with a greater share of the words, function words at
// a tenth of the weight of others.
//
// With 559 queries on 94 real conversations, half of them held out:
// counting a word once that is there in two forms, user for user's, and the inflections of
// add put a point more of the questions first in both halves, and two more of the faded
// ones in one. These did not help both halves: other derivations (verification,
// description, parser) in a table of 40 to 60; less
// for words made of two, and for the halves of one; rarity by how often speakers have a
// word, or as in BM25; the second and third best message; words in the first message of
// the user; katakana as one word; other weights for phrases, forms and long messages. A linear
// model of 21 such figures, fitted to one half, put 3 to 5 points more of the other half
// first, but the other way round 0 to 3 fewer, and a point more at most among the first
// five: what is left is other words for a thing.
//
// With 187 queries on 44 real conversations, in two halves: more or less weight for words
// with digits, dots or slashes changed nothing. These helped one half at most: newer ones
// first among scores within 1 or 3 percent, more for a title that has few other words, more
// for a best message with most of the weight of the query, more for the user's messages.
//
// With 79 queries on 26 real conversations, in two halves, and in four older sets: showing
// conversations of other scopes with all words below others that have them too put more
// of one half only among the first five, and none of the other sets.
//
// With 166 queries on 75 real conversations, and in four older sets: more weight for the
// words that are typed first, or last, and a rarity to the power of 0.85 or 1.2, put as many
// conversations lower as higher.
//
// With 90 queries on 45 real conversations, and in four older sets: what abbreviations are short
// for put 4 of 744 more first and none lower. The abbreviations of full words put 2 higher and 1
// lower, and cost most for words that are everywhere (err), so they are only looked for where they
// have a number (k8s). Other spellings changed two ranks, both to first. With 706 hyphenated words,
// identifiers and words with numbers of these conversations, each asked in another spelling, they
// put 76 percent first and 92 among the first five, instead of 55 and 76; with 680 that are in the
// plural, misspelled or turned around, 63 and 83 instead of 55 and 76. Words of time changed no
// rank: the sets have few. Treating indefinite pronouns as function words put one more among
// the first five and two fewer first; more weight for words that texts have as one changed nothing.
//
// With 118 queries on 80 real conversations, and in five older sets (1231 queries): a
// correction at 0.3 to 0.85 of the weight of a word put four at most higher, and one of 532
// made typing errors lower. Sixteen other orders of the answers with all words (tools at a
// quarter, an eighth or nothing, half steps, less for long conversations, the best message
// first) put one more first at most. That the words stand side by side put one more
// first, and of 958 pasted lines, runs of words and names 52: so it is in package search.
//
// With 116 queries on 134 real conversations, 31 of which several conversations answer but for
// the month: the bonus for the time puts 100 percent of these first instead of 48, and changes no
// other rank; conversations with all words before others changed none. Of 287 on the invented
// history the cut loses one answer, that stood tenth, and leaves 2 rows with fewer words
// or in different messages in the median.
//
// With 188 queries in other words than the texts have, on 115 real conversations, and in four
// older sets (654), each in two halves: pseudo-relevance feedback (RM3, local context analysis) put 1
// to 24 fewer of 772 first: where the best conversations are wrong, so are their words. Words that
// occur together more than by chance, as words of the query: 8 to 38 fewer first. Only for
// conversations without the word, 7 of 842 more among the first five and 1 first, the best of 13
// settings: all messages with a word would have to be read for it. Dirichlet smoothing or BM25 alone: 20 to
// 37 fewer first; mixed in, and passages of neighboring messages, as many lower as higher. A
// bonus for words in paths and addresses: 3 more first, 2 more among the first five.
//
// Halving or doubling a constant of the score changes a point or less.
//
// A word is looked up in 2 to 40 ms of CPU at a million messages, all of a question
// of nine words in up to 120 ms; with the words in the cache a ranking takes 4 ms.
// While a query is typed only its last word changes.
//
// # Where to change what
//
//	what counts as another form of a word   package analysis
//	what is looked up for a word            words.go; for two as one: compounds.go
//	the score                               closest.go
//	what a person reads about an answer     readings.go
package closest
