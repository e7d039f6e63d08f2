#include "services/rpc/tool_service.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/edit_distance.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "services/rendering/catalog_renderer.h"
#include "services/rpc/convert.h"
#include "services/rpc/decide_confirmation.h"
#include "services/rpc/execute_call.h"
#include "services/rpc/known_call.h"
#include "services/rpc/message_bytes.h"
#include "services/rpc/page.h"
#include "services/rpc/page_token.h"
#include "services/rpc/rpc_status.h"
#include "services/rpc/unary_call.h"
#include "services/rpc/worker_call.h"

namespace toolgate::services::rpc {
namespace {

using storage::ReadView;

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
absl::Status CheckModules(const Core& core, const v1::ListToolsRequest& request) {
  std::set<std::string> known;
  for (const executors::Tool& tool : core.catalog().tools()) {
    if (!tool.definition.internal) known.insert(tool.definition.module);
  }
  for (const std::string& module : request.modules()) {
    if (known.count(module) > 0) continue;
    const std::string_view nearest = NearestName(module, {known.begin(), known.end()});
    const std::string expected = absl::StrCat("one of ", absl::StrJoin(known, ", "));
    return executors::InvalidArgument(
        "modules", "enum",
        absl::StrCat("modules names none of the modules, which are ", absl::StrJoin(known, ", "),
                     nearest.empty() ? "" : absl::StrCat("; did you mean ", ToAbsl(nearest), "?")),
        expected);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsOffered(const Core& core, const Caller& caller, const executors::Tool& tool, ReadView& view) {
  if (tool.definition.internal || !core.MayUse(caller, tool)) return false;
  if (tool.is_on == nullptr) return true;
  return tool.is_on(caller, view);
}

absl::Status ListToolsFor(const Core& core, const Caller& caller, ReadView& view, const v1::ListToolsRequest& request,
                          v1::ListToolsResponse& response) {
  RETURN_IF_ERROR(CheckModules(core, request));
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

absl::Status ListPending(ReadView& view, absl::Time now, const v1::ListConfirmationsRequest& request,
                         v1::ListConfirmationsResponse& response) {
  ASSIGN_OR_RETURN(const std::string after, ReadPageToken(request.page_token(), "confirmations"));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 200));
  ASSIGN_OR_RETURN(const auto rows, view.ListPendingConfirmations(now, size + 1, after));
  Page page(size);
  for (const storage::Confirmation& confirmation : rows) {
    v1::PendingConfirmation row;
    FillConfirmation(confirmation, row);
    if (!page.Take(row)) {
      const std::string& last = response.confirmations().rbegin()->confirmation_id();
      response.set_next_page_token(MakePageToken(last, "confirmations"));
      break;
    }
    *response.add_confirmations() = std::move(row);
  }
  return absl::OkStatus();
}

absl::Status ReadExecute(const grpc::ByteBuffer& bytes, v1::ExecuteRequest& request) {
  RETURN_IF_ERROR(ReadMessage(bytes, request));
  return CheckResultFormat(request);
}

// A call that will be refused at once is as cheap as a point read.
bool RunsInline(const Core& core, const v1::ExecuteRequest& request) {
  const executors::Tool* tool = core.catalog().Find(request.tool_id());
  return tool == nullptr || (request.idempotency_key().empty() && core.RunsAtOnce(*tool));
}

// Answers with `status` on gRPC's own thread.
grpc::ServerUnaryReactor* FinishNow(grpc::CallbackServerContext& context, const RpcTimer& timer,
                                    const absl::Status& status) {
  const grpc::Status end = ToGrpcStatus(status);
  timer.Finished(end.error_code());
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(end);
  return reactor;
}

}  // namespace

// The tool decides where the call runs, so the request is read here, and the caller authenticated before.
grpc::ServerUnaryReactor* ToolService::Execute(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                                               grpc::ByteBuffer* out) {
  absl::StatusOr<KnownCall> known = KnownCall::Authenticate(runtime_, Rpc::kExecute, *context);
  v1::ExecuteRequest request;
  const absl::Status read = known.ok() ? ReadExecute(*bytes, request) : known.status();
  if (read.ok() && !RunsInline(known->core(), request)) {
    return WorkerCall::Start(
        runtime_, *context, Rpc::kExecute,
        [out, known = *std::move(known), request = std::move(request)](Cancellation& cancellation) {
          security::ToolCall call(cancellation);
          v1::ExecuteResponse response;
          const absl::Status status = ExecuteTool(known, request, call, response);
          return status.ok() ? WriteMessage(response, *out) : status;
        });
  }
  const RpcTimer timer(runtime_, Rpc::kExecute);
  if (!read.ok()) return FinishNow(*context, timer, read);
  security::ToolCall call;
  call.may_wait = false;
  v1::ExecuteResponse response;
  absl::Status status = ExecuteTool(*known, request, call, response);
  if (status.ok()) status = WriteMessage(response, *out);
  return FinishNow(*context, timer, status);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* ToolService::ExecuteStream(grpc::CallbackServerContext* context,
                                                                       const grpc::ByteBuffer* request) {
  return StartExecuteStream(runtime_, *context, *request);
}

grpc::ServerUnaryReactor* ToolService::Undo(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) {
  return StartUnary<v1::UndoRequest, v1::UndoResponse>(
      runtime_, context, Rpc::kUndo, request, response,
      [](const KnownCall& known, const v1::UndoRequest& asked, v1::UndoResponse& answer, Cancellation& cancellation) {
        security::ToolCall call(cancellation);
        return ExecuteUndo(known, asked, call, answer);
      });
}

grpc::ServerUnaryReactor* ToolService::ReadResult(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  return StartUnary<v1::ReadResultRequest, v1::ReadResultResponse>(
      runtime_, context, Rpc::kReadResult, request, response,
      [](const KnownCall& known, const v1::ReadResultRequest& asked, v1::ReadResultResponse& answer,
         Cancellation& cancellation) {
        security::ToolCall call(cancellation);
        return ExecuteReadResult(known, asked, call, answer);
      });
}

grpc::ServerUnaryReactor* ToolService::ListTools(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* response) {
  return StartUnary<v1::ListToolsRequest, v1::ListToolsResponse>(
      runtime_, context, Rpc::kListTools, request, response,
      [this](const KnownCall& call, const v1::ListToolsRequest& asked, v1::ListToolsResponse& answer,
             Cancellation& cancellation) -> absl::Status {
        const Core& core = call.core();
        ASSIGN_OR_RETURN(const Caller caller, call.Admit(asked.caller()));
        return core.Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
          return ListToolsFor(core, caller, view, asked, answer);
        }));
      });
}

grpc::ServerUnaryReactor* ToolService::ListUndoEntries(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::ListUndoEntriesRequest, v1::ListUndoEntriesResponse>(
      runtime_, context, Rpc::kListUndoEntries, request, response,
      [this](const KnownCall& call, const v1::ListUndoEntriesRequest& asked, v1::ListUndoEntriesResponse& answer,
             Cancellation& cancellation) -> absl::Status {
        ASSIGN_OR_RETURN(const Caller caller, call.Admit(asked.caller()));
        return call.core().Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
          return ListUndo(view, caller, asked, answer);
        }));
      });
}

grpc::ServerUnaryReactor* ToolService::ListConfirmations(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::ListConfirmationsRequest, v1::ListConfirmationsResponse>(
      runtime_, context, Rpc::kListConfirmations, request, response,
      [this](const KnownCall& call, const v1::ListConfirmationsRequest& asked, v1::ListConfirmationsResponse& answer,
             Cancellation& cancellation) -> absl::Status {
        ASSIGN_OR_RETURN(const Caller caller, call.Admit(asked.caller()));
        return call.core().Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
          return ListPending(view, runtime_.clock.Now(), asked, answer);
        }));
      });
}

grpc::ServerUnaryReactor* ToolService::DecideConfirmation(grpc::CallbackServerContext* context,
                                                          const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::DecideConfirmationRequest, v1::DecideConfirmationResponse>(
      runtime_, context, Rpc::kDecideConfirmation, request, response,
      [](const KnownCall& call, const v1::DecideConfirmationRequest& asked, v1::DecideConfirmationResponse& answer,
         Cancellation& cancellation) { return DecideConfirmationFor(call, asked, cancellation, answer); });
}

}  // namespace toolgate::services::rpc
