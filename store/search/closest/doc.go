// Package closest ranks the conversations that have most of what a query asks for,
// when few or none have all of it in one message. People remember some words of a
// conversation, in another form than they were written, from different places of it.
//
//	how did we fix the docker biuld in CI
//	    │
//	    ├─ split        the words of the query: fix docker biuld CI; function words say
//	    │               nothing of the topic
//	    ├─ Cache        a word is looked up once while a query is typed
//	    ├─ lookUp       what stands for each word in the texts, in this order:
//	    │                 fix     as typed, and its inflections: fixed, fixes, fixing
//	    │                 biuld   nowhere: a misspelling of build
//	    │                 gateway inside identifiers, if nowhere else: runGateway
//	    │                 用docker部署  its parts: docker, and pairs of characters
//	    │               with the messages that have it, by conversation, and the titles
//	    ├─ score        each conversation: the sum over words of
//	    │                 rarity × f/(f+saturation), and a bonus for the title
//	    │               rarity = ln(1 + conversations/(1 + conversations with the word))
//	    │               f = messages of people, and a quarter of those of tools;
//	    │               less for other forms than the one typed
//	    ├─ findBestMessages  the message with most of the rare words, whose weight counts
//	    │               half once more
//	    └─ cut          what is far behind the best is left out
//
// # What each part earns
//
// Right conversation first / among the first five, in percent of 287 queries on the
// invented history (internal/bench/recall), without the part:
//
//	all of it                        89 / 95
//	only messages with all words     19 / 19
//
// Words are looked up in 2 to 40 ms at a million messages, all of a question of nine
// words in up to 150 ms of CPU; from the cache the whole ranking takes 4 ms.
//
// # Where to change what
//
//	what counts as another form of a word   package analysis
//	what is looked up for a word            words.go
//	the score                               closest.go
//	what a person reads about an answer     readings.go
package closest
