package analysis

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// IsPlain reports whether a word is an ordinary one, which can have inflections and
// typing errors: ASCII letters alone, in lower case, capitalized or all in capitals.
// Identifiers, numbers and words of other scripts are not.
func IsPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z' || i > 0 && !isUpper(word)) {
			return false
		}
	}
	return len(word) > 0
}

// isUpper reports whether a word has no lower-case letter. A word in capitals is an
// ordinary word, not an identifier.
func isUpper(word string) bool { return strings.ToUpper(word) == word }

// stemmers keeps the buffers of the stemmer.
var stemmers = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// Stem returns what the inflections of an English word have in common, by the
// Snowball algorithm (https://snowballstem.org/algorithms/english/stemmer.html) and
// for irregular verbs by their infinitive: fix for fixed and fixing, build for
// builds and built, color for colours, larg for largest. It is not always a word. word is
// in lower case.
func Stem(word string) string {
	if base, ok := irregular().base[word]; ok {
		word = base
	}
	return stemByRule(word)
}

// stemByRule returns what the stemmer makes of a word.
func stemByRule(word string) string {
	e := stemmers.Get().(*snowballstem.Env)
	defer stemmers.Put(e)
	e.SetCurrent(word)
	english.Stem(e)
	return e.Current()
}

// Inflections returns the inflections of a stem that do not begin with
// [InflectionPrefix]: the irregular ones, such as wrote and written for write, British
// spellings, and those of words such as try. It is nil for most stems.
func Inflections(stem string) []string {
	forms := irregular().forms[stem]
	if before, ok := strings.CutSuffix(stem, "i"); ok && len(stem) == 3 {
		for _, ending := range []string{"y", "ies", "ied", "ying"} {
			forms = append(forms[:len(forms):len(forms)], before+ending)
		}
	}
	return forms
}

// InflectionPrefix returns how the regular inflections of a word begin. The words
// with this prefix and the same [Stem] are its inflections. It is "" for words too
// short to have one of three letters.
func InflectionPrefix(word string) string {
	stem := Stem(word)
	n := 0
	for n < len(stem) && n < len(word) && stem[n] == word[n] {
		n++
	}
	if n == len(stem) && n > 3 && stem[n-1] == 'i' { // happi: of happy too
		n--
	}
	if n < 3 {
		return ""
	}
	return word[:n]
}

// irregularWords is the words whose inflections and spellings follow no rule of the stemmer.
type irregularWords struct {
	base  map[string]string   // the infinitive, singular or American spelling of each form
	forms map[string][]string // the forms and their bases by stem
}

var irregular = sync.OnceValue(func() *irregularWords {
	w := &irregularWords{map[string]string{}, map[string][]string{}}
	for _, b := range [][4]string{
		{wordsInOr, "our", "or", ", s, ed, ing, ful, ite, able, al"},
		{wordsInIze, "is", "iz", "e, es, ed, ing, er, ers, able, ation, ations"},
		{wordsInYze, "ys", "yz", "e, es, ed, ing, er, ers"},
	} {
		for _, word := range strings.Fields(b[0]) {
			for _, ending := range strings.Split(b[3], ", ") {
				w.base[word+b[1]+ending] = word + b[2] + ending
			}
		}
	}
	for _, word := range strings.Fields(adjectives) {
		stem := strings.TrimSuffix(word, "e")
		if before, ok := strings.CutSuffix(word, "y"); ok {
			stem = before + "i"
		}
		w.base[stem+"er"], w.base[stem+"est"] = word, word
	}
	for _, line := range strings.Split(irregularList, "\n") {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			w.base[form] = words[0]
		}
	}
	bases := map[string]bool{}
	for form, base := range w.base {
		stem := stemByRule(base)
		w.forms[stem] = append(w.forms[stem], form)
		if !bases[base] {
			bases[base] = true
			w.forms[stem] = append(w.forms[stem], base)
		}
	}
	return w
})

// The words that end in -or, -ize and -yze in American English, and in -our, -ise and -yse
// in British English.
const (
	wordsInOr  = `arm behavi col endeav fav flav harb hon hum lab neighb rum sav vap vig`
	wordsInIze = `author capital categor character container critic custom emphas final formal
general harmon initial internal item local material maxim memor minim modern modular
normal optim organ parallel parameter penal priorit random real recogn reorgan sanit serial
special stabil standard subsid summar symbol synchron token util vector virtual visual`
	wordsInYze = `anal catal paral`
)

// adjectives have forms in -er and -est that are no other word, as larger is and later is
// not. The stemmer takes neither ending off.
const adjectives = `cheap clear cold cool dark deep early easy fast fresh great hard heavy
high large light long loud low narrow new old quick quiet rare rich safe sharp short simple
slow small smart soft strong tall thick tight warm weak wide wise young`

// irregularList has per line an English infinitive and its irregular forms, or those that
// the stemmer takes too much off (ad for adding), a singular and its plural, an adjective
// and its comparison, or an American spelling and the British ones.
const irregularList = `add added adding
be was were been
bear bore borne
become became
begin began begun
bend bent
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
do did done
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
embed embeds embedded embedding embeddings
err erred erring
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
free freed
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
have had
hear heard
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
lose lost
make made
mean meant
meet met
misunderstand misunderstood
overcome overcame
override overrode overridden
overwrite overwrote overwritten
pay paid
queue queued queuing queueing
rebuild rebuilt
redo redid redone
rerun reran
resend resent
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sleep slept
speak spoke spoken
spell spelt
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undo undid undone
understand understood
wake woke woken
wear wore worn
weave wove woven
win won
wind wound
withdraw withdrew withdrawn
write wrote written
analysis analyses
child children
criterion criteria
foot feet
index indices
leaf leaves
life lives
man men
matrix matrices
mouse mice
person people
shelf shelves
tooth teeth
vertex vertices
woman women
big bigger biggest
hot hotter hottest
thin thinner thinnest
acknowledgment acknowledgement acknowledgements
aging ageing
analog analogue
artifact artefact artefacts
catalog catalogue catalogues catalogued
center centre centres centred
defense defence
dialog dialogue dialogues
disk disc discs
enroll enrol
fiber fibre fibres
fulfill fulfil fulfils
gray grey greyed
judgment judgement judgements
license licence licences licenced
liter litre litres
meter metre metres
offense offence offences
practice practise practised practising
program programme programmes
skeptical sceptical
theater theatre theatres`
