module github.com/idem-mcp/idem-mcp

go 1.26.0
