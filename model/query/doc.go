// Package query is the query language of the search line: it parses what a
// person typed into search terms and filters, and tests conversations and
// messages against the filters. Every text is a valid query; what does not parse
// as an operator or a filter is text to search for.
//
// # Grammar
//
// The lexer (lexer.go) blanks control characters, invisible marks and damaged
// UTF-8, and splits the rest into elements:
//
//	text      = { space } { element { space } } .
//	element   = filter | exclusion | term | operator .
//	filter    = [ "-" ] field ":" value .
//	field     = "source" | "model" | "title" | … .  (* see Filters below *)
//	value     = quoted | plain .                    (* if the field does not accept it, or it begins with "//", the element is text *)
//	exclusion = "-" term .                          (* a "-" before "-" or ">" belongs to the word; see Exclusions *)
//	term      = quoted | plain .
//	operator  = "AND" | "OR" | "NOT" .              (* in upper case only *)
//	quoted    = '"' { character - '"' } ( '"' { "*" } | end of text ) .
//	plain     = character { character } .           (* no space, no '"'; a final star matches any continuation *)
//
// The space between two elements may be missing where one of them is quoted.
// Filters apply to the whole query, wherever they are; NOT before a filter
// negates it. The parser (parse.go) combines the other elements with the
// precedence of FTS5, adjacency binding tightest:
//
//	query       = alternative { "OR" alternative } .
//	alternative = conjunct { "AND" conjunct } .
//	conjunct    = group { "NOT" group } .
//	group       = ( term | exclusion ) { term | exclusion } .
//
// Operators at either end are dropped. Of several operators in a row, NOT wins
// over OR, and OR over AND.
//
// # Exclusions
//
// A minus and one letter or digit is an option of a command (git commit -m, kill
// -9): it is text, minus included, and so is every other minus and word of the same
// query (-ldflags '-s -w'). A minus and two of them is text unless the query
// excludes a longer word (rm -rf, but docker -go -rust). Only letters and digits of
// ASCII count. Every minus is text, too, where the query begins with a common command and
// a minus (tar -xzf, ls -lah), or with java, gcc and the like and an option of theirs (java
// -jar x, but java -spring); where an equals sign is behind one (-field=value); where one
// stands between two words and a path, an option of two minuses, a variable or an operator
// of a shell is among them (find . -name go.mod, go test -race ./store, but docker
// -compose); and in five words or more, of which one ends in a colon or semicolon, as that
// is an error message (ld: library not found for -lssl). NOT m and -"m" exclude such a word.
//
// A query has up to 48 different terms. Of a longer one, such as a pasted log, the lines
// and the terms are searched for that stand out from the others ([Condense]).
//
// A query that excludes and has no other term is a list: -docker gives the
// conversations that a search for docker does not find, and so does each key on the way, -d
// and -do; -1 is text. These exclusions are filters, of [FieldText].
//
// # While typing
//
// The last word matches every continuation. An O behind a term is ignored, as it may
// become OR; behind OR the last word of each alternative matches every continuation,
// so that the first one keeps what it has found while the second is typed.
//
// # Named queries
//
// The settings give queries names. A word @name stands for the query of that name
// ([ParseNamed]): the words and filters beside it must hold as well. Without a query
// of that name, and in quotes, it is text.
//
// # Result
//
// The result is a disjunction of groups ([Query.Groups]), each a list of terms
// that must occur and terms that must not, plus the filters ([Query.Filters]) and
// the tokens for the highlighting of the search line ([Query.Tokens]).
//
// # Filters
//
// [Fields] has the same list for the help text and for completion.
//
//	source:telegram       where the conversation took place: cli, telegram, cron, …
//	model:opus            part of the model's name
//	title:"deploy plan"   words of the title, matched as a search does
//	id:20260503           how the id of a session begins
//	role:user             messages of one role: user, assistant, tool, system
//	tool:terminal         messages that call a tool, or are its result
//	failed:terminal       a tool with a failed call, as has:failed counts them
//	file:ui/list/*.go     a file that a tool read or wrote; see Files below
//	cwd:~/src/app         a folder and what is below it; cwd:app is part of a name
//	branch:main           part of the name of the git branch
//	tag:later             a tag that the user gave the conversation
//	profile:work          the profile of Hermes, where several are listed
//	after:7d              last active on this day or later: today, yesterday, 12h, 7d, 2w, 3mo, 1y, 2026-05, 2026-05-03
//	before:2026-05        last active before this day
//	started:2026-05       a session started in this period: a day as above, or 2026-05-04..2026-05-10, 2026-05..
//	msgs:>50              number of messages: >50, >=50, <10, <=10, =10, 10..50, 10.., ..50; a bare 50 means at least 50
//	tokens:>100k          number of input and output tokens; k and m are thousands and millions
//	cost:<0.10            US dollars, a $ is allowed; cost:unknown finds conversations without a price
//	is:pinned             pinned, archived, live, new (since it was read here), empty, untitled, branch, sub, error,
//	                      expiring (Hermes deletes it within two weeks; soonest first)
//	has:failed            tool, failed (tool calls that failed), reasoning, branch, sub, note, bookmark
//
// -source:cron and NOT source:cron exclude. Several filters with the same field
// are alternatives where a conversation has one value of it (source, model, id,
// role, tool, cwd, branch, profile); all others must hold together.
//
// # Files
//
// file: finds conversations that read, wrote or edited a file, by the arguments of their
// tool calls, failed ones too. What shell commands do to files is not known. The
// value is parts of the path that follow each other, a folder too: file:go.mod,
// file:ui/list. * and ? are wildcards, [ab] is a set, ** stands for any folders, and
// quotes allow spaces: file:"my notes". A path is relative to the folder of its
// conversation: ./ is that folder, ~/ a home folder, / the root. Upper and lower case
// are the same. With words to search for, the words and the file may be in different
// messages of a conversation.
package query
