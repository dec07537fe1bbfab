package answer

import (
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/usage"
)

// UsageTable is the answer of stats --by: tokens and cost in groups. A session counts as a
// whole, at its start, in the local time zone.
type UsageTable struct {
	By    []string `json:"by"`                       // names of the dimensions
	Rows  []Row    `json:"rows" schema:"[]UsageRow"` // times from old to new, other groups from large to small
	Total UsageSum `json:"total"`                    // a session with several models counts once
}

// UsageRow is a group: its sum, and a key for each dimension of --by. The key is null for
// sessions without that value.
type UsageRow struct {
	Day          any `json:"day" schema:"string|null,optional"`     // 2026-05-03
	Week         any `json:"week" schema:"string|null,optional"`    // 2026-W18, by ISO 8601
	Month        any `json:"month" schema:"string|null,optional"`   // 2026-05
	Year         any `json:"year" schema:"string|null,optional"`    // 2026
	Weekday      any `json:"weekday" schema:"string|null,optional"` // for example 1 Monday
	Hour         any `json:"hour" schema:"string|null,optional"`    // 14:00
	Model        any `json:"model" schema:"string|null,optional"`
	Source       any `json:"source" schema:"string|null,optional"`
	Folder       any `json:"folder" schema:"string|null,optional"`
	Profile      any `json:"profile" schema:"string|null,optional"`
	Tool         any `json:"tool" schema:"string|null,optional"`         // rows by tool have calls, but no tokens, messages or costs
	Conversation any `json:"conversation" schema:"string|null,optional"` // ID of its oldest segment
	UsageSum
}

// UsageSum is the tokens, cost and messages of some sessions.
type UsageSum struct {
	Sessions int `json:"sessions"`
	Messages int `json:"messages"` // rewound ones not counted
	Calls    int `json:"tool_calls"`
	Failed   int `json:"failed_calls"` // only by tool
	Usage
	Actual       float64 `json:"actual_cost_usd"`
	EstimatedUSD float64 `json:"estimated_cost_usd"`
	Unpriced     int     `json:"unknown_cost"` // sessions with usage but no known cost, by model
}

// UsageSumOf returns a sum for JSON.
func UsageSumOf(s usage.Sum) UsageSum {
	return UsageSum{
		Sessions: s.Sessions, Messages: s.Messages, Calls: s.Calls, Failed: s.Failed, Usage: UsageOf(s.Usage),
		Actual: s.Actual, EstimatedUSD: s.Estimated, Unpriced: s.Unpriced,
	}
}

// UsageRowOf returns a group for JSON, with its keys by the names of the dimensions.
func UsageRowOf(by, keys []string, s usage.Sum) Row {
	var r Row
	add := func(name string, v any) { r = append(r, pyjson.Field{Name: name, Value: v}) }
	for i, name := range by {
		if keys[i] == "" {
			add(name, nil)
		} else {
			add(name, keys[i])
		}
	}
	o := UsageSumOf(s)
	count := func(name string, n int64) { add(name, n) }
	count("sessions", int64(o.Sessions))
	count("messages", int64(o.Messages))
	count("tool_calls", int64(o.Calls))
	count("failed_calls", int64(o.Failed))
	count("input_tokens", o.Input)
	count("output_tokens", o.Output)
	count("cache_read_tokens", o.CacheRead)
	count("cache_write_tokens", o.CacheWrite)
	count("reasoning_tokens", o.Reasoning)
	count("api_call_count", o.Usage.Calls)
	add("cost_usd", o.Cost)
	add("cost_estimated", o.Estimated)
	add("cost_partial", o.Partial)
	add("actual_cost_usd", o.Actual)
	add("estimated_cost_usd", o.EstimatedUSD)
	count("unknown_cost", int64(o.Unpriced))
	return r
}
