#include "executors/links/items_list_links.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/links/items.h"

namespace toolgate::executors::links {
namespace {

constexpr size_t kMaxLinks = 1000;

}  // namespace

absl::StatusOr<ToolOutput> ItemsListLinks(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block item, FindItem(view, StringArgument(context.arguments, "itemId")));
  ASSIGN_OR_RETURN(const std::vector<storage::Link> links,
                   view.ListLinks(item.id, std::numeric_limits<int64_t>::max()));
  Json rows = Json::array();
  for (const storage::Link& link : links) {
    if (rows.size() == kMaxLinks) break;
    RETURN_IF_ERROR(context.cancellation.Check());
    const bool outgoing = link.from_id == item.id;
    ASSIGN_OR_RETURN(const storage::Block other, view.GetBlock(outgoing ? link.to_id : link.from_id));
    ASSIGN_OR_RETURN(Json rendered, RenderItem(other));
    rows.push_back({{"direction", outgoing ? "outgoing" : "incoming"},
                    {"relationType", link.relation},
                    {"item", std::move(rendered)},
                    {"createdAt", FormatInstant(link.created_at)},
                    {"createdBy", link.created_by}});
  }
  ASSIGN_OR_RETURN(Json rendered, RenderItem(item));
  ToolOutput output;
  output.data_json =
      DumpJson({{"item", std::move(rendered)}, {"links", std::move(rows)}, {"totalCount", links.size()}});
  return output;
}

}  // namespace toolgate::executors::links
