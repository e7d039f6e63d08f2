#include "executors/links/link_tools.h"

#include "executors/links/items_link.h"
#include "executors/links/items_list_links.h"
#include "executors/links/items_unlink.h"

namespace toolgate::executors::links {

std::vector<ToolHandlers> LinkHandlers() {
  return {
      {"items_link", WriteHandler(ItemsLink)},
      {"items_list_links", ReadHandler(ItemsListLinks)},
      {"items_unlink", WriteHandler(ItemsUnlink)},
  };
}

}  // namespace toolgate::executors::links
