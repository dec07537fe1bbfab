package model

// HealthNote is something that a person should know about a database: what is
// wrong, and the exact thing to do.
type HealthNote struct {
	Kind    string // stable, for scripts: fts-missing, newer-schema, …
	Message string
	Remedy  string
}
