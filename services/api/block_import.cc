#include "services/api/block_import.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/portable_block.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "common/tool_error.h"
#include "executors/blocks/block_writer.h"
#include "security/injection_defence/sanitiser.h"
#include "security/time_zone.h"

namespace toolgate::services::api {
namespace {

using security::injection_defence::Sanitise;
using security::injection_defence::Sanitised;
using security::injection_defence::SanitiseMode;

constexpr int kMaxBatch = 5000;
constexpr size_t kMaxNameCharacters = 128;
// The fields of a type bound their texts themselves.
constexpr size_t kAnyLength = std::numeric_limits<size_t>::max();
constexpr char kImportAction[] = "data.import";

// Says which row of the whole import an error is about.
absl::Status AtBlock(int64_t index, const v1::PortableBlock& block, const absl::Status& status) {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status;
  const std::string id = block.id().empty() ? "" : absl::StrCat(" (id \"", block.id().substr(0, 128), "\")");
  error->message = absl::StrCat("block ", index + 1, id, ": ", error->message);
  error->facts.emplace_back("blockNumber", absl::StrCat(index + 1));
  return ToStatus(*error);
}

// An id or a relation that tools could not name, since they take it as one clean line of at most so many characters.
absl::Status CheckName(std::string_view what, std::string_view name) {
  const Sanitised sanitised = Sanitise(name, SanitiseMode::kLine, kMaxNameCharacters);
  if (!sanitised.changed.has_value() && !sanitised.violation.has_value()) return absl::OkStatus();
  return MakeError(ErrorCode::kInvalidParams,
                   absl::StrCat(ToAbsl(what), " is one line of at most ", kMaxNameCharacters,
                                " characters, without control characters and blanks around it"));
}

// As create_block's definition has it for its data.
absl::Status CleanTexts(Json& data) {
  if (data.is_string()) {
    Sanitised sanitised = Sanitise(data.get_ref<const std::string&>(), SanitiseMode::kText, kAnyLength);
    if (sanitised.changed.has_value()) data = *std::move(sanitised.changed);
  } else if (data.is_array()) {
    for (Json& item : data) RETURN_IF_ERROR(CleanTexts(item));
  } else if (data.is_object()) {
    for (auto& member : data.get_ref<Json::object_t&>()) {
      if (Sanitise(member.first, SanitiseMode::kText, kAnyLength).changed.has_value()) {
        return MakeError(ErrorCode::kInvalidParams, "data: keys hold no control characters");
      }
      RETURN_IF_ERROR(CleanTexts(member.second));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> DataOf(const v1::PortableBlock& block) {
  absl::StatusOr<Json> data = ParseJson(block.data_json().empty() ? "{}" : block.data_json(), kStoredJson);
  if (!data.ok()) return MakeError(ErrorCode::kInvalidParams, absl::StrCat("data: ", data.status().message()));
  RETURN_IF_ERROR(CleanTexts(*data));
  return data;
}

// A card's or a note's link to an event may have come with its data.
absl::Status CreateLinks(const v1::PortableBlock& block, storage::Transaction& tx) {
  for (const v1::PortableLink& link : block.links()) {
    if (link.from_id() == link.to_id()) {
      return MakeError(ErrorCode::kInvalidParams,
                       absl::StrCat("a link leads from block ", link.from_id().substr(0, 128), " to itself"));
    }
    ASSIGN_OR_RETURN(const auto present, tx.FindLink(link.from_id(), link.to_id(), link.relation()));
    if (present.has_value()) continue;
    RETURN_IF_ERROR(CheckName("a link's relation", link.relation()));
    RETURN_IF_ERROR(tx.CreateLink(link.from_id(), link.to_id(), link.relation()).status());
  }
  return absl::OkStatus();
}

absl::Status CreateOne(const v1::PortableBlock& block, const std::string& parent,
                       executors::blocks::BlockWriter& writer, storage::Transaction& tx) {
  RETURN_IF_ERROR(CheckName("an id", block.id()));
  if (IsMoreLinks(block)) {
    if (!block.id().empty()) RETURN_IF_ERROR(tx.GetBlock(block.id()).status());
    return CreateLinks(block, tx);
  }
  ASSIGN_OR_RETURN(const Json data, DataOf(block));
  RETURN_IF_ERROR(writer.Create(block.type(), parent, data, std::nullopt, block.id()).status());
  return CreateLinks(block, tx);
}

int64_t BlocksIn(const v1::ImportBlocksRequest& batch) {
  const auto& rows = batch.blocks();
  return rows.size() - std::count_if(rows.begin(), rows.end(), IsMoreLinks);
}

}  // namespace

absl::Status BlockImport::Take(const v1::ImportBlocksRequest& batch, v1::ImportBlocksResponse& report,
                               const fibers::Cancellation& cancellation) {
  if (const absl::Status status = Commit(batch, cancellation); !status.ok()) return Fail(batch, status);
  taken_ += batch.blocks_size();
  imported_ += BlocksIn(batch);
  report.set_imported(imported_);
  return absl::OkStatus();
}

absl::Status BlockImport::Fail(const v1::ImportBlocksRequest& batch, const absl::Status& failure) const {
  const Core& core = known_.core();
  return caller_.has_value() ? core.Record(*caller_, kImportAction, ParamsOf(batch), failure) : core.Safe(failure);
}

absl::Status BlockImport::Commit(const v1::ImportBlocksRequest& batch, const fibers::Cancellation& cancellation) {
  if (!caller_.has_value()) RETURN_IF_ERROR(AdmitFirst(batch));
  if (batch.blocks_size() > kMaxBatch) {
    return MakeError(ErrorCode::kInvalidParams, absl::StrCat("a batch holds at most ", kMaxBatch, " blocks"));
  }
  if (batch.blocks().empty()) return absl::OkStatus();
  ApiRuntime& runtime = known_.runtime();
  const absl::Time now = runtime.clock.Now();
  const std::string entry_id = runtime.ids.NewId(now);
  const storage::WriteContext write{caller_->workspace_id, caller_->user_id, entry_id, now, known_.call_span()};
  return runtime.store.Commit(
      write, storage::CommitMode::kDurable, cancellation, [&](storage::Transaction& tx) -> absl::Status {
        RETURN_IF_ERROR(CreateAll(batch, cancellation, tx, now));
        return tx.AppendAudit(known_.core().OperatorEntry({entry_id, kImportAction, ParamsOf(batch)}, *caller_, now));
      });
}

absl::Status BlockImport::AdmitFirst(const v1::ImportBlocksRequest& batch) {
  ASSIGN_OR_RETURN(Caller caller, known_.AdmitTo(kImportAction, Json{{"rootId", batch.root_id()}}, batch.caller()));
  caller_ = std::move(caller);
  root_id_ = batch.root_id();
  return absl::OkStatus();
}

absl::Status BlockImport::CreateAll(const v1::ImportBlocksRequest& batch, const fibers::Cancellation& cancellation,
                                    storage::Transaction& tx, absl::Time now) const {
  executors::blocks::BlockWriter writer(tx, now, security::TimeZoneOf(*caller_), executors::blocks::Dangling::kKeep);
  for (int i = 0; i < batch.blocks_size(); ++i) {
    const v1::PortableBlock& block = batch.blocks(i);
    const std::string& parent = block.parent_id().empty() ? root_id_ : block.parent_id();
    if (const absl::Status status = CreateOne(block, parent, writer, tx); !status.ok()) {
      return AtBlock(taken_ + i, block, status);
    }
    if ((i & 255) == 0) RETURN_IF_ERROR(cancellation.Check());
  }
  return absl::OkStatus();
}

Json BlockImport::ParamsOf(const v1::ImportBlocksRequest& batch) const {
  return {{"blocks", BlocksIn(batch)}, {"rootId", root_id_}};
}

}  // namespace toolgate::services::api
