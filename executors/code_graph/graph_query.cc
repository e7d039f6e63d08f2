#include "executors/code_graph/graph_query.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/code_graph/schema_hints.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/result_json.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/values/json.h"

namespace toolgate::executors::code_graph {
namespace {

using cypher::PreparedQuery;
using cypher::values::Map;
using cypher::values::Value;
using index::GraphIndexes;
using index::RefreshReport;
using index::RefreshTicket;
using index::StoredGraph;

// Between two reports of how far the index is.
constexpr absl::Duration kReportEvery = absl::Seconds(1);
constexpr absl::Duration kRetryAfter = absl::Seconds(5);

absl::Duration Now() { return Clock::Real().Monotonic(); }

// Turns a query's error into a ToolError for the caller. Other failures stay as they are.
absl::Status ToCaller(const absl::Status& status) {
  const std::optional<cypher::syntax::CypherError> error = cypher::syntax::GetCypherError(status);
  if (!error.has_value()) return status;
  ToolError refusal;
  refusal.code = ErrorCode::kInvalidParams;
  refusal.message = cypher::syntax::ToString(*error);
  refusal.violations.push_back({"/query", error->kind, error->message, ""});
  refusal.facts = {{"kind", error->kind}, {"detail", error->detail}};
  if (error->line > 0) {
    refusal.facts.emplace_back("line", absl::StrCat(error->line));
    refusal.facts.emplace_back("column", absl::StrCat(error->column));
  }
  return ToStatus(refusal);
}

absl::Status StillIndexing(const GraphIndexes::Progress& progress) {
  ToolError error;
  error.code = ErrorCode::kTimeout;
  error.message = "the code graph is not up to date yet";
  if (progress.total > 0) {
    absl::StrAppend(&error.message, ": ", progress.done, " of ", progress.total, " changed files are indexed");
  }
  error.message += "; indexing goes on, repeat the query in some seconds";
  error.retryable = true;
  error.retry_after = kRetryAfter;
  return ToStatus(error);
}

absl::Status NoPlace(fairness::Bound bound) {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  const std::string_view whose = bound == fairness::Bound::kUser ? "too many of your queries of the code graph"
                                 : bound == fairness::Bound::kWorkspace
                                     ? "too many of the workspace's queries of its graph"
                                     : "too many queries of code graphs";
  error.message = absl::StrCat(ToAbsl(whose), " are running, and none of them ended in time");
  error.retryable = true;
  error.retry_after = kRetryAfter;
  return ToStatus(error);
}

// A query's place among those that run.
class Place {
 public:
  // Waits in line for it, until then. OVERLOADED; what the session's wait ends with.
  static absl::StatusOr<Place> Take(fairness::FairLine& line, const ToolContext& context, EffectSession& session,
                                    absl::Duration until) {
    fairness::FairLine::Waiter waiter;
    if (line.TakeOrJoin({context.caller.workspace_id, context.caller.user_id}, waiter)) return Place(line, waiter);
    const absl::StatusOr<bool> came = session.Wait(waiter.came, std::max(until - Now(), absl::ZeroDuration()));
    if (!came.ok() || !*came) {
      if (const std::optional<fairness::Bound> bound = line.Leave(waiter)) {
        return came.ok() ? NoPlace(*bound) : came.status();
      }
      // Granted at the last moment.
      while (!waiter.came.IsSet()) waiter.came.WaitAside();
    }
    return Place(line, waiter);
  }
  Place(Place&& other) noexcept : line_(std::exchange(other.line_, nullptr)), account_(other.account_) {}
  Place& operator=(Place&& other) noexcept {
    std::swap(line_, other.line_);
    std::swap(account_, other.account_);
    return *this;
  }
  ~Place() {
    if (line_ != nullptr) line_->Release(*account_);
  }

 private:
  Place(fairness::FairLine& line, const fairness::FairLine::Waiter& waiter) : line_(&line), account_(waiter.account) {}

  fairness::FairLine* line_;
  fairness::FairLine::Account* account_;
};

// A snapshot that has every change made before the call.
struct CurrentGraph {
  std::optional<Place> place;  // Of the query that is to run on it; given back when the graph is closed.
  std::unique_ptr<StoredGraph> graph;
  RefreshReport report;
};

class GraphWait {
 public:
  GraphWait(GraphIndexes& indexes, std::shared_ptr<directory::Directory> directory, const QueryLimits& limits,
            ToolContext& context, EffectSession& session)
      : indexes_(indexes),
        directory_(std::move(directory)),
        workspace_(context.caller.workspace_id),
        places_(limits.places.get()),
        context_(context),
        session_(session),
        until_(Now() + limits.max_wait) {}

  absl::StatusOr<CurrentGraph> Run() {
    while (true) {
      ASSIGN_OR_RETURN(const RefreshReport report, Refreshed());
      std::optional<Place> place;
      if (places_ != nullptr) {
        ASSIGN_OR_RETURN(place, Place::Take(*places_, context_, session_, until_));
      }
      absl::StatusOr<std::unique_ptr<StoredGraph>> graph = indexes_.Open(workspace_);
      if (graph.ok()) return CurrentGraph{std::move(place), *std::move(graph), report};
      // Another refresh has begun meanwhile, and has much to write.
      if (!absl::IsFailedPrecondition(graph.status())) return graph.status();
    }
  }

 private:
  absl::StatusOr<RefreshReport> Refreshed() {
    const std::shared_ptr<RefreshTicket> ticket = indexes_.Refresh(workspace_, directory_);
    while (true) {
      const absl::Duration left = until_ - Now();
      const absl::Duration step = std::clamp(left, absl::ZeroDuration(), kReportEvery);
      ASSIGN_OR_RETURN(const bool done, session_.Wait(ticket->done, step));
      if (done) return ticket->report;
      const GraphIndexes::Progress progress = indexes_.ProgressOf(workspace_);
      if (left <= kReportEvery) return StillIndexing(progress);
      if (progress.total > 0) context_.Report({"Indexing files", progress.done, progress.total});
    }
  }

  GraphIndexes& indexes_;
  const std::shared_ptr<directory::Directory> directory_;
  const std::string workspace_;
  fairness::FairLine* const places_;
  ToolContext& context_;
  EffectSession& session_;
  const absl::Duration until_;
};

// Collects rows as long as the answer has room.
class AnswerRows {
 public:
  AnswerRows(const PreparedQuery& query, const StoredGraph& graph, const QueryLimits& limits)
      : query_(query), graph_(graph), limits_(limits) {}

  absl::StatusOr<bool> Add(absl::Span<const Value> values) {
    Json row = Json::object();
    for (size_t i = 0; i < values.size(); ++i) {
      ASSIGN_OR_RETURN(row[query_.columns()[i]], cypher::ToJson(values[i], graph_));
    }
    bytes_ += static_cast<int64_t>(DumpJson(row).size());
    if (static_cast<int64_t>(rows_.size()) >= limits_.max_rows || bytes_ > limits_.max_answer_bytes) {
      truncated_ = true;
      return false;
    }
    rows_.push_back(std::move(row));
    return true;
  }

  Json Take(const RefreshReport& report) {
    Json answer{{"columns", query_.columns()}, {"rows", std::move(rows_)}};
    if (truncated_) answer["truncated"] = true;
    if (report.truncated) answer["filesLeftOut"] = true;
    if (const std::vector<std::string> hints = SchemaHints(query_.UsedNames()); !hints.empty()) answer["hints"] = hints;
    return answer;
  }

 private:
  const PreparedQuery& query_;
  const StoredGraph& graph_;
  const QueryLimits& limits_;
  Json rows_ = Json::array();
  int64_t bytes_ = 0;
  bool truncated_ = false;
};

Map ParametersOf(const Json& arguments) {
  const Json* const params = FindArgument(arguments, "params");
  return params == nullptr ? Map() : cypher::values::FromJson(*params).map();
}

absl::StatusOr<Json> RunOn(const CurrentGraph& current, const PreparedQuery& query, const QueryLimits& limits,
                           ToolContext& context) {
  std::optional<fairness::MemoryBudget::Reservation> memory;
  if (limits.memory != nullptr) {
    memory.emplace(*limits.memory, fairness::Party{context.caller.workspace_id, context.caller.user_id});
  }
  cypher::RunOptions options;
  options.memory = memory.has_value() ? &*memory : nullptr;
  options.bounds.max_time = limits.max_time;
  options.bounds.max_memory_bytes = static_cast<size_t>(limits.max_memory_bytes);
  options.bounds.max_rows = limits.max_rows + 1;
  options.should_stop = [&context] { return !context.cancellation.Check().ok(); };
  AnswerRows rows(query, *current.graph, limits);
  const absl::Status run =
      query.Run(*current.graph, ParametersOf(context.arguments), options,
                [&](absl::Span<const Value> values) -> absl::StatusOr<bool> { return rows.Add(values); });
  if (absl::IsCancelled(run)) RETURN_IF_ERROR(context.cancellation.Check());
  RETURN_IF_ERROR(ToCaller(run));
  return rows.Take(current.report);
}

}  // namespace

absl::StatusOr<Acted> GraphQuery(directory::Directories& directories, GraphIndexes& indexes, const QueryLimits& limits,
                                 ToolContext& context, EffectSession& session) {
  const absl::StatusOr<PreparedQuery> query = PreparedQuery::Prepare(StringArgument(context.arguments, "query"));
  if (!query.ok()) return ToCaller(query.status());
  ASSIGN_OR_RETURN(std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(const CurrentGraph current,
                   GraphWait(indexes, std::move(directory), limits, context, session).Run());
  ASSIGN_OR_RETURN(const Json answer, RunOn(current, *query, limits, context));
  Acted acted;
  acted.output.data_json = DumpJson(answer);
  acted.output.untrusted = true;
  return acted;
}

}  // namespace toolgate::executors::code_graph
