module github.com/idem-mcp/idem-mcp

go 1.26.0

require go.yaml.in/yaml/v3 v3.0.6

require github.com/google/go-cmp v0.7.0

require (
	github.com/dapr/durabletask-go v0.14.0
	golang.org/x/tools v0.51.0
	google.golang.org/protobuf v1.36.11
)

require github.com/mattn/go-pointer v0.0.1 // indirect

require (
	github.com/tree-sitter/go-tree-sitter v0.25.0
	github.com/tree-sitter/tree-sitter-c-sharp v0.23.5
	github.com/tree-sitter/tree-sitter-go v0.25.0
	github.com/tree-sitter/tree-sitter-java v0.23.5
	github.com/tree-sitter/tree-sitter-javascript v0.25.0
	github.com/tree-sitter/tree-sitter-python v0.25.0
	github.com/tree-sitter/tree-sitter-typescript v0.23.2
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260316180232-0b37fe3546d5 // indirect
	google.golang.org/grpc v1.79.3 // indirect
)
