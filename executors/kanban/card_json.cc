#include "executors/kanban/card_json.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/blocks/block_data.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::kanban {

absl::StatusOr<ToolOutput> WrittenCard(const ToolContext& context, storage::ReadView& view, const storage::Block& card,
                                       int64_t position, std::string_view verb, std::string_view rest) {
  workspace::TaskRenderer renderer(view, context.now, context.time_zone);
  ASSIGN_OR_RETURN(Json json, renderer.Render(card));
  json["position"] = position;
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(card));
  ToolOutput output;
  output.description = absl::StrCat(ToAbsl(verb), " card \"", blocks::TitleOf(card.type, data), "\"", ToAbsl(rest));
  output.data_json = DumpJson({{"cardId", card.id}, {"card", std::move(json)}});
  return output;
}

}  // namespace toolgate::executors::kanban
