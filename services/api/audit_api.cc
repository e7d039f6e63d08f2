#include "services/api/audit_api.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "services/api/page.h"
#include "services/api/page_token.h"

namespace toolgate::services::api {
namespace {

// Masked as the entries are, so that whoever knows an id finds it, whatever it holds.
storage::AuditQuery QueryOf(const Core& core, const v1::SearchEntriesRequest& request) {
  storage::AuditQuery query;
  query.block_id = request.block_id();
  query.user_id = request.user_id();
  query.tool_id = request.tool_id();
  query.conversation_id = core.AsAudited(request.conversation_id());
  query.request_id = core.AsAudited(request.request_id());
  query.ai_actions_only = request.ai_actions_only();
  query.with_findings = request.with_findings();
  query.finding = request.finding();
  if (request.has_success()) query.success = request.success();
  if (request.has_start_time()) query.start = FromProtoTime(request.start_time());
  if (request.has_end_time()) query.end = FromProtoTime(request.end_time());
  query.text = request.text();
  return query;
}

// More than what anybody looks for; every entry is searched for it, at a cost that grows with it.
constexpr size_t kMaxTextBytes = 256;

absl::Status CheckText(const std::string& text) {
  if (text.size() <= kMaxTextBytes) return absl::OkStatus();
  return executors::InvalidArgument(
      "text", "maxLength",
      absl::StrCat("text is longer than ", kMaxTextBytes, " bytes of UTF-8; look for a shorter part of it"),
      absl::StrCat("at most ", kMaxTextBytes, " bytes of UTF-8"), absl::StrCat("string of ", text.size(), " bytes"));
}

absl::Status Search(const Core& core, storage::Store& store, const std::string& workspace,
                    const storage::ReadPatience& patience, const v1::SearchEntriesRequest& request,
                    v1::SearchEntriesResponse& response) {
  RETURN_IF_ERROR(CheckText(request.text()));
  v1::SearchEntriesRequest filters = request;
  filters.clear_page_token();
  filters.clear_page_size();
  ASSIGN_OR_RETURN(const std::string filter_text, SerializeProto(filters));
  ASSIGN_OR_RETURN(const std::string position, ReadPageToken(request.page_token(), filter_text));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 500));
  storage::AuditQuery query = QueryOf(core, request);
  if (!position.empty() && !absl::SimpleAtoi(position, &query.before_sequence)) return MalformedPageToken();
  query.limit = size + 1;
  ASSIGN_OR_RETURN(std::vector<v1::AuditEntry> entries, store.SearchAudit(workspace, patience, query));
  Page page(size);
  for (v1::AuditEntry& entry : entries) {
    if (!page.Take(entry)) {
      const int64_t last = response.entries().rbegin()->sequence();
      response.set_next_page_token(MakePageToken(absl::StrCat(last), filter_text));
      break;
    }
    *response.add_entries() = std::move(entry);
  }
  return absl::OkStatus();
}

absl::Status Get(storage::Store& store, const std::string& workspace, const storage::ReadPatience& patience,
                 const std::string& id, v1::GetEntryResponse& response) {
  if (id.empty()) return executors::MissingArgument("entry_id", "entry_id is missing: the id of an audit entry");
  ASSIGN_OR_RETURN(*response.mutable_entry(), store.GetAudit(workspace, patience, id));
  return absl::OkStatus();
}

absl::Status Verify(storage::Store& store, const std::string& workspace, const storage::ReadPatience& patience,
                    v1::VerifyChainResponse& response) {
  ASSIGN_OR_RETURN(const storage::ChainReport report, store.VerifyChain(workspace, patience));
  response.set_valid(report.valid);
  response.set_entries_checked(report.entries_checked);
  response.set_first_sequence(report.first_sequence);
  response.set_last_sequence(report.last_sequence);
  response.set_head_hash(report.head_hash);
  response.set_broken_sequence(report.broken_sequence);
  response.set_problem(report.problem);
  return absl::OkStatus();
}

absl::StatusOr<Caller> AdmitAndFlush(const KnownCall& call, const v1::Caller& claimed) {
  ASSIGN_OR_RETURN(Caller caller, call.Admit(claimed));
  RETURN_IF_ERROR(call.core().Safe(call.runtime().audit_queue.Flush()));
  return caller;
}

}  // namespace

absl::Status SearchEntries(const KnownCall& call, const v1::SearchEntriesRequest& request,
                           v1::SearchEntriesResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, AdmitAndFlush(call, request.caller()));
  storage::ReadPatience patience = call.PatienceOf(caller, cancellation);
  patience.is_long = true;
  return call.core().Safe(Search(call.core(), call.runtime().store, caller.workspace_id, patience, request, response));
}

absl::Status GetEntry(const KnownCall& call, const v1::GetEntryRequest& request, v1::GetEntryResponse& response,
                      fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, AdmitAndFlush(call, request.caller()));
  return call.core().Safe(Get(call.runtime().store, caller.workspace_id, call.PatienceOf(caller, cancellation),
                              request.entry_id(), response));
}

absl::Status VerifyChain(const KnownCall& call, const v1::VerifyChainRequest& request,
                         v1::VerifyChainResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, AdmitAndFlush(call, request.caller()));
  storage::ReadPatience patience = call.PatienceOf(caller, cancellation);
  patience.is_long = true;
  return call.core().Safe(Verify(call.runtime().store, caller.workspace_id, patience, response));
}

}  // namespace toolgate::services::api
