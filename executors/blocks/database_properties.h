// The typed columns of a database and the values in its rows.
//
// A database block's data holds "properties": [{"id", "name", "type", "options"?}]. A row's data holds "properties":
// {id: value}; what callers write may name a property by its name too. Stored values by type:
//   text, url, email, phone   a string
//   number                    a number
//   select                    a string, one of the options' names
//   multi_select              an array of such strings, without repeats
//   date                      a string as common/dates.h stores it
//   checkbox                  true or false
//   relation                  an array of ids of rows of the other database, without repeats
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DATABASE_PROPERTIES_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DATABASE_PROPERTIES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/blocks/data_context.h"

namespace toolgate::executors::blocks {

enum class PropertyType {
  kText,
  kNumber,
  kSelect,
  kMultiSelect,
  kDate,
  kCheckbox,
  kUrl,
  kEmail,
  kPhone,
  kRelation,
};

struct Property {
  std::string id;
  std::string name;
  PropertyType type = PropertyType::kText;
  Json options;  // As stored; null when the type has none.
};

inline constexpr size_t kMaxProperties = 200;

std::string_view PropertyTypeName(PropertyType type);
std::optional<PropertyType> PropertyTypeFromName(std::string_view name);

// The properties of a database block's data. DATA_LOSS (for the operator) when they are not as stored above.
absl::StatusOr<std::vector<Property>> ReadProperties(const Json& database_data);
Json PropertyToJson(const Property& property);

// By id, by name, or by name without regard to case, in that order; nullptr when there is none.
const Property* FindProperty(const std::vector<Property>& properties, std::string_view name_or_id);
// INVALID_PARAMS naming the known ones.
absl::Status UnknownProperty(const std::vector<Property>& properties, std::string_view path, std::string_view name);

// A property to add to `existing`: options checked for the type and brought into the stored form; an empty `id` becomes
// one made from the name. CONFLICT when the name is taken; INVALID_PARAMS, with `path` before the place, for the rest.
absl::StatusOr<Property> MakeProperty(const std::vector<Property>& existing, std::string_view id, std::string_view name,
                                      std::string_view type, const Json& options, std::string_view path,
                                      const DataContext& context);

// The whole list, for a database that is created with its properties or has them replaced.
absl::StatusOr<Json> CheckProperties(const Json& list, std::string_view path, const DataContext& context);

// `value` in its stored form. INVALID_PARAMS naming the property and what would be right.
absl::StatusOr<Json> CheckValue(const Property& property, const Json& value, std::string_view path,
                                const DataContext& context);

// An object {name or id: value} with ids for keys and every value checked. Nulls stay: they mean "no value".
absl::StatusOr<Json> CheckValues(const std::vector<Property>& properties, const Json& values, std::string_view path,
                                 const DataContext& context);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATABASE_PROPERTIES_H_
