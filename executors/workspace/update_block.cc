#include "executors/workspace/update_block.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_json.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/blocks/database_properties.h"
#include "executors/blocks/row_view.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Block;

constexpr std::string_view kPropertiesPrefix = "properties.";
// State digest of all patches that need no approval.
constexpr char kNothingCritical[] = "nothing critical";

bool Changes(const Json& old_object, std::string_view key, const Json& value) {
  const Json* old_value = FindArgument(old_object, key);
  return old_value == nullptr ? !value.is_null() : *old_value != value;
}

// Fields that the patch changes, in the form of critical fields.
absl::StatusOr<std::vector<std::string>> ChangedFields(const Block& block, const Json& old_data, const Json& patch,
                                                       storage::ReadView& view) {
  std::vector<std::string> changed;
  for (const auto& member : patch.get_ref<const Json::object_t&>()) {
    if (Changes(old_data, member.first, member.second)) changed.push_back(member.first);
  }
  const auto holds = [&](std::string_view name) {
    return std::find(changed.begin(), changed.end(), name) != changed.end();
  };
  // A todo has two fields for its status, and each sets the other.
  if (block.type == blocks::kTodo && holds("status") != holds("completed")) {
    changed.emplace_back(holds("status") ? "completed" : "status");
  }
  const Json* values = FindArgument(patch, "properties");
  if (block.type != blocks::kRow || values == nullptr || !values->is_object()) return changed;
  ASSIGN_OR_RETURN(const Block database, view.GetBlock(block.parent_id));
  ASSIGN_OR_RETURN(const Json database_data, blocks::ParseData(database));
  ASSIGN_OR_RETURN(const std::vector<blocks::Property> properties, blocks::ReadProperties(database_data));
  const Json* old_values = FindArgument(old_data, "properties");
  for (const auto& member : values->get_ref<const Json::object_t&>()) {
    const blocks::Property* property = blocks::FindProperty(properties, member.first);
    if (property == nullptr) continue;
    if (old_values != nullptr && !Changes(*old_values, property->id, member.second)) continue;
    changed.push_back(absl::StrCat(ToAbsl(kPropertiesPrefix), property->id));
  }
  return changed;
}

}  // namespace

absl::StatusOr<ToolOutput> UpdateBlock(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(Block before, transaction.GetBlock(StringArgument(context.arguments, "blockId")));
  const Json* patch = FindArgument(context.arguments, "data");
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(Block after, writer.Update(before, patch == nullptr ? Json::object() : *patch));
  ASSIGN_OR_RETURN(const Json old_data, blocks::ParseData(before));
  blocks::RowView rows(transaction);
  for (Block* shown : {&before, &after}) RETURN_IF_ERROR(rows.Hide(*shown));
  ToolOutput output;
  output.data_json = R"({"success":true,"block":)";
  blocks::AppendBlock(after, output.data_json);
  absl::StrAppend(&output.data_json, R"(,"previousData":)", before.data, "}");
  output.description = absl::StrCat("Updated ", blocks::Describe(before.type, old_data));
  return output;
}

absl::StatusOr<Preview> PreviewUpdateBlock(const std::vector<std::string>& critical_fields, ToolContext& context,
                                           storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Block block, view.GetBlock(StringArgument(context.arguments, "blockId")));
  ASSIGN_OR_RETURN(const Json old_data, blocks::ParseData(block));
  const Json* patch = FindArgument(context.arguments, "data");
  const Json nothing = Json::object();
  ASSIGN_OR_RETURN(const std::vector<std::string> changed,
                   ChangedFields(block, old_data, patch == nullptr ? nothing : *patch, view));
  std::vector<std::string> critical;
  for (const std::string& field : changed) {
    if (std::find(critical_fields.begin(), critical_fields.end(), field) != critical_fields.end()) {
      critical.push_back(field);
    }
  }
  Preview preview;
  preview.needs_confirmation = !critical.empty();
  preview.summary = absl::StrCat("Change ", NameList(critical.empty() ? changed : critical), " of ",
                                 blocks::Describe(block.type, old_data));
  preview.undo_summary = "Undo restores the data as it was.";
  preview.affected_block_ids = {block.id};
  // The fields that a patch changes depend on the data at that time.
  if (!critical_fields.empty()) preview.state_digest = critical.empty() ? kNothingCritical : StateDigest(preview);
  return preview;
}

}  // namespace toolgate::executors::workspace
