package print

import (
	"cmp"
	"sort"

	"hermes-sessions/store"
)

// SumStats adds up the statistics of databases, in the order of each.
func SumStats(all []store.Stats) (sum store.Stats) {
	sources, models := map[string]int{}, map[string]int{}
	for _, one := range all {
		sum.Sessions += one.Sessions
		sum.Messages += one.Messages
		sum.Archived += one.Archived
		sum.Inactive += one.Inactive
		sum.Bytes += one.Bytes
		sum.WALBytes += one.WALBytes
		for _, s := range one.Sources {
			k, ok := sources[s.Source]
			if !ok {
				sources[s.Source] = len(sum.Sources)
				sum.Sources = append(sum.Sources, s)
				continue
			}
			sum.Sources[k].Sessions += s.Sessions
			sum.Sources[k].Messages += s.Messages
		}
		for _, m := range one.Models {
			k, ok := models[m.Model]
			if !ok {
				models[m.Model] = len(sum.Models)
				sum.Models = append(sum.Models, m)
				continue
			}
			sum.Models[k].Sessions += m.Sessions
			sum.Models[k].Usage = sum.Models[k].Usage.Add(m.Usage)
		}
	}
	sort.SliceStable(sum.Sources, func(i, j int) bool { return sum.Sources[i].Sessions > sum.Sources[j].Sessions })
	sort.SliceStable(sum.Models, func(i, j int) bool {
		a, b := &sum.Models[i], &sum.Models[j]
		return cmp.Or(cmp.Compare(b.Usage.Tokens(), a.Usage.Tokens()), cmp.Compare(b.Sessions, a.Sessions)) < 0
	})
	for i, m := range sum.Models {
		if i == 0 {
			sum.Total = m.Usage
		} else {
			sum.Total = sum.Total.Add(m.Usage)
		}
	}
	return sum
}
