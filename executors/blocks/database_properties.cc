#include "executors/blocks/database_properties.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_types.h"
#include "storage/fault.h"

namespace toolgate::executors::blocks {
namespace {

constexpr size_t kMaxNameLength = 100;      // Characters of a property's or an option's name.
constexpr size_t kMaxOptions = 500;         // Options of one select property.
constexpr size_t kMaxListValues = 500;      // Elements of one multi_select or relation value.
constexpr size_t kMaxValueLength = 20'000;  // Bytes of one text value.
constexpr size_t kMaxAddressLength = 2'048;

constexpr std::array<std::pair<std::string_view, PropertyType>, 10> kTypes = {{
    {"text", PropertyType::kText},
    {"number", PropertyType::kNumber},
    {"select", PropertyType::kSelect},
    {"multi_select", PropertyType::kMultiSelect},
    {"date", PropertyType::kDate},
    {"checkbox", PropertyType::kCheckbox},
    {"url", PropertyType::kUrl},
    {"email", PropertyType::kEmail},
    {"phone", PropertyType::kPhone},
    {"relation", PropertyType::kRelation},
}};
constexpr std::array<std::string_view, 4> kNumberFormats = {"number", "integer", "percent", "currency"};

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool SameWithoutCase(std::string_view a, std::string_view b) { return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b)); }

std::string Join(std::string_view path, std::string_view token) {
  return absl::StrCat(ToAbsl(path), "/", EscapePointerToken(token));
}

bool IsName(const Json& value) {
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  return !absl::StripAsciiWhitespace(text).empty() && Characters(text) <= kMaxNameLength;
}

// Lower-case ASCII letters and digits of the name, with "_" for the rest: readable where rows show ids.
std::string IdFromName(const std::vector<Property>& existing, std::string_view name) {
  std::string base;
  for (const char c : name.substr(0, 48)) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      base += absl::ascii_tolower(static_cast<unsigned char>(c));
    } else if (!base.empty() && base.back() != '_') {
      base += '_';
    }
  }
  while (!base.empty() && base.back() == '_') base.pop_back();
  if (base.empty()) base = "property";
  std::string id = base;
  for (int n = 2; FindProperty(existing, id) != nullptr; ++n) id = absl::StrCat(base, "_", n);
  return id;
}

// The only member that `options` may have, under its name or the other one; nullptr when absent.
absl::StatusOr<const Json*> OnlyMember(const Json& options, std::string_view type, std::string_view name,
                                       std::string_view other_name, std::string_view path) {
  const Json* result = nullptr;
  if (options.is_null()) return result;
  for (const auto& member : options.get_ref<const Json::object_t&>()) {
    if (member.first != name && member.first != other_name) {
      const std::string problem =
          name.empty()
              ? absl::StrCat(WithArticle(type), " property takes no options")
              : absl::StrCat("a ", ToAbsl(type), " property has no such option; it takes \"", ToAbsl(name), "\"");
      return InvalidArgument(Join(path, member.first), "additionalProperties", problem, name, "unknown option");
    }
    result = &member.second;
  }
  return result;
}

absl::StatusOr<Json> SelectOptions(const Json& options, std::string_view type, std::string_view path) {
  ASSIGN_OR_RETURN(const Json* list, OnlyMember(options, type, "options", "choices", path));
  const std::string place = Join(path, "options");
  constexpr std::string_view kExpected = "an array of 1 to 500 unique names (strings, or objects with name and color)";
  if (list == nullptr) {
    return MissingArgument(
        place, absl::StrCat("a ", ToAbsl(type), " property needs options: {\"options\": ", "[\"first\", \"second\"]}"));
  }
  if (!list->is_array() || list->empty() || list->size() > kMaxOptions) {
    return InvalidArgument(place, "type", absl::StrCat("the options must be ", ToAbsl(kExpected)), kExpected,
                           KindOf(*list));
  }
  Json stored = Json::array();
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    const std::string item_path = absl::StrCat(place, "/", i);
    Json option = Json::object();
    const Json* name = item.is_object() ? FindArgument(item, "name") : &item;
    if (name == nullptr || !IsName(*name)) {
      return InvalidArgument(item_path, "type", "an option's name must be a string of 1 to 100 characters",
                             "string of 1 to 100 characters", KindOf(item));
    }
    option["name"] = *name;
    if (const Json* color = FindArgument(item, "color"); color != nullptr) {
      if (!IsName(*color))
        return InvalidArgument(Join(item_path, "color"), "type", "a color must be a string", "string");
      option["color"] = *color;
    }
    if (item.is_object() && item.size() > option.size()) {
      return InvalidArgument(item_path, "additionalProperties", "an option has only the members name and color",
                             "name, color");
    }
    const auto same = [&](const Json& other) { return other["name"] == option["name"]; };
    if (std::any_of(stored.begin(), stored.end(), same)) {
      return InvalidArgument(item_path, "uniqueItems", "an option's name is given twice", "unique names");
    }
    stored.push_back(std::move(option));
  }
  return Json{{"options", std::move(stored)}};
}

absl::StatusOr<Json> NumberOptions(const Json& options, std::string_view path) {
  ASSIGN_OR_RETURN(const Json* format, OnlyMember(options, "number", "format", "format", path));
  if (format == nullptr) return Json();
  const bool known = format->is_string() && std::find(kNumberFormats.begin(), kNumberFormats.end(),
                                                      format->get_ref<const std::string&>()) != kNumberFormats.end();
  if (!known) {
    return InvalidArgument(Join(path, "format"), "enum",
                           "a number's format must be one of number, integer, percent and currency",
                           "number, integer, percent or currency", KindOf(*format));
  }
  return Json{{"format", *format}};
}

absl::StatusOr<Json> RelationOptions(const Json& options, std::string_view path, const DataContext& context) {
  ASSIGN_OR_RETURN(const Json* database, OnlyMember(options, "relation", "databaseId", "databaseId", path));
  const std::string place = Join(path, "databaseId");
  if (database == nullptr) {
    return MissingArgument(place, "a relation property needs options: {\"databaseId\": the database it points at}");
  }
  if (!database->is_string()) {
    return InvalidArgument(place, "type", "databaseId must be a database's id", "string", KindOf(*database));
  }
  ASSIGN_OR_RETURN(const storage::Block block, context.view.GetBlock(database->get_ref<const std::string&>()));
  if (block.type != kDatabase) {
    return InvalidArgument(place, "relation",
                           absl::StrCat("databaseId names ", WithArticle(block.type), ", not a database"),
                           "id of a database", block.type);
  }
  return Json{{"databaseId", *database}};
}

absl::StatusOr<Json> CheckOptions(PropertyType type, const Json& options, std::string_view path,
                                  const DataContext& context) {
  if (!options.is_null() && !options.is_object()) {
    return InvalidArgument(path, "type", "options must be an object", "object", KindOf(options));
  }
  switch (type) {
    case PropertyType::kSelect:
    case PropertyType::kMultiSelect:
      return SelectOptions(options, PropertyTypeName(type), path);
    case PropertyType::kNumber:
      return NumberOptions(options, path);
    case PropertyType::kRelation:
      return RelationOptions(options, path, context);
    default:
      break;
  }
  ASSIGN_OR_RETURN(const Json* none, OnlyMember(options, PropertyTypeName(type), "", "", path));
  static_cast<void>(none);
  return Json();
}

// One value on its way into the store.
class ValueChecker {
 public:
  ValueChecker(const Property& property, const Json& value, std::string_view path, const DataContext& context)
      : property_(property), value_(value), path_(path), context_(context) {}

  absl::StatusOr<Json> Check() const {
    switch (property_.type) {
      case PropertyType::kText:
        return Text(
            kMaxValueLength, [](std::string_view) { return true; }, "a string of at most 20,000 bytes");
      case PropertyType::kNumber:
        return Number();
      case PropertyType::kSelect:
        return Option(value_);
      case PropertyType::kMultiSelect:
        return List([this](const Json& item) { return Option(item); });
      case PropertyType::kDate:
        return Date();
      case PropertyType::kCheckbox:
        return value_.is_boolean() ? absl::StatusOr<Json>(value_) : Wrong("true or false");
      case PropertyType::kUrl:
        return Text(kMaxAddressLength, IsUrl, "a URL such as https://example.com/page");
      case PropertyType::kEmail:
        return Text(kMaxAddressLength, IsEmail, "an e-mail address: a name, @ and a domain");
      case PropertyType::kPhone:
        return Text(64, IsPhone, "a phone number: digits, perhaps with +, blanks, hyphens and parentheses");
      case PropertyType::kRelation:
        return List([this](const Json& item) { return RelatedRow(item); });
    }
    return Wrong("a value");
  }

 private:
  absl::Status Wrong(std::string_view expected) const {
    return InvalidArgument(path_, "type",
                           absl::StrCat("property \"", property_.name, "\" is of type ",
                                        ToAbsl(PropertyTypeName(property_.type)), " and takes ", ToAbsl(expected)),
                           expected, KindOf(value_));
  }

  static bool IsUrl(std::string_view text) {
    const size_t scheme = text.find(':');
    if (scheme == std::string_view::npos || scheme == 0 || scheme + 1 == text.size()) return false;
    if (!absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) return false;
    const auto in_scheme = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '+' || c == '-' || c == '.'; };
    const auto visible = [](unsigned char c) { return c > 0x20 && c != 0x7F && c != '<' && c != '>' && c != '"'; };
    const bool has_host = text.substr(scheme + 1, 2) != "//" || text.size() > scheme + 3;
    return has_host && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme), in_scheme) &&
           std::all_of(text.begin(), text.end(), visible);
  }

  static bool IsEmail(std::string_view text) {
    const size_t at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || text.size() - at < 2 || text.size() > 254) return false;
    const auto visible = [](unsigned char c) { return c > 0x20 && c != 0x7F && c != ',' && c != '<' && c != '>'; };
    const std::string_view domain = text.substr(at + 1);
    return text.find('@') == at && std::all_of(text.begin(), text.end(), visible) && domain.front() != '.' &&
           domain.back() != '.' && domain.find("..") == std::string_view::npos;
  }

  static bool IsPhone(std::string_view text) {
    const auto digits = std::count_if(text.begin(), text.end(),
                                      [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
    return digits >= 3 && text.find_first_not_of("+0123456789 ()-./x#*") == std::string_view::npos;
  }

  template <typename Predicate>
  absl::StatusOr<Json> Text(size_t max_bytes, Predicate is_right, std::string_view expected) const {
    if (!value_.is_string()) return Wrong(expected);
    const std::string& text = value_.get_ref<const std::string&>();
    if (text.size() > max_bytes || (!text.empty() && !is_right(text))) return Wrong(expected);
    return value_;
  }

  absl::StatusOr<Json> Number() const {
    if (!value_.is_number()) return Wrong("a number");
    const bool integer = property_.options.is_object() && property_.options.value("format", "") == "integer";
    if (integer && std::trunc(value_.get<double>()) != value_.get<double>()) return Wrong("a whole number");
    return value_;
  }

  absl::StatusOr<Json> Option(const Json& item) const {
    std::vector<std::string> names;
    for (const Json& option : property_.options.value("options", Json::array())) {
      names.push_back(option.value("name", ""));
    }
    const std::string expected = absl::StrCat("one of ", NameList(names));
    if (!item.is_string()) return Wrong(expected);
    const std::string& text = item.get_ref<const std::string&>();
    if (std::find(names.begin(), names.end(), text) != names.end()) return item;
    const auto close =
        std::find_if(names.begin(), names.end(), [&](const std::string& name) { return SameWithoutCase(name, text); });
    return close != names.end() ? absl::StatusOr<Json>(*close) : Wrong(expected);
  }

  // An array of checked elements; a single one stands for an array of one.
  template <typename CheckItem>
  absl::StatusOr<Json> List(CheckItem check) const {
    const Json items = value_.is_array() ? value_ : Json::array({value_});
    if (items.size() > kMaxListValues) return Wrong("at most 500 values");
    Json stored = Json::array();
    for (const Json& item : items) {
      ASSIGN_OR_RETURN(Json checked, check(item));
      if (std::find(stored.begin(), stored.end(), checked) == stored.end()) stored.push_back(std::move(checked));
    }
    return stored;
  }

  absl::StatusOr<Json> Date() const {
    const absl::StatusOr<DateOrTime> date =
        value_.is_string() ? ParseDate(value_.get_ref<const std::string&>(), context_.now, context_.zone)
                           : absl::InvalidArgumentError("");
    return date.ok() ? absl::StatusOr<Json>(FormatDate(*date)) : Wrong(absl::StrCat("a date: ", ToAbsl(kDateForms)));
  }

  absl::StatusOr<Json> RelatedRow(const Json& item) const {
    constexpr std::string_view kExpected = "ids of rows of the related database";
    if (!item.is_string()) return Wrong(kExpected);
    ASSIGN_OR_RETURN(const auto row, context_.view.FindBlock(item.get_ref<const std::string&>()));
    const bool there =
        row.has_value() && row->type == kRow && row->parent_id == property_.options.value("databaseId", "");
    return there ? absl::StatusOr<Json>(item) : Wrong(kExpected);
  }

  const Property& property_;
  const Json& value_;
  std::string_view path_;
  const DataContext& context_;
};

}  // namespace

std::string_view PropertyTypeName(PropertyType type) { return kTypes[static_cast<size_t>(type)].first; }

std::optional<PropertyType> PropertyTypeFromName(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& row) { return row.first == name; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

absl::StatusOr<std::vector<Property>> ReadProperties(const Json& database_data) {
  std::vector<Property> properties;
  const Json* list = FindArgument(database_data, "properties");
  if (list == nullptr) return properties;
  for (const Json& item : *list) {
    const std::optional<PropertyType> type = PropertyTypeFromName(StringArgument(item, "type"));
    if (!type.has_value()) {
      return storage::MarkFault(absl::DataLossError("a database holds a property of no known type"));
    }
    const Json* options = FindArgument(item, "options");
    properties.push_back({std::string(StringArgument(item, "id")), std::string(StringArgument(item, "name")), *type,
                          options == nullptr ? Json() : *options});
  }
  return properties;
}

Json PropertyToJson(const Property& property) {
  Json json = {{"id", property.id}, {"name", property.name}, {"type", std::string(PropertyTypeName(property.type))}};
  if (!property.options.is_null()) json["options"] = property.options;
  return json;
}

const Property* FindProperty(const std::vector<Property>& properties, std::string_view name_or_id) {
  const auto find = [&](auto matches) -> const Property* {
    const auto found = std::find_if(properties.begin(), properties.end(), matches);
    return found == properties.end() ? nullptr : &*found;
  };
  if (const Property* by_id = find([&](const Property& p) { return p.id == name_or_id; })) return by_id;
  if (const Property* by_name = find([&](const Property& p) { return p.name == name_or_id; })) return by_name;
  return find([&](const Property& p) { return SameWithoutCase(p.name, name_or_id); });
}

absl::Status UnknownProperty(const std::vector<Property>& properties, std::string_view path, std::string_view name) {
  std::vector<std::string> names;
  names.reserve(properties.size());
  for (const Property& property : properties) names.push_back(property.name);
  const std::string_view quoted = name.substr(0, kMaxNameLength);
  return InvalidArgument(
      path, "property",
      absl::StrCat("the database has no property \"", ToAbsl(quoted), "\"", Suggestion(quoted, names), "; it has ",
                   names.empty() ? "none yet" : NameList(names)),
      NameList(names), "unknown property");
}

absl::StatusOr<Property> MakeProperty(const std::vector<Property>& existing, std::string_view id, std::string_view name,
                                      std::string_view type, const Json& options, std::string_view path,
                                      const DataContext& context) {
  if (!IsName(std::string(name))) {
    return InvalidArgument(Join(path, "name"), "maxLength", "a property's name must be a string of 1 to 100 characters",
                           "string of 1 to 100 characters");
  }
  const std::optional<PropertyType> property_type = PropertyTypeFromName(type);
  if (!property_type.has_value()) {
    std::vector<std::string> names;
    names.reserve(kTypes.size());
    for (const auto& row : kTypes) names.emplace_back(row.first);
    return InvalidArgument(Join(path, "type"), "enum",
                           absl::StrCat("a property's type must be one of ", NameList(names)), NameList(names),
                           "another type");
  }
  const auto taken = std::find_if(existing.begin(), existing.end(), [&](const Property& other) {
    return SameWithoutCase(other.name, name) || SameWithoutCase(other.id, name) || (!id.empty() && other.id == id);
  });
  if (taken != existing.end()) {
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat("the database has a property named \"", taken->name, "\" already"));
  }
  if (existing.size() >= kMaxProperties) {
    return InvalidArgument(path, "maxItems", "a database has at most 200 properties", "at most 200 properties");
  }
  ASSIGN_OR_RETURN(Json stored, CheckOptions(*property_type, options, Join(path, "options"), context));
  return Property{id.empty() ? IdFromName(existing, name) : std::string(id), std::string(name), *property_type,
                  std::move(stored)};
}

absl::StatusOr<Json> CheckProperties(const Json& list, std::string_view path, const DataContext& context) {
  constexpr std::string_view kExpected = "an array of {name, type, options?}";
  if (!list.is_array()) {
    return InvalidArgument(path, "type", absl::StrCat("properties must be ", ToAbsl(kExpected)), kExpected,
                           KindOf(list));
  }
  std::vector<Property> properties;
  Json stored = Json::array();
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string place = absl::StrCat(ToAbsl(path), "/", i);
    if (!list[i].is_object()) {
      return InvalidArgument(place, "type", "a property must be an object with name and type", "object",
                             KindOf(list[i]));
    }
    for (const auto& member : list[i].get_ref<const Json::object_t&>()) {
      if (member.first == "id" || member.first == "name" || member.first == "type" || member.first == "options") {
        continue;
      }
      return InvalidArgument(Join(place, member.first), "additionalProperties",
                             "a property has only the members id, name, type and options", "id, name, type, options");
    }
    const Json* options = FindArgument(list[i], "options");
    ASSIGN_OR_RETURN(Property property, MakeProperty(properties, StringArgument(list[i], "id"),
                                                     StringArgument(list[i], "name"), StringArgument(list[i], "type"),
                                                     options == nullptr ? Json() : *options, place, context));
    stored.push_back(PropertyToJson(property));
    properties.push_back(std::move(property));
  }
  return stored;
}

absl::StatusOr<Json> CheckValue(const Property& property, const Json& value, std::string_view path,
                                const DataContext& context) {
  if (value.is_null()) return value;
  return ValueChecker(property, value, path, context).Check();
}

absl::StatusOr<Json> CheckValues(const std::vector<Property>& properties, const Json& values, std::string_view path,
                                 const DataContext& context) {
  if (!values.is_object()) {
    return InvalidArgument(path, "type", "a row's properties must be an object of values by property name", "object",
                           KindOf(values));
  }
  Json stored = Json::object();
  for (const auto& member : values.get_ref<const Json::object_t&>()) {
    const std::string place = Join(path, member.first);
    const Property* property = FindProperty(properties, member.first);
    if (property == nullptr) return UnknownProperty(properties, place, member.first);
    if (stored.contains(property->id)) {
      return InvalidArgument(place, "property", absl::StrCat("property \"", property->name, "\" is given twice"),
                             "each property once");
    }
    ASSIGN_OR_RETURN(stored[property->id], CheckValue(*property, member.second, place, context));
  }
  return stored;
}

}  // namespace toolgate::executors::blocks
