#include "observability/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"
#include "observability/finding_counter.h"
#include "observability/process_metrics.h"
#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace toolgate::observability {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using Rows = std::vector<std::vector<std::string>>;

// Rows of calls: one for each outcome. The error codes follow the two successful outcomes.
constexpr size_t kErrorCodes = static_cast<size_t>(ErrorCode::kCannotUndo) + 1;
constexpr size_t kOutcomes = kErrorCodes + 2;

// Names by gRPC status code, as dashboards for these metrics expect.
constexpr std::array<std::string_view, 17> kGrpcCodes = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};
constexpr size_t kUnknownGrpcCode = 2;

// The statuses that the HTTP listener answers with. 499: the client left before. Others count as "other".
constexpr std::array<int, 16> kHttpCodes = {200, 204, 400, 401, 403, 404, 405, 409,
                                            413, 415, 429, 431, 499, 500, 503, 504};

std::vector<std::string> HttpCodeNames() {
  std::vector<std::string> names;
  names.reserve(kHttpCodes.size() + 1);
  for (const int code : kHttpCodes) names.push_back(std::to_string(code));
  names.emplace_back("other");
  return names;
}

size_t HttpCodeColumn(int status) {
  return static_cast<size_t>(std::find(kHttpCodes.begin(), kHttpCodes.end(), status) - kHttpCodes.begin());
}

size_t OutcomeRow(CallOutcome outcome, std::optional<ErrorCode> error) {
  if (outcome == CallOutcome::kSucceeded) return 0;
  if (outcome == CallOutcome::kConfirmationRequested) return 1;
  return 2 + static_cast<size_t>(error.value_or(ErrorCode::kExecutionError));
}

std::vector<std::string> OutcomeNames() {
  std::vector<std::string> names = {std::string(OutcomeName(CallOutcome::kSucceeded, std::nullopt)),
                                    std::string(OutcomeName(CallOutcome::kConfirmationRequested, std::nullopt))};
  for (size_t i = 0; i < kErrorCodes; ++i) names.emplace_back(ErrorCodeName(static_cast<ErrorCode>(i)));
  return names;
}

std::vector<std::string> With(std::vector<std::string> names, std::string_view extra) {
  names.emplace_back(extra);
  return names;
}

Rows Column(const std::vector<std::string>& values) {
  Rows rows;
  for (const std::string& value : values) rows.push_back({value});
  return rows;
}

// Row i * right.size() + j is left[i] followed by right[j].
Rows Product(const Rows& left, const Rows& right) {
  Rows rows;
  for (const auto& first : left) {
    for (const auto& second : right) {
      rows.push_back(first);
      rows.back().insert(rows.back().end(), second.begin(), second.end());
    }
  }
  return rows;
}

Rows MethodRows(const std::vector<RpcMethod>& methods) {
  Rows rows;
  for (const RpcMethod& method : methods) rows.push_back({method.type, method.service, method.method});
  return rows;
}

// Possible decisions of the checks. A breaker only refuses, and without a tool that calls a provider there is nothing
// to throttle.
constexpr std::array<std::string_view, 4> kChecks = {"circuit_breaker", "provider_throttle", "user_limit",
                                                     "tool_limit"};
constexpr std::array<std::string_view, 5> kDecisions = {"allowed", "refused", "reported", "failed_open",
                                                        "failed_closed"};

bool IsPossible(LimitCheck check, LimitDecision decision, bool providers) {
  if (check == LimitCheck::kCircuitBreaker) return decision == LimitDecision::kRefused;
  return check != LimitCheck::kProviderThrottle || providers;
}

// Row of each check and decision; kNoRow if there is none.
constexpr size_t kNoRow = ~size_t{0};
constexpr int64_t kThousandths = 1000;
using DecisionIndex = std::array<size_t, kChecks.size() * kDecisions.size()>;

size_t DecisionPlace(LimitCheck check, LimitDecision decision) {
  return static_cast<size_t>(check) * kDecisions.size() + static_cast<size_t>(decision);
}

Rows DecisionRows(bool providers, DecisionIndex& index) {
  Rows rows;
  for (size_t check = 0; check < kChecks.size(); ++check) {
    for (size_t decision = 0; decision < kDecisions.size(); ++decision) {
      const auto of_check = static_cast<LimitCheck>(check);
      const auto of_decision = static_cast<LimitDecision>(decision);
      size_t& row = index[DecisionPlace(of_check, of_decision)];
      row = IsPossible(of_check, of_decision, providers) ? rows.size() : kNoRow;
      if (row != kNoRow) rows.push_back({std::string(kChecks[check]), std::string(kDecisions[decision])});
    }
  }
  return rows;
}

// Outcomes of each tool that are exported before the first call: alerts compare them. All of them would be a thousand
// series, most of which stay 0.
std::vector<size_t> CallsFromTheStart(size_t tools) {
  std::vector<size_t> rows;
  for (size_t tool = 0; tool < tools; ++tool) {
    rows.push_back(tool * kOutcomes + OutcomeRow(CallOutcome::kSucceeded, std::nullopt));
    for (const ErrorCode code : {ErrorCode::kExecutionError, ErrorCode::kTimeout}) {
      rows.push_back(tool * kOutcomes + OutcomeRow(CallOutcome::kFailed, code));
    }
  }
  rows.push_back(tools * kOutcomes + OutcomeRow(CallOutcome::kRefused, ErrorCode::kUnknownTool));
  return rows;
}

// Every route's success is exported before the first request.
std::vector<size_t> OkFromTheStart(size_t routes) {
  std::vector<size_t> rows;
  for (size_t route = 0; route < routes; ++route) rows.push_back(route * (kHttpCodes.size() + 1) + HttpCodeColumn(200));
  return rows;
}

std::vector<size_t> RejectionsFromTheStart(const MetricsOptions& options) {
  std::vector<size_t> rows;
  for (const auto& [layer, reason] : options.usual_rejections) {
    const auto found = std::find(options.layers.begin(), options.layers.end(), layer);
    if (found == options.layers.end()) continue;
    const auto index = static_cast<size_t>(found - options.layers.begin());
    rows.push_back(index * kOutcomes + OutcomeRow(CallOutcome::kRefused, reason));
  }
  return rows;
}

// Checks that have windows, in the order of their rows. Providers come last: there may be none.
constexpr std::array kWindowChecks = {LimitCheck::kUserLimit, LimitCheck::kToolLimit, LimitCheck::kProviderThrottle};

Rows WindowCheckRows(bool providers) {
  Rows rows;
  for (const LimitCheck check : kWindowChecks) {
    if (check != LimitCheck::kProviderThrottle || providers) {
      rows.push_back({std::string(kChecks[static_cast<size_t>(check)])});
    }
  }
  return rows;
}

constexpr std::array<std::string_view, 6> kProviderOutcomes = {"ok",     "refused", "throttled",
                                                               "failed", "timeout", "cancelled"};

template <size_t kSize>
Rows Column(const std::array<std::string_view, kSize>& values) {
  Rows rows;
  for (const std::string_view value : values) rows.push_back({std::string(value)});
  return rows;
}

MetricFamily GaugeFamily(std::string name, std::string help, double value) {
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  return {std::move(name), std::move(help), MetricType::Gauge, {std::move(metric)}};
}

MetricFamily BuildInfo(const MetricsOptions& options) {
  MetricFamily family = GaugeFamily("toolgate_build_info", "Always 1; the labels say what runs.", 1);
  // To Prometheus, a label without a value is none.
  family.metric[0].label = {{"version", options.version}, {"commit", options.commit}};
  return family;
}

}  // namespace

struct Metrics::Families final : public prometheus::Collectable {
  explicit Families(const MetricsOptions& options);
  std::vector<MetricFamily> Collect() const override;
  std::vector<MetricFamily> CollectBreakers() const;

  ShardedCounter rpc_started;
  ShardedCounter rpc_handled;
  ShardedHistogram rpc_seconds;
  ShardedCounter http_requests;
  ShardedHistogram http_seconds;
  ShardedHistogram queue_seconds;
  ShardedCounter shed;
  ShardedCounter calls;
  ShardedHistogram call_seconds;
  ShardedHistogram layer_seconds;
  ShardedCounter rejections;
  ShardedCounter in_flight;
  DecisionIndex decision_rows;  // Filled together with the counter below.
  ShardedCounter limit_decisions;
  ShardedHistogram limit_use;
  ShardedCounter limiter_faults;
  ShardedCounter provider_calls;
  ShardedHistogram provider_seconds;
  FindingCounter findings;
  ShardedCounter undo;
  ShardedCounter confirmations;
  ShardedCounter breaker_changes;
  ShardedHistogram store_seconds;
  ShardedCounter revoked_snapshots;
  ShardedHistogram audit_flush_seconds;
  ShardedCounter spans_exported;
  ShardedCounter spans_dropped;
  ShardedCounter span_exports_failed;
  ProcessMetrics process;
  Gauge queue_length;
  Gauge waiting_calls;
  Gauge effects_under_way;
  Gauge audit_pending;
  Gauge unresolved_claims;
  Gauge confirmations_waiting;
  Gauge store_log_bytes;
  Gauge store_log_limit_bytes;
  Gauge ready;
  const MetricFamily build_info;

  mutable absl::Mutex mutex;
  std::map<std::string, BreakerState> breakers ABSL_GUARDED_BY(mutex);
};

Metrics::Families::Families(const MetricsOptions& options)
    : rpc_started({"grpc_server_started_total",
                   "RPCs started on the server.",
                   {"grpc_type", "grpc_service", "grpc_method"},
                   MethodRows(options.rpc_methods)}),
      rpc_handled({"grpc_server_handled_total",
                   "RPCs completed on the server, whatever their status.",
                   {"grpc_type", "grpc_service", "grpc_method", "grpc_code"},
                   Product(MethodRows(options.rpc_methods), Column(kGrpcCodes))}),
      rpc_seconds({"grpc_server_handling_seconds",
                   "Time from an RPC's start to its end on the server.",
                   {"grpc_type", "grpc_service", "grpc_method"},
                   MethodRows(options.rpc_methods)},
                  CoarseBounds()),
      http_requests({"toolgate_http_requests_total",
                     "Requests over HTTP that were answered, or given up by their client.",
                     {"route", "code"},
                     Product(Column(options.http_routes), Column(HttpCodeNames()))},
                    ShardedCounter::Unused::kOmit, ShardedCounter::Kind::kCounter,
                    OkFromTheStart(options.http_routes.size())),
      http_seconds({"toolgate_http_request_duration_seconds",
                    "Time from a request's head to its answer, or to the end of a stream.",
                    {"route"},
                    Column(options.http_routes)},
                   CoarseBounds()),
      queue_seconds({"toolgate_queue_wait_seconds", "Time that an RPC waited for a worker.", {}, {{}}}, FineBounds()),
      shed({"toolgate_shed_total",
            "RPCs answered before their work began.",
            {"reason"},
            Column({"queue_full", "deadline", "cancelled"})}),
      calls({"toolgate_calls_total",
             "Tool calls that have ended.",
             {"tool", "outcome"},
             Product(Column(With(options.tools, "unknown")), Column(OutcomeNames()))},
            ShardedCounter::Unused::kOmit, ShardedCounter::Kind::kCounter, CallsFromTheStart(options.tools.size())),
      call_seconds({"toolgate_call_duration_seconds",
                    "Time of a tool call through all layers.",
                    {"tool"},
                    Column(With(options.tools, "unknown"))},
                   CoarseBounds()),
      layer_seconds({"toolgate_layer_duration_seconds",
                     "Time spent in one layer, without the layers inside it.",
                     {"layer"},
                     Column(options.layers)},
                    FineBounds()),
      rejections({"toolgate_rejections_total",
                  "Tool calls refused before the tool ran.",
                  {"layer", "reason"},
                  Product(Column(With(options.layers, "other")), Column(OutcomeNames()))},
                 ShardedCounter::Unused::kOmit, ShardedCounter::Kind::kCounter, RejectionsFromTheStart(options)),
      in_flight({"toolgate_calls_in_flight", "Tool calls that have started and not ended.", {}, {{}}},
                ShardedCounter::Unused::kExport, ShardedCounter::Kind::kGauge),
      limit_decisions({"toolgate_limit_decisions_total",
                       "Decisions of the limits and circuit breakers.",
                       {"check", "decision"},
                       DecisionRows(!options.providers.empty(), decision_rows)}),
      limit_use({"toolgate_limit_use_ratio",
                 "Share of a limit's fullest window that was used after a call; more than 1 if the call was over it.",
                 {"check"},
                 WindowCheckRows(!options.providers.empty())},
                ShareBounds(), kThousandths),
      limiter_faults({"toolgate_limiter_faults_total",
                      "Times that the state of the limits could not be used.",
                      {"reason"},
                      Column({"unreachable", "full"})}),
      provider_calls({"toolgate_provider_calls_total",
                      "Attempts to call a provider, by outcome.",
                      {"provider", "outcome"},
                      Product(Column(With(options.providers, "other")), Column(kProviderOutcomes))}),
      provider_seconds({"toolgate_provider_call_duration_seconds",
                        "Time of one attempt to call a provider.",
                        {"provider"},
                        Column(With(options.providers, "other"))},
                       CoarseBounds()),
      findings(With(options.tools, "unknown"), options.finding_families),
      undo({"toolgate_undo_total",
            "Undo and redo requests.",
            {"outcome"},
            Column({"undone", "redone", "conflict", "nothing_to_undo", "cannot_undo", "failed"})}),
      confirmations({"toolgate_confirmations_total",
                     "Questions to people, what became of them, and those that a role made needless.",
                     {"event"},
                     Column({"requested", "auto_approved", "approved", "denied", "used", "expired", "rejected_token",
                             "repeated"})}),
      breaker_changes({"toolgate_breaker_changes_total",
                       "Times that a circuit breaker came into a state.",
                       {"to"},
                       Column({"closed", "half_open", "open"})}),
      store_seconds({"toolgate_store_operation_seconds",
                     "Time of one operation of the store.",
                     {"operation"},
                     Column({"read", "write", "commit", "backup", "blob_read", "blob_write", "empty_log", "body"})},
                    FineBounds()),
      revoked_snapshots({"toolgate_store_snapshots_revoked_total",
                         "Reads that lasted and were ended, so that the write-ahead log could be emptied.",
                         {},
                         {{}}}),
      audit_flush_seconds({"toolgate_audit_flush_seconds", "Time to commit one group of audit entries.", {}, {{}}},
                          FineBounds()),
      spans_exported({"toolgate_spans_exported_total", "Spans that the trace receiver took.", {}, {{}}}),
      spans_dropped({"toolgate_spans_dropped_total",
                     "Spans that were recorded but not delivered.",
                     {"reason"},
                     Column({"queue_full", "trace_too_long", "export_failed", "rejected", "shutdown"})}),
      span_exports_failed(
          {"toolgate_span_exports_failed_total", "Batches of spans that were given up, after all retries.", {}, {{}}}),
      build_info(BuildInfo(options)) {}

std::vector<MetricFamily> Metrics::Families::CollectBreakers() const {
  MetricFamily family{
      "toolgate_breaker_state", "State of a circuit breaker: 0 closed, 1 half-open, 2 open.", MetricType::Gauge, {}};
  absl::ReaderMutexLock lock(&mutex);
  for (const auto& [name, state] : breakers) {
    prometheus::ClientMetric metric;
    metric.label.push_back({"name", name});
    metric.gauge.value = static_cast<double>(state);
    family.metric.push_back(std::move(metric));
  }
  return {std::move(family)};
}

std::vector<MetricFamily> Metrics::Families::Collect() const {
  std::vector<MetricFamily> all;
  const auto append = [&](std::vector<MetricFamily> families) {
    // A family without rows would print only a header.
    std::copy_if(std::move_iterator(families.begin()), std::move_iterator(families.end()), std::back_inserter(all),
                 [](const MetricFamily& family) { return !family.metric.empty(); });
  };
  const std::initializer_list<const prometheus::Collectable*> parts = {&rpc_started,
                                                                       &rpc_handled,
                                                                       &rpc_seconds,
                                                                       &http_requests,
                                                                       &http_seconds,
                                                                       &queue_seconds,
                                                                       &shed,
                                                                       &calls,
                                                                       &call_seconds,
                                                                       &layer_seconds,
                                                                       &rejections,
                                                                       &in_flight,
                                                                       &limit_decisions,
                                                                       &undo,
                                                                       &confirmations,
                                                                       &breaker_changes,
                                                                       &store_seconds,
                                                                       &revoked_snapshots,
                                                                       &audit_flush_seconds,
                                                                       &spans_exported,
                                                                       &spans_dropped,
                                                                       &span_exports_failed,
                                                                       &limit_use,
                                                                       &limiter_faults,
                                                                       &provider_calls,
                                                                       &provider_seconds,
                                                                       &findings,
                                                                       &process};
  for (const prometheus::Collectable* part : parts) append(part->Collect());
  append(CollectBreakers());
  append({GaugeFamily("toolgate_queue_length", "Calls that wait for a worker or for a place to run.",
                      static_cast<double>(queue_length.value())),
          GaugeFamily("toolgate_waiting_calls",
                      "Calls that hold no thread while they wait: for a place to run, for something outside of the "
                      "service, or for a slow client.",
                      static_cast<double>(waiting_calls.value())),
          GaugeFamily("toolgate_effects_under_way",
                      "Calls of tools that act outside of the workspace, whether they act or wait.",
                      static_cast<double>(effects_under_way.value())),
          GaugeFamily("toolgate_audit_pending", "Audit entries that wait for their commit.",
                      static_cast<double>(audit_pending.value())),
          GaugeFamily("toolgate_unresolved_claims",
                      "Calls that were interrupted while their tool acted outside of the workspace, and that recovery "
                      "could not resolve yet.",
                      static_cast<double>(unresolved_claims.value())),
          GaugeFamily("toolgate_confirmations_waiting",
                      "Questions to people in the store that nobody has decided and that have not expired.",
                      static_cast<double>(confirmations_waiting.value())),
          GaugeFamily("toolgate_store_log_bytes", "Size of the store's write-ahead log.",
                      static_cast<double>(store_log_bytes.value())),
          GaugeFamily("toolgate_store_log_limit_bytes", "Size from which the store empties its write-ahead log.",
                      static_cast<double>(store_log_limit_bytes.value())),
          GaugeFamily("toolgate_ready", "1 while the service is ready for calls, as in its health.",
                      static_cast<double>(ready.value())),
          build_info});
  return all;
}

Metrics::Metrics(const MetricsOptions& options)
    : layer_count_(options.layers.size()), families_(std::make_shared<Families>(options)) {
  for (size_t i = 0; i < options.tools.size(); ++i) tool_rows_.emplace(options.tools[i], i);
  for (size_t i = 0; i < options.providers.size(); ++i) provider_rows_.emplace(options.providers[i], i);
}

Metrics::~Metrics() = default;

std::shared_ptr<prometheus::Collectable> Metrics::collectable() const { return families_; }

std::string Metrics::Text() const {
  const prometheus::TextSerializer serializer;
  return static_cast<const prometheus::Serializer&>(serializer).Serialize(families_->Collect());
}

size_t Metrics::ToolRow(std::string_view tool_id) const {
  const auto found = tool_rows_.find(ToAbsl(tool_id));
  return found == tool_rows_.end() ? tool_rows_.size() : found->second;
}

void Metrics::OnCallStarted(const CallStarted& /*call*/) { families_->in_flight.Add(0, 1); }

void Metrics::OnCallEnded(const CallStarted& call, const CallEnded& end) {
  Families& families = *families_;
  const size_t tool = ToolRow(call.tool_id);
  const size_t outcome = OutcomeRow(end.outcome, end.error);
  families.in_flight.Add(0, -1);
  families.calls.Add(tool * kOutcomes + outcome);
  families.call_seconds.Observe(tool, end.ended_ns - call.arrived_ns);
  size_t refused_by = layer_count_;
  for (const LayerTiming& layer : end.layers) {
    if (layer.index >= layer_count_) continue;
    families.layer_seconds.Observe(layer.index, layer.self_ns);
    if (layer.refused) refused_by = layer.index;
  }
  if (end.findings > 0) families.findings.Count(tool, end.finding_list);
  if (end.outcome == CallOutcome::kRefused) families.rejections.Add(refused_by * kOutcomes + outcome);
}

void Metrics::RpcStarted(size_t method) { families_->rpc_started.Add(method); }

void Metrics::RpcHandled(size_t method, int code, absl::Duration duration) {
  const bool valid = code >= 0 && static_cast<size_t>(code) < kGrpcCodes.size();
  const size_t column = valid ? static_cast<size_t>(code) : kUnknownGrpcCode;
  families_->rpc_handled.Add(method * kGrpcCodes.size() + column);
  families_->rpc_seconds.Observe(method, absl::ToInt64Nanoseconds(duration));
}

void Metrics::HttpHandled(size_t route, int status, absl::Duration duration) {
  families_->http_requests.Add(route * (kHttpCodes.size() + 1) + HttpCodeColumn(status));
  families_->http_seconds.Observe(route, absl::ToInt64Nanoseconds(duration));
}

void Metrics::ObserveQueueWait(absl::Duration duration) {
  families_->queue_seconds.Observe(0, absl::ToInt64Nanoseconds(duration));
}

void Metrics::CountShed(ShedReason reason) { families_->shed.Add(static_cast<size_t>(reason)); }

void Metrics::CountExportedSpans(int64_t count) { families_->spans_exported.Add(0, count); }

void Metrics::CountDroppedSpans(SpanDrop reason, int64_t count) {
  families_->spans_dropped.Add(static_cast<size_t>(reason), count);
}

void Metrics::CountFailedSpanExport() { families_->span_exports_failed.Add(0); }

void Metrics::CountLimitDecision(LimitCheck check, LimitDecision decision) {
  const size_t row = families_->decision_rows[DecisionPlace(check, decision)];
  if (row != kNoRow) families_->limit_decisions.Add(row);
}

void Metrics::ObserveLimitUse(LimitCheck check, double share) {
  const auto row =
      static_cast<size_t>(std::find(kWindowChecks.begin(), kWindowChecks.end(), check) - kWindowChecks.begin());
  const size_t rows = kWindowChecks.size() - (provider_rows_.empty() ? 1 : 0);
  if (row < rows) families_->limit_use.Observe(row, std::llround(share * static_cast<double>(kThousandths)));
}

void Metrics::CountLimiterFault(LimiterFault fault) { families_->limiter_faults.Add(static_cast<size_t>(fault)); }

void Metrics::ObserveProviderCall(std::string_view provider, ProviderOutcome outcome, absl::Duration duration) {
  const auto found = provider_rows_.find(ToAbsl(provider));
  const size_t row = found == provider_rows_.end() ? provider_rows_.size() : found->second;
  families_->provider_calls.Add(row * kProviderOutcomes.size() + static_cast<size_t>(outcome));
  families_->provider_seconds.Observe(row, absl::ToInt64Nanoseconds(duration));
}

void Metrics::CountUndo(UndoOutcome outcome) { families_->undo.Add(static_cast<size_t>(outcome)); }

void Metrics::CountConfirmation(ConfirmationEvent event) { families_->confirmations.Add(static_cast<size_t>(event)); }

void Metrics::ObserveStoreOperation(StoreOperation operation, absl::Duration duration) {
  families_->store_seconds.Observe(static_cast<size_t>(operation), absl::ToInt64Nanoseconds(duration));
}

void Metrics::CountRevokedSnapshots(int64_t count) { families_->revoked_snapshots.Add(0, count); }

void Metrics::ObserveAuditFlush(absl::Duration duration) {
  families_->audit_flush_seconds.Observe(0, absl::ToInt64Nanoseconds(duration));
}

void Metrics::CountBreakerChange(BreakerState to) { families_->breaker_changes.Add(static_cast<size_t>(to)); }

void Metrics::SetBreakers(std::map<std::string, BreakerState> breakers) {
  absl::MutexLock lock(&families_->mutex);
  families_->breakers.swap(breakers);
}

Gauge& Metrics::queue_length() { return families_->queue_length; }

Gauge& Metrics::waiting_calls() { return families_->waiting_calls; }

Gauge& Metrics::effects_under_way() { return families_->effects_under_way; }

Gauge& Metrics::audit_pending() { return families_->audit_pending; }

Gauge& Metrics::unresolved_claims() { return families_->unresolved_claims; }

Gauge& Metrics::confirmations_waiting() { return families_->confirmations_waiting; }

Gauge& Metrics::store_log_bytes() { return families_->store_log_bytes; }

Gauge& Metrics::store_log_limit_bytes() { return families_->store_log_limit_bytes; }

Gauge& Metrics::ready() { return families_->ready; }

}  // namespace toolgate::observability
