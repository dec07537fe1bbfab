package db

import ()

// DeletesFollowed reports whether triggers keep a full-text table in step.
func (s Schema) DeletesFollowed(table string) bool {
	for _, event := range []string{"_insert", "_delete", "_update"} {
		if _, ok := s.Tables[table+event]; !ok {
			return false
		}
	}
	return true
}
