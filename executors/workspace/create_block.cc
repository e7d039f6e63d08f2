#include "executors/workspace/create_block.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_json.h"
#include "executors/blocks/block_writer.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> CreateBlock(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  const Json* data = FindArgument(arguments, "data");
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(const storage::Block block,
                   writer.Create(StringArgument(arguments, "type"), StringArgument(arguments, "parentId"),
                                 data == nullptr ? Json::object() : *data, OptionalInteger(arguments, "position")));
  ToolOutput output;
  output.data_json = R"({"blockId":)";
  AppendJsonString(block.id, output.data_json);
  output.data_json += R"(,"block":)";
  blocks::AppendBlock(block, output.data_json);
  output.data_json += '}';
  output.description = absl::StrCat("Created ", blocks::Describe(block.type, data == nullptr ? Json::object() : *data));
  return output;
}

}  // namespace toolgate::executors::workspace
