// All metrics that toolgate exports, by name.
#ifndef TOOLGATE_OBSERVABILITY_METRICS_H_
#define TOOLGATE_OBSERVABILITY_METRICS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "observability/call_observer.h"
#include "observability/confirmation_event.h"
#include "observability/provider_call.h"
#include "observability/sharded_counter.h"
#include "observability/sharded_histogram.h"
#include "prometheus/collectable.h"

namespace toolgate::observability {

struct RpcMethod {
  std::string type;     // "unary", "server_stream" and so on, as gRPC dashboards expect.
  std::string service;  // "toolgate.v1.ToolService"
  std::string method;   // "Execute"
};

// Label values that a process can export. They are fixed here, so that callers cannot add any.
struct MetricsOptions {
  std::vector<std::string> tools;   // Tool ids. Other ids count as "unknown".
  std::vector<std::string> layers;  // In the order of the pipeline; LayerTiming::index is an index into this list.
  std::vector<RpcMethod> rpc_methods;
  std::vector<std::string> http_routes;  // "POST /v1/undo"; empty: HTTP is not served, and nothing of it exported.
  std::string version;
  std::string commit;  // Empty: no such label.
  // Names of the providers that tools call. Calls of others count as "other". Empty: nothing is throttled either.
  std::vector<std::string> providers;
  std::vector<std::string> finding_families;  // Families of layer 1's rules. Others count as "other".
  // Refusals that are exported before the first one, by layer and reason. All others are exported once counted.
  std::vector<std::pair<std::string, ErrorCode>> usual_rejections;
};

enum class LimitCheck { kCircuitBreaker, kProviderThrottle, kUserLimit, kToolLimit };
// kReported: the limit only reports, and would have refused the call. The last two: the limit's state was unavailable.
enum class LimitDecision { kAllowed, kRefused, kReported, kFailedOpen, kFailedClosed };
// Reason for which the state of the limits could not be used. kFull: no room for another user.
enum class LimiterFault { kUnreachable, kFull };
enum class UndoOutcome { kUndone, kRedone, kConflict, kNothingToUndo, kCannotUndo, kFailed };
// kRead: all reads of one call. kWrite: one mutation, from its submission to its commit. kCommit: one transaction with
// all mutations that share it. kBlobRead, kBlobWrite: one operation of the store of blobs, with its repeats.
enum class StoreOperation { kRead, kWrite, kCommit, kBackup, kBlobRead, kBlobWrite, kEmptyLog, kBody };
// Reason for which an RPC was answered before its work began.
enum class ShedReason { kQueueFull, kDeadline, kCancelled };
// Reason for which a finished span was not exported.
enum class SpanDrop { kQueueFull, kTraceTooLong, kExportFailed, kRejected, kShutdown };
enum class BreakerState { kClosed = 0, kHalfOpen = 1, kOpen = 2 };

// Gauge for values that change rarely or in one place. Thread-safe.
class Gauge {
 public:
  void Set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void Add(int64_t by) { value_.fetch_add(by, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// Counts observed calls and, through named methods, other events. Thread-safe; only SetBreakers takes a lock.
class Metrics final : public CallObserver {
 public:
  explicit Metrics(const MetricsOptions& options);
  ~Metrics() override;

  // All metrics, for the metrics server. Shared ownership.
  std::shared_ptr<prometheus::Collectable> collectable() const;
  // Current response of the metrics server.
  std::string Text() const;

  // --- calls ---
  void OnCallStarted(const CallStarted& call) override;
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override;

  // --- RPCs; `method` is an index into MetricsOptions::rpc_methods, `code` a gRPC status code ---
  void RpcStarted(size_t method);
  void RpcHandled(size_t method, int code, absl::Duration duration);
  // `route` is an index into MetricsOptions::http_routes, `status` that of the answer.
  void HttpHandled(size_t route, int status, absl::Duration duration);
  void ObserveQueueWait(absl::Duration duration);  // Time until a worker took the RPC.
  void CountShed(ShedReason reason);

  // --- traces ---
  void CountExportedSpans(int64_t count);
  void CountDroppedSpans(SpanDrop reason, int64_t count);
  void CountFailedSpanExport();

  // --- layers and stores ---
  void CountLimitDecision(LimitCheck check, LimitDecision decision);
  // `share` of the limit's fullest window is used, 0 to 1; more than 1: the call was over the limit.
  void ObserveLimitUse(LimitCheck check, double share);
  void CountLimiterFault(LimiterFault fault);
  void ObserveProviderCall(std::string_view provider, ProviderOutcome outcome, absl::Duration duration);
  void CountUndo(UndoOutcome outcome);
  void CountConfirmation(ConfirmationEvent event);
  void ObserveStoreOperation(StoreOperation operation, absl::Duration duration);
  void CountRevokedSnapshots(int64_t count);
  void ObserveAuditFlush(absl::Duration duration);
  void CountBreakerChange(BreakerState to);
  // Sets the names of all breakers.
  void SetBreakers(std::map<std::string, BreakerState> breakers);
  Gauge& queue_length();           // Calls waiting for a place or a worker.
  Gauge& waiting_calls();          // Calls waiting aside, for whatever it is.
  Gauge& effects_under_way();      // Calls of tools that act outside of the workspace.
  Gauge& audit_pending();          // Audit entries waiting for their commit.
  Gauge& unresolved_claims();      // Interrupted effects that recovery could not resolve yet.
  Gauge& confirmations_waiting();  // Questions in the store that nobody has decided and that have not expired.
  Gauge& store_log_bytes();        // Size of the store's write-ahead log.
  Gauge& store_log_limit_bytes();  // Size from which it is emptied; 0 where there is none.
  Gauge& ready();                  // 1 while the service is ready, as in its health.

 private:
  struct Families;

  size_t ToolRow(std::string_view tool_id) const;

  const size_t layer_count_;
  absl::flat_hash_map<std::string, size_t> tool_rows_;
  absl::flat_hash_map<std::string, size_t> provider_rows_;
  std::shared_ptr<Families> families_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_METRICS_H_
