module github.com/idem-mcp/idem-mcp

go 1.26.0

require go.yaml.in/yaml/v3 v3.0.6

require github.com/google/go-cmp v0.7.0

require (
	github.com/dapr/durabletask-go v0.14.0
	golang.org/x/tools v0.52.0
	google.golang.org/protobuf v1.36.11
)

require (
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260316180232-0b37fe3546d5 // indirect
	google.golang.org/grpc v1.79.3 // indirect
)
