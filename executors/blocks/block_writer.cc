#include "executors/blocks/block_writer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/database_properties.h"
#include "executors/blocks/event_data.h"
#include "executors/blocks/event_links.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Block;

constexpr std::string_view kDataPath = "/data";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

absl::StatusOr<const BlockType*> TypeOf(std::string_view name) {
  const BlockType* type = FindBlockType(name);
  if (type != nullptr) return type;
  std::vector<std::string> known;
  for (const BlockType& row : BlockTypes()) known.emplace_back(row.name);
  return InvalidArgument("/type", "enum",
                         absl::StrCat("there is no block type \"", ToAbsl(name.substr(0, 64)), "\"",
                                      Suggestion(name, known), "; known: ", NameList(known, known.size())),
                         NameList(known, known.size()), "unknown type");
}

void RemoveNulls(Json& object) {
  auto& members = object.get_ref<Json::object_t&>();
  // ordered_map is a vector of pairs with const keys, so it is rebuilt instead of erased from.
  if (std::none_of(members.begin(), members.end(), [](const auto& member) { return member.second.is_null(); })) return;
  Json kept = Json::object();
  for (auto& member : members) {
    if (!member.second.is_null()) kept[member.first] = std::move(member.second);
  }
  object = std::move(kept);
}

}  // namespace

absl::Status BlockWriter::CheckParent(const BlockType& type, const std::optional<Block>& parent) const {
  if (MayLieIn(type, parent.has_value() ? std::string_view(parent->type) : "")) return absl::OkStatus();
  const std::string wanted = NameList({type.parents.begin(), type.parents.end()});
  return InvalidArgument(
      "/parentId", "parent",
      absl::StrCat("a ", ToAbsl(type.name), " must lie directly in a ", wanted,
                   parent.has_value() ? absl::StrCat(", not in ", WithArticle(parent->type)) : ", not at the root"),
      absl::StrCat("id of a ", wanted), parent.has_value() ? parent->type : "the root");
}

absl::StatusOr<Json> BlockWriter::CheckGiven(const BlockType& type, const Json& data,
                                             const std::optional<Block>& parent, const Json* present) const {
  if (type.name != kRow) return CheckMembers(type, data, kDataPath, context_, {.present = present});
  ASSIGN_OR_RETURN(const Json database, ParseData(*parent));
  ASSIGN_OR_RETURN(const Columns columns, ReadColumns(database));
  return CheckMembers(type, data, kDataPath, context_, {.columns = &columns, .present = present});
}

absl::Status BlockWriter::SettleCard(const Json& given, const Block& column, Json& data) const {
  ASSIGN_OR_RETURN(const Json column_data, ParseData(column));
  const std::string status(StringArgument(column_data, "status"));
  const Json* wanted = FindArgument(given, "status");
  if (wanted != nullptr && *wanted != status && context_.dangling == Dangling::kRefuse) {
    return InvalidArgument("/data/status", "consistency",
                           absl::StrCat("a card has the status of its column, here \"", status,
                                        "\"; move it with update_task_status instead"),
                           status, "another status");
  }
  data["status"] = status;
  return absl::OkStatus();
}

absl::StatusOr<Block> BlockWriter::Create(std::string_view type_name, std::string_view parent_id, const Json& data,
                                          std::optional<int64_t> position, std::string_view id) {
  ASSIGN_OR_RETURN(const BlockType* type, TypeOf(type_name));
  std::optional<Block> parent;
  if (!parent_id.empty()) {
    ASSIGN_OR_RETURN(parent, transaction_.GetBlock(parent_id));
  }
  RETURN_IF_ERROR(CheckParent(*type, parent));
  ASSIGN_OR_RETURN(Json checked, CheckGiven(*type, data, parent, nullptr));
  RemoveNulls(checked);
  if (type->name == kRow) {
    if (!checked.contains("properties")) checked["properties"] = Json::object();
    RemoveNulls(checked["properties"]);
  }
  RETURN_IF_ERROR(CheckWhole(*type, checked, kDataPath));
  const Json given = type->name == kTodo || type->name == kCard ? checked : Json();
  RETURN_IF_ERROR(SettleFields(*type, given, kDataPath, checked));
  if (type->name == kCard) RETURN_IF_ERROR(SettleCard(given, *parent, checked));
  if (type->name == kDatabase) RETURN_IF_ERROR(SettleFormerProperties(Json(checked), kDataPath, checked));
  const bool has_event_links = checked.contains("eventLinks") && HasEventLinks(*type);
  if (has_event_links) RETURN_IF_ERROR(SettleEventLinks(context_, Json(), kDataPath, checked));
  if (type->name == kEvent) {
    RETURN_IF_ERROR(CheckChangedOccurrence(checked, parent.has_value() ? &*parent : nullptr, id, transaction_));
  }
  ASSIGN_OR_RETURN(std::string text, DumpData(checked, kDataPath));
  ASSIGN_OR_RETURN(Block created, transaction_.CreateBlock({std::string(id), std::string(type_name),
                                                            std::string(parent_id), std::move(text), position}));
  if (has_event_links) RETURN_IF_ERROR(WriteEventLinks(transaction_, created, checked));
  return created;
}

absl::StatusOr<Block> BlockWriter::Update(const Block& block, const Json& patch) {
  ASSIGN_OR_RETURN(const BlockType* type, TypeOf(block.type));
  std::optional<Block> parent;
  if (!block.parent_id.empty() && (!type->parents.empty() || type->name == kEvent)) {
    ASSIGN_OR_RETURN(parent, transaction_.GetBlock(block.parent_id));
  }
  ASSIGN_OR_RETURN(const Json present, ParseData(block));
  ASSIGN_OR_RETURN(const Json checked, CheckGiven(*type, patch, parent, &present));
  Json data = present;
  data.merge_patch(checked);
  RETURN_IF_ERROR(CheckWhole(*type, data, kDataPath));
  RETURN_IF_ERROR(SettleFields(*type, checked, kDataPath, data));
  if (type->name == kCard) RETURN_IF_ERROR(SettleCard(checked, *parent, data));
  const bool has_event_links = patch.contains("eventLinks") && HasEventLinks(*type);
  if (has_event_links) RETURN_IF_ERROR(SettleEventLinks(context_, present, kDataPath, data));
  if (type->name == kDatabase) RETURN_IF_ERROR(SettleFormerProperties(present, kDataPath, data));
  if (type->name == kEvent) {
    RETURN_IF_ERROR(CheckChangedOccurrence(data, parent.has_value() ? &*parent : nullptr, block.id, transaction_));
    RETURN_IF_ERROR(premises_.BeforeUpdate(block, present, data));
  }
  ASSIGN_OR_RETURN(const std::string text, DumpData(data, kDataPath));
  ASSIGN_OR_RETURN(Block updated, transaction_.UpdateBlock(block.id, text));
  if (has_event_links) RETURN_IF_ERROR(WriteEventLinks(transaction_, updated, data));
  if (type->name == kColumn && data["status"] != present.value("status", Json())) {
    RETURN_IF_ERROR(CarryStatusToCards(updated, data["status"]));
  }
  const bool recurred = type->name == kEvent && present.contains("recurrence");
  if (recurred && !data.contains("recurrence")) RETURN_IF_ERROR(FreeChangedOccurrences(updated, transaction_));
  return updated;
}

absl::Status BlockWriter::CarryStatusToCards(const Block& column, const Json& status) {
  ASSIGN_OR_RETURN(const std::vector<Block> cards, transaction_.ListChildren(column.id, kNoLimit));
  for (const Block& card : cards) {
    if (card.type != kCard) continue;
    ASSIGN_OR_RETURN(Json data, ParseData(card));
    data["status"] = status;
    ASSIGN_OR_RETURN(const std::string text, DumpData(data, kDataPath));
    RETURN_IF_ERROR(transaction_.UpdateBlock(card.id, text).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<Block> BlockWriter::Move(const Block& block, std::string_view parent_id,
                                        std::optional<int64_t> position) {
  ASSIGN_OR_RETURN(const BlockType* type, TypeOf(block.type));
  std::optional<Block> parent;
  if (!parent_id.empty()) {
    ASSIGN_OR_RETURN(parent, transaction_.GetBlock(parent_id));
  }
  RETURN_IF_ERROR(CheckParent(*type, parent));
  if (type->name == kRow && parent_id != block.parent_id) {
    return MakeError(ErrorCode::kConflict, "a row cannot move to another database, whose properties are not its own");
  }
  if (type->name == kEvent && parent_id != block.parent_id) {
    ASSIGN_OR_RETURN(const Json data, ParseData(block));
    RETURN_IF_ERROR(CheckChangedOccurrence(data, parent.has_value() ? &*parent : nullptr, block.id, transaction_));
    RETURN_IF_ERROR(premises_.BeforeGoing(block));
  }
  if (type->name != kCard) return transaction_.MoveBlock(block.id, parent_id, position);
  ASSIGN_OR_RETURN(Json data, ParseData(block));
  RETURN_IF_ERROR(SettleCard(Json(), *parent, data));
  ASSIGN_OR_RETURN(const std::string text, DumpData(data, kDataPath));
  return transaction_.MoveBlock(block.id, parent_id, position, std::string_view(text));
}

absl::StatusOr<int64_t> BlockWriter::DeleteWithLinks(const Block& block, storage::Children children) {
  RETURN_IF_ERROR(premises_.BeforeGoing(block));
  ASSIGN_OR_RETURN(const storage::Deletion deletion, transaction_.DeleteBlock(block.id, children));
  RETURN_IF_ERROR(ForgetEvents(transaction_, deletion.links));
  return deletion.blocks;
}

absl::StatusOr<int64_t> BlockWriter::Delete(const Block& block, storage::Children children) {
  // Done first, because everything after this loads the blocks below.
  RETURN_IF_ERROR(transaction_.CheckDeletion(block, children));
  if (children == storage::Children::kDelete) return DeleteWithLinks(block, children);
  std::optional<Block> parent;
  if (!block.parent_id.empty()) {
    ASSIGN_OR_RETURN(parent, transaction_.GetBlock(block.parent_id));
  }
  ASSIGN_OR_RETURN(const std::vector<Block> moving, transaction_.ListChildren(block.id, kNoLimit));
  for (const Block& child : moving) {
    const BlockType* type = FindBlockType(child.type);
    ASSIGN_OR_RETURN(const bool is_bound, IsChangedOccurrence(child));
    if (!is_bound && (type == nullptr || CheckParent(*type, parent).ok())) continue;
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat("the ", child.type, " blocks in this ", block.type, " cannot move up to ",
                                  parent.has_value() ? absl::StrCat("the ", parent->type, " above it") : "the root",
                                  "; delete them too (deleteChildren: true)"));
  }
  return DeleteWithLinks(block, children);
}

}  // namespace toolgate::executors::blocks
