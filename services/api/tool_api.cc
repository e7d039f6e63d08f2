#include "services/api/tool_api.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/internal_tool.h"
#include "observability/metrics.h"
#include "security/tool_call.h"
#include "services/api/convert.h"
#include "services/api/execute_call.h"
#include "services/api/offered_tools.h"
#include "services/api/page.h"
#include "services/api/page_token.h"
#include "services/api/streamed_events.h"
#include "services/audit/audit_entry.h"
#include "services/rendering/catalog_renderer.h"
#include "services/rendering/result_events.h"

namespace toolgate::services::api {
namespace {

using executors::InternalTool;
using storage::ReadView;

void WriteCallStart(const KnownCall& known, const security::ToolCall& call, const std::string& tool_call_id,
                    EventWriter& events) {
  audit::ShownArguments shown = known.core().ArgumentsAsAudited(call);
  v1::ExecuteStreamResponse event;
  *event.mutable_tool_call_start() =
      rendering::ToolCallStartOf(call.tool->definition, tool_call_id, std::move(shown.json), shown.cut);
  events.Write(event);
}

void WriteStarted(const KnownCall& known, const security::ToolCall& call, EventWriter& events) {
  v1::ExecuteStreamResponse event;
  event.mutable_started()->set_tool_id(call.tool->definition.id);
  event.mutable_started()->set_call_id(call.id);
  SetProtoTime(known.runtime().clock.Now(), *event.mutable_started()->mutable_started_at());
  events.Write(event);
}

void WriteCallEnd(const security::ToolCall& call, const std::string& tool_call_id, const v1::ExecuteResponse& response,
                  EventWriter& events) {
  const executors::ToolDefinition& definition = call.tool->definition;
  v1::ExecuteStreamResponse ended;
  *ended.mutable_tool_result() = rendering::ToolCallResultOf(definition, tool_call_id, response.result());
  events.Write(ended);
  std::optional<rendering::ResultEvent> shown = rendering::EventOf(definition, response.result());
  if (!shown.has_value()) return;
  v1::ExecuteStreamResponse event;
  rendering::SetEvent(*std::move(shown), event);
  events.Write(event);
}

void CountUndo(observability::Metrics& metrics, const security::ToolResult& result) {
  if (result.dry_run || result.replayed) return;
  using observability::UndoOutcome;
  UndoOutcome outcome = result.redone ? UndoOutcome::kRedone : UndoOutcome::kUndone;
  if (!result.success) {
    const ErrorCode code = result.error.has_value() ? result.error->code : ErrorCode::kExecutionError;
    outcome = code == ErrorCode::kConflict        ? UndoOutcome::kConflict
              : code == ErrorCode::kNothingToUndo ? UndoOutcome::kNothingToUndo
              : code == ErrorCode::kCannotUndo    ? UndoOutcome::kCannotUndo
              : code == ErrorCode::kQuotaExceeded ? UndoOutcome::kCannotUndo
                                                  : UndoOutcome::kFailed;
  }
  metrics.CountUndo(outcome);
}

bool Matches(const executors::Tool& tool, const v1::ListToolsRequest& request) {
  const auto& definition = tool.definition;
  const auto& modules = request.modules();
  const auto& categories = request.categories();
  const bool module = modules.empty() || std::find(modules.begin(), modules.end(), definition.module) != modules.end();
  const int category = static_cast<int>(rendering::CategoryOf(tool));
  return module &&
         (categories.empty() || std::find(categories.begin(), categories.end(), category) != categories.end());
}

// Refused rather than matched by nothing: whoever asks for a module means tools that are there.
absl::Status CheckModules(const Core& core, const Caller& caller, const v1::ListToolsRequest& request) {
  std::set<std::string> known;
  for (const executors::Tool& tool : core.catalog().tools()) {
    if (!tool.definition.internal && CanServe(tool, caller)) known.insert(tool.definition.module);
  }
  for (const std::string& module : request.modules()) {
    if (known.count(module) > 0) continue;
    const std::string_view nearest = text::NearestName(module, {known.begin(), known.end()});
    const std::string expected = absl::StrCat("one of ", absl::StrJoin(known, ", "));
    return executors::InvalidArgument(
        "modules", "enum",
        absl::StrCat("modules names none of the modules, which are ", absl::StrJoin(known, ", "),
                     nearest.empty() ? "" : absl::StrCat("; did you mean ", ToAbsl(nearest), "?")),
        expected);
  }
  return absl::OkStatus();
}

absl::Status ListToolsFor(const Core& core, const Caller& caller, ReadView& view, const v1::ListToolsRequest& request,
                          v1::ListToolsResponse& response) {
  RETURN_IF_ERROR(CheckModules(core, caller, request));
  v1::ListToolsRequest filters = request;
  filters.clear_page_token();
  filters.clear_page_size();
  ASSIGN_OR_RETURN(const std::string filter_text, SerializeProto(filters));
  ASSIGN_OR_RETURN(const std::string after, ReadPageToken(request.page_token(), filter_text));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 100, 200));
  Page page(size);
  std::vector<const executors::Tool*> listed;
  for (const executors::Tool& tool : core.catalog().tools()) {
    if (tool.definition.id <= after || !Matches(tool, request)) continue;
    ASSIGN_OR_RETURN(const bool offered, IsOffered(core, caller, tool, view));
    if (!offered) continue;
    v1::Tool row = rendering::ToProto(tool);
    if (!page.Take(row)) {
      response.set_next_page_token(MakePageToken(listed.back()->definition.id, filter_text));
      break;
    }
    listed.push_back(&tool);
    *response.add_tools() = std::move(row);
  }
  response.set_catalog_version(core.catalog().version());
  if (request.format() != v1::CATALOG_FORMAT_UNSPECIFIED) {
    ASSIGN_OR_RETURN(*response.mutable_rendered_json(), rendering::RenderCatalog(listed, request.format()));
  }
  return absl::OkStatus();
}

absl::Status ListUndo(ReadView& view, const Caller& caller, const v1::ListUndoEntriesRequest& request,
                      v1::ListUndoEntriesResponse& response) {
  ASSIGN_OR_RETURN(const std::string position, ReadPageToken(request.page_token(), caller.user_id));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 50));
  ASSIGN_OR_RETURN(const auto entries, view.ListUndoEntries(caller.user_id));
  // A page begins after the entry that ended the one before, wherever that stands now.
  auto from = entries.begin();
  if (!position.empty()) {
    from = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.id == position; });
    if (from != entries.end()) ++from;
  }
  Page page(size);
  for (auto entry = from; entry != entries.end(); ++entry) {
    v1::UndoEntry row;
    FillUndoEntry(*entry, row);
    if (!page.Take(row)) {
      response.set_next_page_token(MakePageToken(response.entries().rbegin()->id(), caller.user_id));
      break;
    }
    *response.add_entries() = std::move(row);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Execute(const KnownCall& known, const v1::ExecuteRequest& request, v1::ExecuteResponse& response,
                     fibers::Cancellation& cancellation) {
  security::ToolCall call(cancellation);
  return ExecuteTool(known, request, call, response);
}

// A call that will be refused at once is as cheap as a point read.
bool AnswersAtOnce(const KnownCall& known, const v1::ExecuteRequest& request) {
  const executors::Tool* tool = known.core().catalog().Find(request.tool_id());
  if (tool == nullptr || !CheckAnswerForm(request).ok()) return true;
  return request.idempotency_key().empty() && known.core().RunsAtOnce(*tool);
}

absl::Status ExecuteAtOnce(const KnownCall& known, const v1::ExecuteRequest& request, v1::ExecuteResponse& response) {
  security::ToolCall call;
  call.may_wait = false;
  return ExecuteTool(known, request, call, response);
}

absl::Status ExecuteStream(const KnownCall& known, const v1::ExecuteStreamRequest& request,
                           fibers::Cancellation& cancellation, EventWriter& events) {
  security::ToolCall call(cancellation);
  StreamedEvents streamed(events, call.cancellation);
  call.events = &streamed;
  const std::string& tool_call_id = request.request().tool_call_id();
  bool started = false;
  call.on_started = [&] {
    started = true;
    WriteCallStart(known, call, tool_call_id, events);
    WriteStarted(known, call, events);
  };
  v1::ExecuteStreamResponse last;
  RETURN_IF_ERROR(ExecuteTool(known, request.request(), call, *last.mutable_response()));
  // An outcome that was stored before is shown like a new one. Refusals and questions are for `response` alone.
  if (last.response().has_result() && last.response().result().refused_by().empty()) {
    if (!started) WriteCallStart(known, call, tool_call_id, events);
    WriteCallEnd(call, tool_call_id, last.response(), events);
  }
  // The call has come to its end, whether or not the client is still there to hear of it.
  events.Write(last);
  return absl::OkStatus();
}

absl::Status Undo(const KnownCall& known, const v1::UndoRequest& request, v1::UndoResponse& response,
                  fibers::Cancellation& cancellation) {
  security::ToolCall call(cancellation);
  v1::ExecuteRequest execute;
  *execute.mutable_caller() = request.caller();
  execute.set_request_id(request.request_id());
  execute.set_idempotency_key(request.idempotency_key());
  execute.set_dry_run(request.dry_run());
  Json arguments = Json::object();
  if (!request.entry_id().empty()) arguments["entryId"] = request.entry_id();
  if (request.has_all_of_request_id()) arguments["allOfRequestId"] = request.all_of_request_id();
  if (request.has_all_of_conversation_id()) arguments["allOfConversationId"] = request.all_of_conversation_id();
  ASSIGN_OR_RETURN(security::ToolResult result,
                   RunInternalTool(known, InternalTool::kUndo, execute, std::move(arguments), call));
  CountUndo(known.runtime().metrics, result);
  FillResult(call, std::move(result), *response.mutable_result());
  return absl::OkStatus();
}

absl::Status ReadResult(const KnownCall& known, const v1::ReadResultRequest& request, v1::ReadResultResponse& response,
                        fibers::Cancellation& cancellation) {
  security::ToolCall call(cancellation);
  v1::ExecuteRequest execute;
  *execute.mutable_caller() = request.caller();
  execute.set_request_id(request.request_id());
  Json arguments = {{"continuation", request.continuation()}, {"maxBytes", known.core().max_result_bytes()}};
  ASSIGN_OR_RETURN(security::ToolResult result,
                   RunInternalTool(known, InternalTool::kReadResult, execute, std::move(arguments), call));
  FillResult(call, std::move(result), *response.mutable_result());
  return absl::OkStatus();
}

absl::Status ListTools(const KnownCall& known, const v1::ListToolsRequest& request, v1::ListToolsResponse& response,
                       fibers::Cancellation& cancellation) {
  const Core& core = known.core();
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(request.caller()));
  return core.Safe(
      known.runtime().store.Read(caller.workspace_id, known.PatienceOf(caller, cancellation),
                                 [&](ReadView& view) { return ListToolsFor(core, caller, view, request, response); }));
}

absl::Status ListUndoEntries(const KnownCall& known, const v1::ListUndoEntriesRequest& request,
                             v1::ListUndoEntriesResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(request.caller()));
  return known.core().Safe(
      known.runtime().store.Read(caller.workspace_id, known.PatienceOf(caller, cancellation),
                                 [&](ReadView& view) { return ListUndo(view, caller, request, response); }));
}

}  // namespace toolgate::services::api
