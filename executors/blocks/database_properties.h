// The typed columns of a database and the values in its rows.
//
// A database block's data holds "properties": [{"id", "name", "type", "options"?}]. A row's data holds "properties":
// {id: value}; callers may also identify a property by its name. Stored values by type:
//   text, url, email, phone   a string
//   number                    a number
//   select                    a string, one of the options' names
//   multi_select              an array of such strings, without repeats
//   date                      a string as common/dates.h stores it
//   checkbox                  true or false
//   relation                  an array of ids of rows of the other database, without repeats
//
// A property that is dropped leaves its values in the rows, hidden (row_view.h), so that dropping one of a large
// database writes one block, and undo brings everything back. The database remembers it under "formerProperties":
// [{"id", "type"}], and its id is given to no other property. Using that id again restores the property.
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

// A property that was dropped. Rows may still hold values of it.
struct FormerProperty {
  std::string id;
  PropertyType type = PropertyType::kText;
};

struct Columns {
  std::vector<Property> properties;
  std::vector<FormerProperty> former;  // None of them is in `properties`.
};

inline constexpr size_t kMaxProperties = 200;
inline constexpr size_t kMaxFormerProperties = 1'000;

std::string_view PropertyTypeName(PropertyType type);
std::optional<PropertyType> PropertyTypeFromName(std::string_view name);

// Columns in a database block's data. DATA_LOSS (for the operator) if they do not have the form above.
absl::StatusOr<Columns> ReadColumns(const Json& database_data);
// Its properties alone.
absl::StatusOr<std::vector<Property>> ReadProperties(const Json& database_data);
Json PropertyToJson(const Property& property);

// By id, by name, or by name without regard to case, in that order; nullptr when there is none.
const Property* FindProperty(const std::vector<Property>& properties, std::string_view name_or_id);
// INVALID_PARAMS that lists the known ones.
absl::Status UnknownProperty(const std::vector<Property>& properties, std::string_view path, std::string_view name);

// A property to add to a database: options checked for the type and brought into the stored form, and an id made from
// the name that no property has or had. CONFLICT if the name is taken; otherwise INVALID_PARAMS, with `path` as the
// prefix of the place.
absl::StatusOr<Property> MakeProperty(const Columns& columns, std::string_view name, std::string_view type,
                                      const Json& options, std::string_view path, const DataContext& context);

// The whole list of properties, for a new database or to replace `present`. A property without an id is the present one
// of its name, or a new one. The type of an id never changes.
absl::StatusOr<Json> CheckProperties(const Json& list, std::string_view path, const DataContext& context,
                                     const Columns& present);

// Checks the member "formerProperties" of a caller's input.
absl::StatusOr<Json> CheckFormerProperties(const Json& list, std::string_view path);
// Sets "formerProperties" to the properties that the database has dropped. `before` is its data before the change, or
// the given data of a new database. INVALID_PARAMS if there are too many.
absl::Status SettleFormerProperties(const Json& before, std::string_view path, Json& database_data);

// `value` in its stored form. `present`: the row's current value of the property, if any. INVALID_PARAMS names the
// property and what would be right.
absl::StatusOr<Json> CheckValue(const Property& property, const Json& value, std::string_view path,
                                const DataContext& context, const Json* present = nullptr);

// An object {name or id: value} with ids for keys and every value checked. Nulls stay: they mean "no value". `present`:
// the row's values, if it has any. Only an import may bring values of former properties.
absl::StatusOr<Json> CheckValues(const Columns& columns, const Json& values, std::string_view path,
                                 const DataContext& context, const Json* present = nullptr);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATABASE_PROPERTIES_H_
