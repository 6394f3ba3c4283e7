package sidecar

import (
	"context"
	"fmt"
	"iter"

	"github.com/dapr/durabletask-go/api/protos"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// rawCodec keeps an answer as the bytes it came in, so that payloads in it are
// not decoded unless the data-sharing level allows it.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	var b []byte
	var err error
	switch m := v.(type) {
	case proto.Message:
		b, err = proto.Marshal(m)
	case []byte:
		b = m
	default:
		err = fmt.Errorf("cannot encode %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	out, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("cannot decode into %T", v)
	}
	*out = data.Materialize()
	return nil
}

// call makes one bounded call. Without out an answer's raw bytes are returned.
func (s *Source) call(ctx context.Context, method string, in any, out proto.Message) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if s.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "dapr-api-token", s.token)
	}
	if out != nil {
		return nil, s.conn.Invoke(ctx, method, in, out)
	}
	var raw []byte
	err := s.conn.Invoke(ctx, method, in, &raw, grpc.ForceCodecV2(rawCodec{}))
	return raw, err
}

func (s *Source) instance(ctx context.Context, id string, payloads bool) (*protos.WorkflowState, error) {
	out := new(protos.GetInstanceResponse)
	_, err := s.call(ctx, protos.TaskHubSidecarService_GetInstance_FullMethodName, &protos.GetInstanceRequest{InstanceId: id, GetInputsAndOutputs: payloads}, out)
	if err != nil || !out.GetExists() {
		return nil, err
	}
	return out.GetWorkflowState(), nil
}

// history returns the raw answer of GetInstanceHistory.
func (s *Source) history(ctx context.Context, id string) ([]byte, error) {
	return s.call(ctx, protos.TaskHubSidecarService_GetInstanceHistory_FullMethodName, &protos.GetInstanceHistoryRequest{InstanceId: id}, nil)
}

func (s *Source) page(ctx context.Context, token *string, size uint32) (*protos.ListInstanceIDsResponse, error) {
	out := new(protos.ListInstanceIDsResponse)
	_, err := s.call(ctx, protos.TaskHubSidecarService_ListInstanceIDs_FullMethodName, &protos.ListInstanceIDsRequest{ContinuationToken: token, PageSize: &size}, out)
	return out, err
}

// runtime is what the sidecar says of itself.
type runtime struct{ app, version string }

// about asks the Dapr API for the app id and the version. Only these two fields
// of GetMetadataResponse (id 1, runtime_version 8) are read.
func (s *Source) about(ctx context.Context) (runtime, error) {
	raw, err := s.call(ctx, "/dapr.proto.runtime.v1.Dapr/GetMetadata", []byte(nil), nil)
	if err != nil {
		return runtime{}, err
	}
	var r runtime
	for num, v := range fields(raw) {
		switch num {
		case 1:
			r.app = string(v)
		case 8:
			r.version = string(v)
		}
	}
	return r, nil
}

// events iterates over the events of a GetInstanceHistory answer (field 1)
// without copying them.
func events(raw []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for num, v := range fields(raw) {
			if num == -1 {
				yield(nil, fmt.Errorf("the answer is damaged after %d bytes of %d", len(raw)-len(v), len(raw)))
				return
			}
			if num == 1 && !yield(v, nil) {
				return
			}
		}
	}
}

// fields iterates over the length-delimited fields of a message; a damaged rest
// comes as number -1.
func fields(raw []byte) iter.Seq2[protowire.Number, []byte] {
	return func(yield func(protowire.Number, []byte) bool) {
		for len(raw) > 0 {
			num, typ, n := protowire.ConsumeTag(raw)
			m := -1
			if n >= 0 {
				m = protowire.ConsumeFieldValue(num, typ, raw[n:])
			}
			if m < 0 {
				yield(-1, raw)
				return
			}
			if typ == protowire.BytesType {
				v, _ := protowire.ConsumeBytes(raw[n:])
				if !yield(num, v) {
					return
				}
			}
			raw = raw[n+m:]
		}
	}
}
