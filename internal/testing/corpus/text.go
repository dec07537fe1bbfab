package corpus

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// common are the words that open the frequency list, technical ones follow
// mixed with made-up ones. Benchmarks ask for some of these by name.
const (
	common    = "the to a of and in is for that it on with as this be are at by or not from an was if can has you we will error file run command output line code test"
	technical = "docker deploy config server python data function return value string type class import path user session message token model request response json http api key name list index query table database sqlite search update install build version package module branch commit merge git push pull remote local host port container image volume network service kubernetes pod cluster node memory cpu disk cache log debug info warning exception traceback stack thread process async await timeout retry failed success status result check verify fix bug issue patch release change diff review comment document documentation docs doc do does done dock dockerfile dockerize double domain down download dot dom dotenv dozen date day default define delete depend design detail detect develop device different directory disable display distribute drop dump dynamic read write create remove open close start stop restart kill wait sleep loop array object number integer float boolean null true false none empty missing found invalid valid expected actual assert mock fixture schema migration backup restore export archive compress extract parse render template component style layout button input form page route handler middleware auth login password secret permission role admin policy rule filter sort group count sum average max min limit offset cursor stream buffer socket client proxy gateway webhook telegram discord slack email calendar schedule cron job queue worker task event trigger signal notify alert monitor metric graph chart report summary analysis research paper article news weather price market stock invoice budget plan travel hotel flight recipe health workout music video photo camera book note reminder todo project team meeting agenda customer product order payment refund"
	chinese   = "数据库 部署 错误 配置 项目 大别山项目 服务器 测试 日志 文件 消息 会话 搜索 桂林 広島 データ サーバ 설정"
	syllables = "ba be bi bo bu ca ce ci co cu da de di do du fa fe fi fo ga ge gi go ha he hi ho ja jo ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po pu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi xa ya yo za ze zi zo tra pre con sta ver ing ment able tion er or an en"
)

// writer generates text. Its methods append to buf; take gives it as a string.
type writer struct {
	rand    *rand.Rand
	buf     []byte
	shorter int // texts are so many times shorter
	latin,
	han lexicon
}

func newWriter(c Config) *writer {
	w := &writer{rand: rand.New(rand.NewPCG(c.Seed, 77)), shorter: c.Shorter}
	parts := strings.Fields(syllables)
	invent := func() string {
		var b strings.Builder
		for range 2 + w.rand.IntN(3) {
			b.WriteString(parts[w.rand.IntN(len(parts))])
		}
		return b.String()
	}
	words := strings.Fields(common)
	for word := range strings.FieldsSeq(technical) {
		words = append(words, word, invent())
	}
	w.latin = newLexicon(words, 80_000, 1.05, invent)
	w.han = newLexicon(strings.Fields(chinese), 6_000, 1.0, func() string {
		var b strings.Builder
		for range 1 + w.rand.IntN(3) {
			b.WriteRune(0x4E00 + rune(math.Pow(w.rand.Float64(), 2)*2_500))
		}
		return b.String()
	})
	return w
}

// lexicon draws words by Zipf's law: the n-th is about 1/n as frequent as the
// first.
type lexicon struct {
	words []string
	draws []uint32 // evenly spread over the distribution, a power of two of them
}

func newLexicon(first []string, size int, slope float64, invent func() string) lexicon {
	l := lexicon{draws: make([]uint32, 1<<20)}
	seen := make(map[string]bool, size)
	add := func(word string) {
		if !seen[word] {
			seen[word] = true
			l.words = append(l.words, word)
		}
	}
	for _, word := range first {
		add(word)
	}
	for len(l.words) < size {
		add(invent())
	}
	sums := make([]float64, size)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i)+2.7, -slope)
		sums[i] = sum
	}
	at := 0
	for i := range l.draws {
		x := (float64(i) + 0.5) / float64(len(l.draws)) * sum
		for sums[at] < x {
			at++
		}
		l.draws[i] = uint32(at)
	}
	return l
}

func (l lexicon) word(r *rand.Rand) string {
	return l.words[l.draws[r.Uint32()&uint32(len(l.draws)-1)]]
}

// take runs f and returns what it appended.
func (w *writer) take(f func()) string {
	w.buf = w.buf[:0]
	f()
	return string(w.buf)
}

// length draws a size from a log-normal distribution with this median.
func (w *writer) length(median, spread, most float64) int {
	return int(min(most, median*math.Exp(w.rand.NormFloat64()*spread)))
}

// size draws the bytes of a text as length does.
func (w *writer) size(median, spread, most float64) int {
	return w.length(median, spread, most) / w.shorter
}

func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

func (w *writer) number(n int) { w.buf = strconv.AppendInt(w.buf, int64(n), 10) }

func (w *writer) hex(digits int) {
	bits := w.rand.Uint64()
	for range digits {
		w.buf = append(w.buf, "0123456789abcdef"[bits&15])
		bits >>= 4
	}
}

// prose appends about size bytes of running text, broken into lines by end.
func (w *writer) prose(size int, han bool, end string) {
	for stop := len(w.buf) + size; len(w.buf) < stop; {
		if han && w.rand.IntN(5) > 0 {
			w.raw(w.han.word(w.rand))
			if w.rand.IntN(6) == 0 {
				w.raw("，")
			}
			continue
		}
		w.raw(w.latin.word(w.rand))
		switch w.rand.IntN(40) {
		case 0:
			w.raw("." + end)
		case 1, 2:
			w.raw(", ")
		default:
			w.raw(" ")
		}
	}
}

// output appends about size bytes of what a tool answers: a JSON object that
// holds a log, a file with line numbers, search results or text.
func (w *writer) output(size int, han bool) {
	w.raw(`{"output": "`)
	kind, line := w.rand.IntN(4), w.rand.IntN(400)
	for stop := len(w.buf) + size; len(w.buf) < stop; {
		switch kind {
		case 0:
			w.raw("2026-0")
			w.number(1 + w.rand.IntN(9))
			w.raw("-1")
			w.number(w.rand.IntN(9))
			w.raw(" INFO [")
			w.hex(6)
			w.raw("] ")
			w.prose(60, han, " ")
			w.raw(`\n`)
		case 1:
			line++
			w.number(line)
			w.raw("|    ")
			w.raw(w.latin.word(w.rand))
			w.raw("_")
			w.raw(w.latin.word(w.rand))
			w.raw(" = ")
			w.raw(w.latin.word(w.rand))
			w.raw("(")
			w.prose(30, false, " ")
			w.raw(`)\n`)
		case 2:
			w.raw(`{\"path\": \"src/`)
			w.raw(w.latin.word(w.rand))
			w.raw("/")
			w.raw(w.latin.word(w.rand))
			w.raw(`.py\", \"line\": `)
			w.number(w.rand.IntN(2_000))
			w.raw(`, \"text\": \"`)
			w.prose(50, han, " ")
			w.raw(`\"}, `)
		default:
			w.prose(120, han, `\n`)
			w.raw(`\n`)
		}
	}
	w.raw(`", "exit_code": 0, "error": null}`)
}

// arguments appends the JSON text of a tool call's arguments, about size
// bytes, with Chinese escaped as Hermes Agent stores it.
func (w *writer) arguments(size int, han bool) {
	w.raw(`{\"command\": \"`)
	for stop := len(w.buf) + size; len(w.buf) < stop; {
		if han && w.rand.IntN(5) > 0 {
			for _, r := range w.han.word(w.rand) {
				w.raw(`\u`)
				w.raw(strconv.FormatInt(int64(r), 16))
			}
			continue
		}
		w.raw(w.latin.word(w.rand))
		w.raw(" ")
	}
	w.raw(`\"}`)
}
