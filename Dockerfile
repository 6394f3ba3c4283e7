# A static binary and nothing else, as a user without a name.
#   docker build -t idem-mcp .
#   docker run --rm -i -v "$PWD/runs:/runs:ro" idem-mcp serve /runs
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=1 go build -trimpath -tags netgo,osusergo \
    -ldflags '-s -w -linkmode external -extldflags "-static"' -o /idem-mcp ./cmd/idem-mcp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /idem-mcp /idem-mcp
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/idem-mcp"]
CMD ["serve"]
