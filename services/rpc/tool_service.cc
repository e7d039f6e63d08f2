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
#include "services/rpc/admit.h"
#include "services/rpc/convert.h"
#include "services/rpc/decide_confirmation.h"
#include "services/rpc/execute_call.h"
#include "services/rpc/page.h"
#include "services/rpc/page_token.h"
#include "services/rpc/rpc_status.h"
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

absl::Status CheckResultFormat(const v1::ExecuteRequest& request) {
  if (v1::ResultFormat_IsValid(request.result_format())) return absl::OkStatus();
  return executors::InvalidArgument("result_format", "enum", "result_format names no form that results can be given in",
                                    "a value of ResultFormat");
}

// Ends a stream before anything of it began, and then itself.
class RefusedStream final : public grpc::ServerWriteReactor<v1::ExecuteStreamResponse> {
 public:
  explicit RefusedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

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

// OK, or what is wrong with the bytes.
absl::Status Read(const grpc::ByteBuffer& bytes, v1::ExecuteRequest& request) {
  grpc::ByteBuffer copy = bytes;  // Reading consumes it; the slices themselves are shared.
  if (grpc::SerializationTraits<v1::ExecuteRequest>::Deserialize(&copy, &request).ok())
    return CheckResultFormat(request);
  return MakeError(ErrorCode::kInvalidParams,
                   "the message is not a well-formed toolgate.v1.ExecuteRequest; a text that is not UTF-8 makes it so");
}

void Write(const v1::ExecuteResponse& response, grpc::ByteBuffer& bytes) {
  bool owned = false;
  // Fails only for messages of 2 GiB and more; results are bounded far below.
  static_cast<void>(grpc::SerializationTraits<v1::ExecuteResponse>::Serialize(response, &bytes, &owned));
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

}  // namespace

grpc::ServerUnaryReactor* ToolService::Execute(grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes,
                                               grpc::ByteBuffer* out) {
  v1::ExecuteRequest request;
  const absl::Status read = Read(*bytes, request);
  const Core& core = runtime_.core();
  const executors::Tool* tool = core.catalog().Find(request.tool_id());
  // A call that will be refused at once is as cheap as a point read.
  const bool inline_call = tool == nullptr || (request.idempotency_key().empty() && core.RunsAtOnce(*tool));
  if (read.ok() && !inline_call) {
    return WorkerCall::Start(runtime_, *context, Rpc::kExecute,
                             [this, context, out, request = std::move(request)](Cancellation& cancellation) {
                               security::ToolCall call(cancellation);
                               v1::ExecuteResponse response;
                               absl::Status status = ExecuteTool(runtime_, *context, request, call, response);
                               if (status.ok()) Write(response, *out);
                               return status;
                             });
  }
  const RpcTimer timer(runtime_, Rpc::kExecute);
  security::ToolCall call;
  call.may_wait = false;
  v1::ExecuteResponse response;
  const absl::Status status = read.ok() ? ExecuteTool(runtime_, *context, request, call, response) : read;
  if (status.ok()) Write(response, *out);
  const grpc::Status end = ToGrpcStatus(status);
  timer.Finished(end.error_code());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(end);
  return reactor;
}

grpc::ServerWriteReactor<v1::ExecuteStreamResponse>* ToolService::ExecuteStream(
    grpc::CallbackServerContext* context, const v1::ExecuteStreamRequest* request) {
  if (const absl::Status checked = CheckResultFormat(request->request()); !checked.ok()) {
    const RpcTimer timer(runtime_, Rpc::kExecuteStream);
    const grpc::Status end = ToGrpcStatus(checked);
    timer.Finished(end.error_code());
    return new RefusedStream(end);
  }
  return StartExecuteStream(runtime_, *context, request->request());
}

grpc::ServerUnaryReactor* ToolService::Undo(grpc::CallbackServerContext* context, const v1::UndoRequest* request,
                                            v1::UndoResponse* response) {
  return WorkerCall::Start(runtime_, *context, Rpc::kUndo, [=, this](Cancellation& cancellation) {
    security::ToolCall call(cancellation);
    return ExecuteUndo(runtime_, *context, *request, call, *response);
  });
}

grpc::ServerUnaryReactor* ToolService::ReadResult(grpc::CallbackServerContext* context,
                                                  const v1::ReadResultRequest* request,
                                                  v1::ReadResultResponse* response) {
  return WorkerCall::Start(runtime_, *context, Rpc::kReadResult, [=, this](Cancellation& cancellation) {
    security::ToolCall call(cancellation);
    return ExecuteReadResult(runtime_, *context, *request, call, *response);
  });
}

grpc::ServerUnaryReactor* ToolService::ListTools(grpc::CallbackServerContext* context,
                                                 const v1::ListToolsRequest* request, v1::ListToolsResponse* response) {
  return WorkerCall::Start(runtime_, *context, Rpc::kListTools, [=, this](Cancellation& cancellation) -> absl::Status {
    const Core& core = runtime_.core();
    ASSIGN_OR_RETURN(const Caller caller, Admit(runtime_, Rpc::kListTools, request->caller(), *context));
    return core.Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
      return ListToolsFor(core, caller, view, *request, *response);
    }));
  });
}

grpc::ServerUnaryReactor* ToolService::ListUndoEntries(grpc::CallbackServerContext* context,
                                                       const v1::ListUndoEntriesRequest* request,
                                                       v1::ListUndoEntriesResponse* response) {
  return WorkerCall::Start(
      runtime_, *context, Rpc::kListUndoEntries, [=, this](Cancellation& cancellation) -> absl::Status {
        const Core& core = runtime_.core();
        ASSIGN_OR_RETURN(const Caller caller, Admit(runtime_, Rpc::kListUndoEntries, request->caller(), *context));
        return core.Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
          return ListUndo(view, caller, *request, *response);
        }));
      });
}

grpc::ServerUnaryReactor* ToolService::ListConfirmations(grpc::CallbackServerContext* context,
                                                         const v1::ListConfirmationsRequest* request,
                                                         v1::ListConfirmationsResponse* response) {
  return WorkerCall::Start(
      runtime_, *context, Rpc::kListConfirmations, [=, this](Cancellation& cancellation) -> absl::Status {
        const Core& core = runtime_.core();
        ASSIGN_OR_RETURN(const Caller caller, Admit(runtime_, Rpc::kListConfirmations, request->caller(), *context));
        return core.Safe(runtime_.store.Read(caller.workspace_id, {&cancellation}, [&](ReadView& view) {
          return ListPending(view, runtime_.clock.Now(), *request, *response);
        }));
      });
}

grpc::ServerUnaryReactor* ToolService::DecideConfirmation(grpc::CallbackServerContext* context,
                                                          const v1::DecideConfirmationRequest* request,
                                                          v1::DecideConfirmationResponse* response) {
  return WorkerCall::Start(runtime_, *context, Rpc::kDecideConfirmation,
                           [=, this](Cancellation& cancellation) -> absl::Status {
                             return DecideConfirmationFor(runtime_, *context, *request, cancellation, *response);
                           });
}

}  // namespace toolgate::services::rpc
