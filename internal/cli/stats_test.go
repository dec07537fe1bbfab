package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/answer"
)

func TestStatsCommand(t *testing.T) {
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), `
		UPDATE sessions SET model = 'big', input_tokens = 12345, output_tokens = 67, actual_cost_usd = 1.5, cost_status = 'actual' WHERE id = 'first';
		UPDATE sessions SET model = 'big', input_tokens = 1, estimated_cost_usd = 0.25 WHERE id = 'second';
		UPDATE sessions SET model = 'local' WHERE id = 'open'`)
	code, out, errs := run(t, dir, "", "stats")
	if code != 0 || errs != "" {
		t.Fatal(code, errs)
	}
	for _, want := range []string{
		"Total sessions: 4\nTotal messages: 3\n  cli: 3 sessions, 3 messages\n  telegram: 1 session, 0 messages\n",
		"  big                                           2         12,346             67     ~$1.75\n",
		"  local                                         1              0              0          ?\n",
		"  (none)                                        1              0              0          ?\n",
		"  Total                                         4         12,346             67     ≥$1.75\n",
		"Database size: 0.1 MB\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	var st struct {
		Sessions, Messages int
		Models             []struct {
			Model *string
			Usage answer.Usage
		}
		Total answer.Usage
		Bytes int64
	}
	code, out, _ = run(t, dir, "", "stats", "--json")
	if err := json.Unmarshal([]byte(out), &st); err != nil || code != 0 {
		t.Fatal(code, err, out)
	}
	if st.Sessions != 4 || st.Messages != 3 || st.Bytes == 0 || len(st.Models) != 3 || st.Total.Cost != 1.75 || !st.Total.Partial {
		t.Errorf("%+v", st)
	}
	if big, rest := st.Models[0], st.Models[1]; *big.Model != "big" || big.Usage.Cost != 1.75 || !big.Usage.Estimated || rest.Usage.Cost != nil {
		t.Errorf("%+v", st.Models)
	}
}

// Costs that add up to more than a number can be are printed all the same.
func TestStatsOfAbsurdCosts(t *testing.T) {
	t.Parallel()
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), `UPDATE sessions SET estimated_cost_usd = 1.7e308, actual_cost_usd = iif(rowid % 2, 1.7e308, NULL)`)
	for _, args := range [][]string{{"stats", "--json"}, {"stats", "--by", "day,model", "--json"}, {"list", "--all", "--json"}, {"lineage", "--json", "first"}} {
		if code, out, errs := run(t, dir, "", args...); code != 0 || !json.Valid([]byte(out)) {
			t.Errorf("%q: exit code %d, %.100s, %s", args, code, out, errs)
		}
	}
	for cost, want := range map[string]string{"-5": `"cost_usd": null`, "NULL": `"cost_usd": null`, "'much'": `"cost_usd": null`} { // are unknown, and take nothing from others
		dir := home(t)
		damage(t, filepath.Join(dir, "state.db"), `UPDATE sessions SET estimated_cost_usd = `+cost+`, actual_cost_usd = `+cost)
		for _, by := range []string{"day", "model", "source"} {
			if code, out, errs := run(t, dir, "", "stats", "--json", "--by", by); code != 0 || !strings.Contains(out, want) || strings.Contains(out, `_usd": -`) {
				t.Errorf("cost %s by %s: exit code %d, %.400s, %s", cost, by, code, out, errs)
			}
		}
	}
}
