package help

// examples are the examples of the help texts, by command.
var examples = map[string]string{
	"browse": `  hermes-sessions browse docker build
  hermes-sessions browse --scope archived --sort messages
  hermes-sessions browse --print-id`,
	"list": `  hermes-sessions list
  hermes-sessions list source:telegram after:2w
  hermes-sessions list --sort cost --limit 5
  hermes-sessions list --workspace my-project
  hermes-sessions list --tsv -n 0 | cut -f 1,2
  hermes-sessions list --json --limit 0`,
	"search": `  hermes-sessions search docker build
  hermes-sessions search '"connection refused"' role:user
  hermes-sessions search --words all --json kafka
  hermes-sessions search --explain dokcer`,
	"show": `  hermes-sessions show 20260301_12
  hermes-sessions show "docker build"
  hermes-sessions show 20260301_12#481
  hermes-sessions show --only prompts 20260301_12
  hermes-sessions show --tools --format md 20260301_12 > talk.md`,
	"export": `  hermes-sessions export all.jsonl
  hermes-sessions export talk.html --session-id 20260301_12
  hermes-sessions export everything.jsonl --all-profiles
  hermes-sessions export - --source telegram | gzip > telegram.jsonl.gz`,
	"import": `  hermes-sessions import all.jsonl
  hermes-sessions import ~/.hermes/sessions/20260301_120000_ab12cd.jsonl
  hermes-sessions --db new.db import --new all.jsonl`,
	"rename": `  hermes-sessions rename 20260301_12 A better title
  hermes-sessions rename --clear 20260301_12`,
	"delete": `  hermes-sessions delete 20260301_12
  hermes-sessions delete 20260301_12 --yes --backup gone.jsonl`,
	"prune": `  hermes-sessions prune --older-than 90 --dry-run
  hermes-sessions prune --source cron --older-than 30 --yes
  hermes-sessions prune --older-than 180 --archive`,
	"resume": `  hermes-sessions resume
  hermes-sessions resume "docker build"
  hermes-sessions resume --in-tmux work/20260301_12
  hermes-sessions resume --print --in ~/src/app 20260301_12`,
	"lineage": `  hermes-sessions lineage my project
  hermes-sessions lineage --json 20260301_12`,
	"running": `  hermes-sessions running
  hermes-sessions running --all-profiles
  hermes-sessions running --watch --json`,
	"files": `  hermes-sessions files 20260301_12
  hermes-sessions files --json "docker build #2"`,
	"notes": `  hermes-sessions notes
  hermes-sessions notes --json
  hermes-sessions notes export notes.jsonl
  hermes-sessions notes import notes.jsonl`,
	"compare": `  hermes-sessions compare 20260301_12 20260302_09
  hermes-sessions compare "docker build #2"`,
	"storage": `  hermes-sessions storage
  hermes-sessions storage --all-profiles
  hermes-sessions storage --json --limit 0
  hermes-sessions storage --vacuum`,
	"stats": `  hermes-sessions stats
  hermes-sessions stats --by month,model
  hermes-sessions stats --by day --started 30d --json`,
	"doctor": `  hermes-sessions doctor
  hermes-sessions doctor --full
  hermes-sessions --db old.db doctor --migrate
  hermes-sessions doctor --salvage saved.db`,
	"undo": `  hermes-sessions undo
  hermes-sessions undo --list
  hermes-sessions undo 2 --yes
  hermes-sessions undo --forget`,
	"info": `  hermes-sessions info
  hermes-sessions info --json`,
	"version": `  hermes-sessions version --json`,
	"config": `  hermes-sessions config --init
  hermes-sessions config --check`,
	"init": `  eval "$(hermes-sessions init bash)"
  hermes-sessions init plugin && hermes plugins enable hermes-sessions`,
	"pin":       `  hermes-sessions pin 20260301_12`,
	"unpin":     `  hermes-sessions unpin 20260301_12`,
	"archive":   `  hermes-sessions archive 20260301_12 20260215_08`,
	"unarchive": `  hermes-sessions unarchive 20260301_12`,
	"help": `  hermes-sessions help search
  hermes-sessions help query`,
}
