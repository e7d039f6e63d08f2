// Begins and ends the trace of each RPC.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_TRACER_H_
#define TOOLGATE_OBSERVABILITY_TRACING_TRACER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/clock.h"
#include "observability/trace_context.h"
#include "observability/trace_ids.h"
#include "observability/tracing/sampler.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::observability::tracing {

// The end of an RPC over HTTP. Texts are borrowed for ever.
struct HttpOutcome {
  std::string_view name;    // Of the span: "POST /v1/undo".
  std::string_view method;  // "POST"
  std::string_view route;   // "/v1/tools/{tool_id}:execute"
  std::string_view scheme;  // "http" or "https".
  int status = 200;
};

// Takes over the spans of RPCs that have ended. Thread-safe; must neither block nor fail.
class RecordingSink {
 public:
  virtual ~RecordingSink() = default;
  virtual void Take(std::unique_ptr<TraceRecording> recording) = 0;
};

// Place of one RPC in a trace: its server span, and the recording if it is sampled. Movable; used by one thread at a
// time, and what it hands out stays where it is when it is moved.
class RpcTrace {
 public:
  const TraceContext& server_span() const { return server_span_; }
  TraceRecording* recording() const { return recording_.get(); }

 private:
  friend class Tracer;

  TraceContext server_span_;
  uint64_t parent_span_id_ = 0;
  std::unique_ptr<TraceRecording> recording_;
};

// Thread-safe.
class Tracer {
 public:
  struct Options {
    Sampler sampler;
    RecordingSink& sink;         // Borrowed.
    std::string server_address;  // As configured for the listener; may be empty.
    int64_t server_port = 0;     // 0: none, as of a Unix socket.
  };

  // Without `options` nothing is recorded, and contexts are passed on with the flags that they came with. Borrows `ids`
  // and `clock`.
  Tracer(TraceIds& ids, const Clock& clock, std::optional<Options> options);

  // An RPC begins. `client_span` is from its headers (ParentOf). Costs no allocation unless the RPC is sampled.
  RpcTrace Begin(const std::optional<TraceContext>& client_span);
  // The RPC ended with `status_code`, a gRPC status code. `method`, "package.Service/Method", is borrowed for ever.
  void End(RpcTrace& trace, std::string_view method, int status_code, int64_t start_ns);
  // The same for one that came over HTTP.
  void EndHttp(RpcTrace& trace, const HttpOutcome& outcome, int64_t start_ns);

  TraceIds& ids() { return ids_; }

 private:
  struct ServerSpan;
  void AddServerSpan(RpcTrace& trace, const ServerSpan& span, int64_t start_ns);

  TraceIds& ids_;
  const Clock& clock_;
  const std::optional<Options> options_;
};

// The span of the client as the headers of a request state it; nothing if they are absent or malformed.
std::optional<TraceContext> ParentOf(std::string_view trace_parent, std::string_view trace_state);

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_TRACER_H_
