package main

// result is one thing that was found out; its Step says what.
type result struct {
	Step   string  // checked, differs, ready, timed, after, canceled, raced or recorded
	Text   string  // of the search line
	Kind   string  // of the key
	Length int     // of the key
	Digest string  // of the answer
	Wall   float64 // milliseconds, all of them
	CPU    float64 // of the process
	Thread float64

	First       float64 // of the question for the first rows, whose answer may be the whole one
	FirstThread float64

	Close       float64 // of the second question, for the closest conversations
	CloseThread float64

	Theirs float64
	Open   float64
	Memory float64 // megabytes resident
	Peak   float64
	Load   string // of the machine, where it says so
	Note   string
}

type results []result

func (r results) of(step string) (out results) {
	for _, one := range r {
		if one.Step == step {
			out = append(out, one)
		}
	}
	return out
}
