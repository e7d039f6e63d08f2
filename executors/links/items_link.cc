#include "executors/links/items_link.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/blocks/event_links.h"
#include "executors/links/items.h"

namespace toolgate::executors::links {
namespace {

using storage::Block;
using storage::Link;

// One end of the requested link, from the arguments `prefix`ItemId and `prefix`ItemType.
absl::StatusOr<Block> FindEnd(const Json& arguments, std::string_view prefix, storage::ReadView& view) {
  const std::string id_name = absl::StrCat(ToAbsl(prefix), "ItemId");
  const std::string type_name = absl::StrCat(ToAbsl(prefix), "ItemType");
  ASSIGN_OR_RETURN(Block block, FindItem(view, StringArgument(arguments, id_name)));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
  const std::string_view wanted = StringArgument(arguments, type_name);
  if (IsItemOfType(block, data, wanted)) return block;
  const std::string found = ItemTypeOf(block, data);
  return InvalidArgument(absl::StrCat("/", type_name), "consistency",
                         absl::StrCat(id_name, " names ", WithArticle(found), ", not ", WithArticle(wanted)), found,
                         wanted);
}

// A reference from a card or note to an event is also part of its data, and the block writer creates both.
absl::Status ReferToEvent(const Block& from, const Block& event, blocks::BlockWriter& writer) {
  ASSIGN_OR_RETURN(Json data, blocks::ParseData(from));
  Json events = data.value("eventLinks", Json::array());
  events.push_back(event.id);
  return writer.Update(from, {{"eventLinks", std::move(events)}}).status();
}

absl::Status Connect(const Block& from, const Block& to, std::string_view relation, ToolContext& context,
                     storage::Transaction& transaction) {
  const blocks::BlockType* type = blocks::FindBlockType(from.type);
  if (relation == blocks::kReferences && to.type == blocks::kEvent && type != nullptr && blocks::HasEventLinks(*type)) {
    blocks::BlockWriter writer(transaction, context.now, context.time_zone);
    return ReferToEvent(from, to, writer);
  }
  return transaction.CreateLink(from.id, to.id, relation).status();
}

}  // namespace

absl::StatusOr<ToolOutput> ItemsLink(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const Block from, FindEnd(context.arguments, "from", transaction));
  ASSIGN_OR_RETURN(const Block to, FindEnd(context.arguments, "to", transaction));
  if (from.id == to.id) {
    return InvalidArgument("/toItemId", "consistency", "an item cannot be linked to itself", "another item's id");
  }
  const std::string relation =
      OptionalString(context.arguments, "relationType").value_or(std::string(blocks::kReferences));
  ASSIGN_OR_RETURN(const std::optional<Link> present, transaction.FindLink(from.id, to.id, relation));
  if (!present.has_value()) RETURN_IF_ERROR(Connect(from, to, relation, context, transaction));

  ASSIGN_OR_RETURN(Json from_item, RenderItem(from));
  ASSIGN_OR_RETURN(Json to_item, RenderItem(to));
  ToolOutput output;
  output.description = absl::StrCat("Linked \"", from_item["title"].get<std::string>(), "\" to \"",
                                    to_item["title"].get<std::string>(), "\" (", relation, ")");
  output.data_json =
      DumpJson({{"created", !present.has_value()},
                {"link", {{"from", std::move(from_item)}, {"to", std::move(to_item)}, {"relationType", relation}}}});
  return output;
}

}  // namespace toolgate::executors::links
