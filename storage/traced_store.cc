#include "storage/traced_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"
#include "observability/trace_context.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {

namespace tracing = observability::tracing;

namespace {

constexpr std::string_view kRead = "read";
constexpr std::string_view kWrite = "write";

std::string NameOf(std::string_view operation, std::string_view database) {
  return absl::StrCat(ToAbsl(operation), " ", ToAbsl(database));
}

}  // namespace

// One operation of a sampled call, from construction to End.
class TracedStore::Operation {
 public:
  Operation(const tracing::CallSpan& call, const TracedDatabase& database, std::string_view operation,
            std::string_view span_name)
      : recording_(*call.recording), database_(database), operation_(operation) {
    span_ = {.id = recording_.NewSpanId(),
             .parent_id = call.context->span_id,
             .name = span_name,
             .kind = database.kind,
             .start_ns = recording_.Now()};
  }

  // The wait for the transaction's turn is over.
  void Begin() {
    if (!began_ns_.has_value()) began_ns_ = recording_.Now();
  }

  // A ToolError is the answer to a caller, not a failure of the store.
  void End(const absl::Status& status) {
    span_.end_ns = recording_.Now();
    span_.failed = !status.ok() && !GetToolError(status).has_value();
    tracing::Attribute attributes[5] = {{tracing::kDbSystemName, database_.system},
                                        {tracing::kDbNamespace, std::string_view(database_.name)},
                                        {tracing::kDbOperationName, operation_}};
    size_t count = 3;
    if (began_ns_.has_value()) {
      attributes[count++] = {tracing::kQueueDuration, static_cast<double>(*began_ns_ - span_.start_ns) / 1e9};
    }
    if (span_.failed) {
      attributes[count++] = {tracing::kErrorType, recording_.Keep(absl::StatusCodeToString(status.code()))};
    }
    recording_.Add(span_, std::span(attributes).first(count));
  }

 private:
  tracing::TraceRecording& recording_;
  const TracedDatabase& database_;
  const std::string_view operation_;
  tracing::Span span_;
  std::optional<int64_t> began_ns_;
};

TracedStore::TracedStore(std::unique_ptr<Store> store, TracedDatabase database)
    : ForwardingStore(*store),
      owned_(std::move(store)),
      database_(std::move(database)),
      read_name_(NameOf(kRead, database_.name)),
      write_name_(NameOf(kWrite, database_.name)) {}

absl::Status TracedStore::Read(std::string_view workspace_id, const ReadPatience& patience,
                               absl::FunctionRef<absl::Status(ReadView&)> body) {
  if (!patience.call_span.recorded()) return store().Read(workspace_id, patience, body);
  Operation operation(patience.call_span, database_, kRead, read_name_);
  absl::Status status = store().Read(workspace_id, patience, body);
  operation.End(status);
  return status;
}

absl::Status TracedStore::Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                                 absl::FunctionRef<absl::Status(Transaction&)> body) {
  if (!context.call_span.recorded()) return store().Commit(context, mode, cancellation, body);
  Operation operation(context.call_span, database_, kWrite, write_name_);
  absl::Status status = store().Commit(context, mode, cancellation, [&](Transaction& transaction) {
    operation.Begin();
    return body(transaction);
  });
  operation.End(status);
  return status;
}

absl::StatusOr<std::vector<v1::AuditEntry>> TracedStore::SearchAudit(std::string_view workspace_id,
                                                                     const ReadPatience& patience,
                                                                     const AuditQuery& query) {
  if (!patience.call_span.recorded()) return store().SearchAudit(workspace_id, patience, query);
  Operation operation(patience.call_span, database_, kRead, read_name_);
  absl::StatusOr<std::vector<v1::AuditEntry>> found = store().SearchAudit(workspace_id, patience, query);
  operation.End(found.status());
  return found;
}

absl::StatusOr<v1::AuditEntry> TracedStore::GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                     std::string_view entry_id) {
  if (!patience.call_span.recorded()) return store().GetAudit(workspace_id, patience, entry_id);
  Operation operation(patience.call_span, database_, kRead, read_name_);
  absl::StatusOr<v1::AuditEntry> found = store().GetAudit(workspace_id, patience, entry_id);
  operation.End(found.status());
  return found;
}

absl::StatusOr<ChainReport> TracedStore::VerifyChain(std::string_view workspace_id, const ReadPatience& patience) {
  if (!patience.call_span.recorded()) return store().VerifyChain(workspace_id, patience);
  Operation operation(patience.call_span, database_, kRead, read_name_);
  absl::StatusOr<ChainReport> report = store().VerifyChain(workspace_id, patience);
  operation.End(report.status());
  return report;
}

}  // namespace toolgate::storage
