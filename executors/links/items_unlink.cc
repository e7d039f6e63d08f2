#include "executors/links/items_unlink.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/event_links.h"
#include "executors/links/items.h"

namespace toolgate::executors::links {
namespace {

using storage::Block;
using storage::Link;

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Links from one item to the other; only those of the relation, if one is given.
absl::StatusOr<std::vector<Link>> LinksBetween(const Block& from, const Block& to, std::string_view relation,
                                               storage::ReadView& view) {
  ASSIGN_OR_RETURN(std::vector<Link> links, view.ListLinks(from.id, kNoLimit));
  std::erase_if(links, [&](const Link& link) {
    return link.from_id != from.id || link.to_id != to.id || (!relation.empty() && link.relation != relation);
  });
  return links;
}

absl::Status NoSuchLink(const Block& from, const Block& to, std::string_view relation, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const std::vector<Link> any, LinksBetween(from, to, "", view));
  ASSIGN_OR_RETURN(const std::vector<Link> back, LinksBetween(to, from, relation, view));
  std::string message = "there is no such link from the one item to the other";
  if (!any.empty()) {
    message += "; there is one of another relation: " + any[0].relation;
  } else if (!back.empty()) {
    message += "; there is one the other way round, so swap fromItemId and toItemId";
  }
  return MakeError(ErrorCode::kNotFound, message);
}

}  // namespace

absl::StatusOr<ToolOutput> ItemsUnlink(ToolContext& context, storage::Transaction& transaction) {
  const std::string_view relation = StringArgument(context.arguments, "relationType");
  ASSIGN_OR_RETURN(const Block from, FindItem(transaction, StringArgument(context.arguments, "fromItemId")));
  ASSIGN_OR_RETURN(const Block to, FindItem(transaction, StringArgument(context.arguments, "toItemId")));
  ASSIGN_OR_RETURN(const std::vector<Link> links, LinksBetween(from, to, relation, transaction));
  if (links.empty()) return NoSuchLink(from, to, relation, transaction);
  for (const Link& link : links) {
    RETURN_IF_ERROR(transaction.DeleteLink(link.from_id, link.to_id, link.relation));
  }
  RETURN_IF_ERROR(blocks::ForgetEvents(transaction, links));

  ASSIGN_OR_RETURN(const Json from_item, RenderItem(from));
  ASSIGN_OR_RETURN(const Json to_item, RenderItem(to));
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"removedCount", links.size()}});
  output.description = absl::StrCat("Unlinked ", text::Quoted(from_item["title"].get_ref<const std::string&>()),
                                    " from ", text::Quoted(to_item["title"].get_ref<const std::string&>()));
  return output;
}

}  // namespace toolgate::executors::links
