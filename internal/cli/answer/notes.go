package answer

// Notes is the answer of notes.
type Notes struct {
	Notes []Annotation `json:"notes"`
}

// Annotation is a note, tags or a bookmark on a conversation or on one of its messages.
type Annotation struct {
	Session  string   `json:"session_id"`
	Message  int64    `json:"message_id"`                 // 0 for the conversation
	Title    any      `json:"title" schema:"string|null"` // title of the conversation when it was noted
	Note     any      `json:"note" schema:"string|null"`
	Tags     []string `json:"tags"`
	Bookmark bool     `json:"bookmark"`
	Changed  any      `json:"changed_at" schema:"number|null"`
	Profile  string   `json:"profile,omitempty"` // profile of its database, if several are listed
	Gone     bool     `json:"gone"`              // the conversation is no longer in the database
}

// NotesExported is the answer of notes export to a file.
type NotesExported struct {
	Notes int    `json:"notes"`
	File  string `json:"file"`
}

// NotesImported is the answer of notes import.
type NotesImported struct {
	Notes int `json:"notes"`
}
