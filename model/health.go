package model

// HealthNote is a problem of a database file, with its remedy.
type HealthNote struct {
	Kind    string // stable, for scripts: fts-missing, newer-schema, …
	Message string
	Remedy  Remedy
}
