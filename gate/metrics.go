package gate

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
)

// Record counts and logs what is asked. Its labels are tools, outcomes and
// reasons, all of them ours: no id or name of a user's run is among them.
type Record struct {
	log      zerolog.Logger
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	refused  *prometheus.CounterVec
	running  prometheus.Gauge
}

// NewRecord makes the record of one server. Each call becomes a line of log at
// level info.
func NewRecord(log zerolog.Logger) *Record {
	r := &Record{
		log: log, registry: prometheus.NewRegistry(),
		calls:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "idem_mcp_tool_calls_total", Help: "Tool calls by tool and outcome: answered, or the kind of the error."}, []string{"tool", "outcome"}),
		took:    prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "idem_mcp_tool_call_seconds", Help: "Duration of tool calls.", Buckets: []float64{.005, .02, .1, .5, 2, 10, 60}}, []string{"tool"}),
		bytes:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "idem_mcp_answer_bytes_total", Help: "Bytes of structured answers by tool."}, []string{"tool"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "idem_mcp_refused_requests_total", Help: "Requests refused before they reached a tool, by reason."}, []string{"reason"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "idem_mcp_requests_running", Help: "Requests that are being answered."}),
	}
	r.registry.MustRegister(r.calls, r.took, r.bytes, r.refused, r.running, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Called records one tool call. outcome is "answered" or the kind of its error.
// What was asked and answered is not recorded.
func (r *Record) Called(p Principal, tool, outcome string, took time.Duration, size int) {
	r.calls.WithLabelValues(tool, outcome).Inc()
	r.took.WithLabelValues(tool).Observe(took.Seconds())
	r.bytes.WithLabelValues(tool).Add(float64(size))
	r.log.Info().Str("audit", "call").Str("principal", string(p)).Str("tool", tool).Str("outcome", outcome).Dur("took_ms", took).Int("bytes", size).Send()
}

// refuse records a refused request. why may quote what a stranger sent, cleaned.
func (r *Record) refuse(reason, why, remote string) {
	r.refused.WithLabelValues(reason).Inc()
	r.log.Info().Str("audit", "refused").Str("reason", reason).Str("why", why).Str("remote", remote).Send()
}

// Metrics serves the counters in the formats that Prometheus reads.
func (r *Record) Metrics() http.Handler {
	return promhttp.HandlerFor(r.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}
