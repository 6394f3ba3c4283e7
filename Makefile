# `make` lists the targets. Tool versions are pinned here and in go.mod.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.15.1
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME ?= 10s
TIME ?= 60s

.DEFAULT_GOAL := help
.PHONY: help build test services stores race lint vet format generate golden rule evaluate fuzz bench clients conformance soak vulns release check

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build bin/idem-mcp
	go build -o bin/idem-mcp ./cmd/idem-mcp

test: ## install and start what the tests need, and run all of them
	./scripts/test

unit: ## go test alone: no network, no services; what needs them is skipped
	go test ./...

race: ## the race detector where there is concurrency; kills end processes, whose races it would not see, and thousands of runs take it minutes
	go test -race -timeout 20m -skip 'Killed|StretchesPassedOver' ./gate ./catalyst/... ./cmd/... ./dapr/file ./dapr/sidecar ./dapr/store ./history/... ./survey/... ./tools/...

vet: ## go vet
	go vet ./...

format: ## fail on files that gofmt would change
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }

lint: ## golangci-lint, pinned
	go run $(GOLANGCI) run --allow-parallel-runners ./...

generate: ## write what is generated from definitions: schemas, references, licences
	go generate ./...
	go test -run '^TestCommandReference$$' ./cmd/idem-mcp -update
	go run ./release/licences

golden: ## accept the present output as expected (look at the diff)
	go test ./tools ./history ./internal/lab ./review/output -update

rule: ## write the folder of a new rule: make rule SLUG=names-the-fault
	go run ./review/rules/new -slug $(SLUG)

evaluate: ## measure the code review on the labelled corpus
	go run ./cmd/idem-mcp review --evaluate

fuzz: ## every fuzz target for FUZZTIME (10s) each, two at a time
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do echo "$$pkg $$target"; done; \
	done | xargs -P 2 -n 2 sh -c 'go test -run "^$$" -fuzz "^$$1\$$" -fuzztime $(FUZZTIME) -parallel 1 $$0'

bench: ## the benchmarks, five runs each
	go test -run '^$$' -bench . -count 5 ./...

clients: ## the Inspector CLI and the TypeScript clients (Node 20, npm)
	cd test/clients && npm ci --no-audit --no-fund --ignore-scripts
	CLIENT_TESTS=1 go test -count 1 -v ./test/clients

conformance: ## the MCP conformance suite; writes its results into docs/conformance.md
	cd test/clients && npm ci --no-audit --no-fund --ignore-scripts
	CLIENT_TESTS=1 go test -count 1 -v ./test/conformance -update

soak: ## mixed calls under faults for TIME (60s), looking for leaks and wrong answers
	SOAK=$(TIME) go test -count 1 -timeout 0 -v ./test/soak

vulns: ## known vulnerabilities that the code reaches (VULNDB: another database than vuln.go.dev)
	go run $(GOVULNCHECK) $(if $(VULNDB),-db $(VULNDB)) ./...

release: ## build every archive as a snapshot and try it (Debian: scripts/release says what it needs)
	GORELEASER=$(GORELEASER) ./scripts/release

check: ## exactly what CI runs
	./.ci/run
