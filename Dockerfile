# A static binary, its licences and nothing else, as a user without a name.
#   docker build -t idem-mcp .
#   docker run --rm -i -v "$PWD/runs:/runs:ro" idem-mcp serve /runs
FROM golang:1.26-bookworm AS build
ARG VERSION=0.0.0-devel
ARG COMMIT=
ARG COMMITTED=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=1 go build -trimpath -tags netgo,osusergo \
    -ldflags "-s -w -X main.released=${VERSION} -X main.commit=${COMMIT} -X main.committed=${COMMITTED} -linkmode external -extldflags '-static'" \
    -o /idem-mcp ./cmd/idem-mcp
RUN go run ./release/licences -image -texts /THIRD_PARTY_LICENSES

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/LICENSE /THIRD_PARTY_LICENSES /
COPY --from=build /idem-mcp /idem-mcp
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/idem-mcp"]
CMD ["serve"]
