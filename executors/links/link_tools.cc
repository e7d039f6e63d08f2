#include "executors/links/link_tools.h"

#include "executors/links/items_link.h"
#include "executors/links/items_list_links.h"
#include "executors/links/items_unlink.h"
#include "executors/links/links_definitions.h"

namespace toolgate::executors::links {
namespace {

absl::StatusOr<FamilyTools> LinksTools(const FamilyContext&) {
  return FamilyTools{{
      {"items_link", WriteHandler(ItemsLink)},
      {"items_list_links", ReadHandler(ItemsListLinks)},
      {"items_unlink", WriteHandler(ItemsUnlink)},
  }};
}

}  // namespace

Family LinksFamily() {
  return {.name = "links",
          .definitions = &DefinitionFiles(),
          .make = LinksTools,
          .permissions = {"link:read", "link:create", "link:update", "link:delete"}};
}

}  // namespace toolgate::executors::links
