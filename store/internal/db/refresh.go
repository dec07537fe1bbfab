package db

import ()

// CanRefresh reports whether the file has the indexes that signs are read from,
// and whether what is deleted is gone from its full-text tables.
func (s Schema) CanRefresh() bool {
	_, titled := s.Tables["idx_sessions_title_unique"]
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, ok := s.Tables[table]; ok && !s.DeletesFollowed(table) {
			return false
		}
	}
	return titled
}
