#include "executors/blocks/event_links.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Block;
using storage::Link;

constexpr std::string_view kField = "eventLinks";
constexpr int64_t kAllLinks = std::numeric_limits<int64_t>::max();

absl::StatusOr<bool> IsEvent(storage::ReadView& view, std::string_view id) {
  ASSIGN_OR_RETURN(const std::optional<Block> block, view.FindBlock(id));
  return block.has_value() && block->type == kEvent;
}

std::set<std::string> EventsIn(const Json& data) {
  std::set<std::string> ids;
  const Json* field = FindArgument(data, kField);
  if (field == nullptr) return ids;
  for (const Json& id : *field) ids.insert(id.get<std::string>());
  return ids;
}

absl::Status ForgetEventsOf(storage::Transaction& transaction, const std::string& id,
                            const std::set<std::string>& gone) {
  ASSIGN_OR_RETURN(const std::optional<Block> block, transaction.FindBlock(id));
  if (!block.has_value()) return absl::OkStatus();
  const BlockType* type = FindBlockType(block->type);
  if (type == nullptr || !HasEventLinks(*type)) return absl::OkStatus();
  ASSIGN_OR_RETURN(Json data, ParseData(*block));
  if (FindArgument(data, kField) == nullptr) return absl::OkStatus();
  Json kept = Json::array();
  for (const Json& event : data[std::string(kField)]) {
    if (!gone.contains(event.get<std::string>())) kept.push_back(event);
  }
  data[std::string(kField)] = std::move(kept);
  return transaction.UpdateBlock(id, DumpJson(data)).status();
}

}  // namespace

bool HasEventLinks(const BlockType& type) { return type.FindField(kField) != nullptr; }

absl::Status SettleEventLinks(const DataContext& context, const Json& present, std::string_view path, Json& data) {
  const Json* field = FindArgument(data, kField);
  if (field == nullptr) return absl::OkStatus();
  const std::set<std::string> named = EventsIn(present);
  Json settled = Json::array();
  for (size_t i = 0; i < field->size(); ++i) {
    std::string id = (*field)[i].get<std::string>();
    ASSIGN_OR_RETURN(bool known, IsEvent(context.view, id));
    if (const size_t at = id.find('@'); !known && at != std::string::npos) {
      ASSIGN_OR_RETURN(known, IsEvent(context.view, id.substr(0, at)));
      if (known) id.resize(at);
    }
    if (!known && context.dangling == Dangling::kRefuse && !named.contains(id)) {
      return InvalidArgument(absl::StrCat(ToAbsl(path), "/", ToAbsl(kField), "/", i), "reference",
                             "there is no calendar event with this id",
                             "the id of an event, as calendar_list_events answers it");
    }
    if (std::find(settled.begin(), settled.end(), Json(id)) == settled.end()) settled.push_back(std::move(id));
  }
  data[std::string(kField)] = std::move(settled);
  return absl::OkStatus();
}

absl::Status WriteEventLinks(storage::Transaction& transaction, const Block& block, const Json& data) {
  std::set<std::string> wanted = EventsIn(data);
  ASSIGN_OR_RETURN(const std::vector<Link> links, transaction.ListLinks(block.id, kAllLinks));
  for (const Link& link : links) {
    if (link.from_id != block.id || link.relation != kReferences) continue;
    ASSIGN_OR_RETURN(const bool to_event, IsEvent(transaction, link.to_id));
    if (!to_event || wanted.erase(link.to_id) > 0) continue;
    RETURN_IF_ERROR(transaction.DeleteLink(link.from_id, link.to_id, link.relation));
  }
  for (const std::string& event : wanted) {
    ASSIGN_OR_RETURN(const bool known, IsEvent(transaction, event));
    if (known) RETURN_IF_ERROR(transaction.CreateLink(block.id, event, kReferences).status());
  }
  return absl::OkStatus();
}

absl::Status ForgetEvents(storage::Transaction& transaction, const std::vector<Link>& removed) {
  std::map<std::string, std::set<std::string>> gone_for;
  for (const Link& link : removed) {
    if (link.relation == kReferences) gone_for[link.from_id].insert(link.to_id);
  }
  for (const auto& [id, gone] : gone_for) RETURN_IF_ERROR(ForgetEventsOf(transaction, id, gone));
  return absl::OkStatus();
}

}  // namespace toolgate::executors::blocks
