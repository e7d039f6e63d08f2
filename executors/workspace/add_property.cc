#include "executors/workspace/add_property.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/database_properties.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> AddProperty(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(
      const storage::Block database,
      blocks::GetBlockOfType(transaction, StringArgument(arguments, "databaseId"), {blocks::kDatabase}, "/databaseId"));
  ASSIGN_OR_RETURN(Json data, blocks::ParseData(database));
  ASSIGN_OR_RETURN(const blocks::Columns columns, blocks::ReadColumns(data));
  const Json* options = FindArgument(arguments, "options");
  ASSIGN_OR_RETURN(
      const blocks::Property property,
      blocks::MakeProperty(columns, StringArgument(arguments, "name"), StringArgument(arguments, "type"),
                           options == nullptr ? Json() : *options, "", {transaction, context.now, context.time_zone}));
  if (!data.contains("properties")) data["properties"] = Json::array();
  data["properties"].push_back(blocks::PropertyToJson(property));
  ASSIGN_OR_RETURN(const std::string text, blocks::DumpData(data, ""));
  RETURN_IF_ERROR(transaction.UpdateBlock(database.id, text).status());
  ToolOutput output;
  output.data_json = DumpJson({{"propertyId", property.id}, {"success", true}});
  output.description =
      absl::StrCat("Added property \"", property.name, "\" to ", blocks::Describe(database.type, data));
  return output;
}

}  // namespace toolgate::executors::workspace
