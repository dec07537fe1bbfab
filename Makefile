# Build and install hermes-sessions with Go and make:
#
#	make install PREFIX=$HOME/.local
#	make uninstall PREFIX=$HOME/.local
#
# DESTDIR is put before every path, for packagers.
PREFIX ?= /usr/local
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT ?= $(shell git log -1 --format=%H 2>/dev/null)
DATE ?= $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)

bindir = $(DESTDIR)$(PREFIX)/bin
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
man = $(DESTDIR)$(PREFIX)/share/man/man1

stamp = -X $(shell go list -m)/internal/buildinfo
stamped = $(stamp).version=$(VERSION) $(stamp).commit=$(COMMIT) $(stamp).date=$(DATE)

.PHONY: build check nightly trust screenshots install uninstall clean

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $(stamped)" -o hermes-sessions .

# The gate: before every change is merged.
check:
	.ci/run

# What takes hours: campaigns, fuzzing, every target, the race detector everywhere.
nightly:
	.ci/nightly

# The counts of docs/trust.md: kills, faults, damaged files, lost rows. About an hour on two cores; each
# count is printed when its campaign ends.
# The whole output stays in trust.log: the counts alone do not say why a campaign failed.
trust:
	HERMES_SESSIONS_CAMPAIGN=1 go test -v -count=1 -p 1 -timeout 90m ./store ./internal/cli ./internal/e2e \
		-run '^Test(Kill|Faults|Mutated|Invented|Salvage|AnyPage|CommandsOn)' 2>&1 | tee trust.log | grep --line-buffered -E 'trust:|^(ok|FAIL|--- FAIL|panic:|# )'
	@! grep -E '^(FAIL|panic:)' trust.log >/dev/null
	go run -C internal/tools ./bench/soak -for 10m

# The pictures and the film of README.md, from the program on its demo.
screenshots:
	go test -count=1 ./internal/e2e -run '^Test(Pictures|Film)$$' -update

# The hash of the modules in flake.nix, which changes with go.sum.
nix-hash:
	vendor=$$(mktemp -d) && go mod vendor -o $$vendor/vendor && \
		go run -C internal/tools ./release/vendorhash $$vendor/vendor $(CURDIR)/flake.nix; rm -rf $$vendor

install: build
	install -d $(bindir) $(bash) $(zsh) $(fish) $(man)
	install -m 755 hermes-sessions $(bindir)/hermes-sessions
	./hermes-sessions completion bash >$(bash)/hermes-sessions
	./hermes-sessions completion zsh >$(zsh)/_hermes-sessions
	./hermes-sessions completion fish >$(fish)/hermes-sessions.fish
	CGO_ENABLED=0 go run -trimpath ./internal/manpages -version "$(VERSION)" -date "$(firstword $(subst T, ,$(DATE)))" $(man)

uninstall:
	rm -f $(bindir)/hermes-sessions $(bash)/hermes-sessions $(zsh)/_hermes-sessions $(fish)/hermes-sessions.fish
	rm -f $(man)/hermes-sessions.1 $(man)/hermes-sessions-*.1

clean:
	rm -f hermes-sessions
