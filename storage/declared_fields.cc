#include "storage/declared_fields.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"

namespace toolgate::storage {
namespace {

// Raised when the rows of the same declaration change.
constexpr int kFormat = 1;

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): its elements are moved away.
DeclaredFields::DeclaredFields(std::vector<DeclaredType> types, int revision) {
  Json described = Json::array({kFormat, revision});
  for (DeclaredType& type : types) {
    Json fields = Json::array();
    for (const DeclaredField& field : type.fields) fields.push_back({static_cast<int>(field.kind), field.path});
    described.push_back({type.type, type.scope, std::move(fields)});
    std::string name = type.type;
    types_.emplace(std::move(name), std::move(type));
  }
  digest_ = DumpJson(described);
}

const DeclaredType* DeclaredFields::Find(std::string_view type) const {
  const auto found = types_.find(ToAbsl(type));
  return found == types_.end() ? nullptr : &found->second;
}

size_t DeclaredFields::CountTypes(std::string_view scope) const {
  return static_cast<size_t>(
      std::count_if(types_.begin(), types_.end(), [&](const auto& type) { return type.second.scope == scope; }));
}

}  // namespace toolgate::storage
