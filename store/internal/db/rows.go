package db

import (
	"context"
)

// QueryValue gives the one value that a query asks for, nil where there is none.
func (d *DB) QueryValue(ctx context.Context, db Querier, query string, args ...any) (value any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	err = ScanRecords(rows, func(r Record) error {
		value = r[0].Value
		return nil
	})
	return value, err
}

// QueryIDs gives the sessions that a query names first.
func (d *DB) QueryIDs(ctx context.Context, db Querier, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = ScanRecords(rows, func(r Record) error {
		ids = append(ids, AsText(r[0].Value))
		return nil
	})
	return ids, err
}
