#include "storage/sqlite/id_set.h"

#include <string_view>

#include "common/json.h"

namespace toolgate::storage::sqlite {

std::string IdsAsJson(Ids ids) {
  Json list = Json::array();
  for (const std::string_view id : ids) list.push_back(id);
  return DumpJson(list);
}

}  // namespace toolgate::storage::sqlite
