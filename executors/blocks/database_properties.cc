#include "executors/blocks/database_properties.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/json_pointer.h"
#include "common/status_macros.h"
#include "common/text/fold_case.h"
#include "common/text/utf8.h"
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
constexpr size_t kMaxIdLength = 128;  // Bytes of a property's or a block's id.

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
constexpr std::string_view kFormerPropertiesName = "formerProperties";
constexpr std::array<std::string_view, 4> kNumberFormats = {"number", "integer", "percent", "currency"};

bool IsName(const Json& value) {
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  return !absl::StripAsciiWhitespace(text).empty() && text::CountCharacters(text) <= kMaxNameLength;
}

bool IsId(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty() &&
         value.get_ref<const std::string&>().size() <= kMaxIdLength;
}

// Lower-case ASCII letters and digits of the name, with "_" for the rest: readable where rows show ids.
template <typename IsTaken>
std::string IdFromName(std::string_view name, IsTaken is_taken) {
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
  for (int n = 2; is_taken(id); ++n) id = absl::StrCat(base, "_", n);
  return id;
}

template <typename List>
auto FindById(List& list, std::string_view id) -> decltype(&list[0]) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& row) { return row.id == id; });
  return found == list.end() ? nullptr : &*found;
}

// The only member that `options` may have, under its name or its alternative name; nullptr if absent.
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
      return InvalidArgument(JoinPointer(path, member.first), "additionalProperties", problem, name, "unknown option");
    }
    result = &member.second;
  }
  return result;
}

absl::StatusOr<Json> SelectOptions(const Json& options, std::string_view type, std::string_view path) {
  ASSIGN_OR_RETURN(const Json* list, OnlyMember(options, type, "options", "choices", path));
  const std::string place = JoinPointer(path, "options");
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
        return InvalidArgument(JoinPointer(item_path, "color"), "type", "a color must be a string", "string");
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
    return InvalidArgument(JoinPointer(path, "format"), "enum",
                           "a number's format must be one of number, integer, percent and currency",
                           "number, integer, percent or currency", KindOf(*format));
  }
  return Json{{"format", *format}};
}

absl::StatusOr<Json> RelationOptions(const Json& options, const Property* present, std::string_view path,
                                     const DataContext& context) {
  ASSIGN_OR_RETURN(const Json* database, OnlyMember(options, "relation", "databaseId", "databaseId", path));
  const std::string place = JoinPointer(path, "databaseId");
  if (database == nullptr) {
    return MissingArgument(place, "a relation property needs options: {\"databaseId\": the database it points at}");
  }
  if (!IsId(*database)) {
    return InvalidArgument(place, "type", "databaseId must be a database's id", "string", KindOf(*database));
  }
  Json stored = {{"databaseId", *database}};
  const bool may_dangle = context.dangling == Dangling::kKeep || (present != nullptr && present->options == stored);
  if (may_dangle) return stored;
  ASSIGN_OR_RETURN(const storage::Block block, context.view.GetBlock(database->get_ref<const std::string&>()));
  if (block.type != kDatabase) {
    return InvalidArgument(place, "relation",
                           absl::StrCat("databaseId names ", WithArticle(block.type), ", not a database"),
                           "id of a database", block.type);
  }
  return stored;
}

// `present`: the existing property, if there is one.
absl::StatusOr<Json> CheckOptions(PropertyType type, const Json& options, const Property* present,
                                  std::string_view path, const DataContext& context) {
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
      return RelationOptions(options, present, path, context);
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
  ValueChecker(const Property& property, const Json& value, const Json* present, std::string_view path,
               const DataContext& context)
      : property_(property), value_(value), present_(present), path_(path), context_(context) {}

  absl::StatusOr<Json> Check() const {
    if (present_ != nullptr && *present_ == value_) return value_;
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
    const bool integer = context_.dangling == Dangling::kRefuse && TextOption("format") == "integer";
    if (integer && std::trunc(value_.get<double>()) != value_.get<double>()) return Wrong("a whole number");
    return value_;
  }

  std::string_view TextOption(std::string_view name) const {
    return property_.options.is_object() ? StringArgument(property_.options, name) : std::string_view();
  }

  std::vector<std::string> OptionNames() const {
    std::vector<std::string> names;
    const Json* options = property_.options.is_object() ? FindArgument(property_.options, "options") : nullptr;
    if (options == nullptr) return names;
    for (const Json& option : *options) names.emplace_back(StringArgument(option, "name"));
    return names;
  }

  // For a reference to something that does not exist.
  bool MayDangle(const Json& item) const {
    if (context_.dangling == Dangling::kKeep) return true;
    return present_ != nullptr && present_->is_array() &&
           std::find(present_->begin(), present_->end(), item) != present_->end();
  }

  absl::StatusOr<Json> Option(const Json& item) const {
    const std::vector<std::string> names = OptionNames();
    const std::string expected = absl::StrCat("one of ", NameList(names));
    if (!item.is_string()) return Wrong(expected);
    const std::string& text = item.get_ref<const std::string&>();
    if (std::find(names.begin(), names.end(), text) != names.end()) return item;
    if (IsName(item) && MayDangle(item)) return item;
    const auto close = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return text::EqualFolded(name, text); });
    return close != names.end() ? absl::StatusOr<Json>(*close) : Wrong(expected);
  }

  // An array of checked elements; a single element is read as an array of one.
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
    if (!IsId(item)) return Wrong(kExpected);
    if (MayDangle(item)) return item;
    ASSIGN_OR_RETURN(const auto row, context_.view.FindBlock(item.get_ref<const std::string&>()));
    const bool there = row.has_value() && row->type == kRow && row->parent_id == TextOption("databaseId");
    return there ? absl::StatusOr<Json>(item) : Wrong(kExpected);
  }

  const Property& property_;
  const Json& value_;
  const Json* const present_;
  std::string_view path_;
  const DataContext& context_;
};

// A property as a caller specifies it.
struct Request {
  std::string_view id;
  std::string_view name;
  std::string_view type;
  Json options;
};

absl::StatusOr<PropertyType> CheckNameAndType(const Request& request, std::string_view path) {
  if (!IsName(std::string(request.name))) {
    return InvalidArgument(JoinPointer(path, "name"), "maxLength",
                           "a property's name must be a string of 1 to 100 characters",
                           "string of 1 to 100 characters");
  }
  const std::optional<PropertyType> type = PropertyTypeFromName(request.type);
  if (type.has_value()) return *type;
  std::vector<std::string> names;
  names.reserve(kTypes.size());
  for (const auto& row : kTypes) names.emplace_back(row.first);
  return InvalidArgument(JoinPointer(path, "type"), "enum",
                         absl::StrCat("a property's type must be one of ", NameList(names)), NameList(names),
                         "another type");
}

// `request` as a property with this id, next to `others`. `present`: the current property with the id, if any.
absl::StatusOr<Property> BuildProperty(const std::vector<Property>& others, std::string id, PropertyType type,
                                       const Request& request, const Property* present, std::string_view path,
                                       const DataContext& context) {
  const auto taken = std::find_if(others.begin(), others.end(), [&](const Property& other) {
    return text::EqualFolded(other.name, request.name) || text::EqualFolded(other.id, request.name) || other.id == id;
  });
  if (taken != others.end()) {
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat("the database has a property named \"", taken->name, "\" already"));
  }
  if (others.size() >= kMaxProperties) {
    return InvalidArgument(path, "maxItems", "a database has at most 200 properties", "at most 200 properties");
  }
  ASSIGN_OR_RETURN(Json options, CheckOptions(type, request.options, present, JoinPointer(path, "options"), context));
  return Property{std::move(id), std::string(request.name), type, std::move(options)};
}

// A whole list of properties on its way into the store.
class PropertyListChecker {
 public:
  PropertyListChecker(const Columns& present, const DataContext& context) : present_(present), context_(context) {}

  absl::StatusOr<Json> Check(const Json& list, std::string_view path) {
    for (const Json& item : list) {
      if (item.is_object()) given_ids_.emplace(StringArgument(item, "id"));
    }
    Json stored = Json::array();
    for (size_t i = 0; i < list.size(); ++i) {
      ASSIGN_OR_RETURN(const Property property, CheckOne(list[i], absl::StrCat(ToAbsl(path), "/", i)));
      stored.push_back(PropertyToJson(property));
      properties_.push_back(property);
    }
    return stored;
  }

 private:
  absl::StatusOr<Property> CheckOne(const Json& item, const std::string& place) const {
    RETURN_IF_ERROR(CheckShape(item, place));
    const Json* options = FindArgument(item, "options");
    const Request request{StringArgument(item, "id"), StringArgument(item, "name"), StringArgument(item, "type"),
                          options == nullptr ? Json() : *options};
    ASSIGN_OR_RETURN(const PropertyType type, CheckNameAndType(request, place));
    std::string id = IdOf(request);
    const Property* present = FindById(present_.properties, id);
    const FormerProperty* former = FindById(present_.former, id);
    const PropertyType old_type = present != nullptr ? present->type : former != nullptr ? former->type : type;
    if (old_type != type) {
      return InvalidArgument(JoinPointer(place, "type"), "consistency",
                             absl::StrCat("the type of property \"", ToAbsl(request.name),
                                          "\" cannot change; add another property instead"),
                             PropertyTypeName(old_type), PropertyTypeName(type));
    }
    return BuildProperty(properties_, std::move(id), type, request, present, place, context_);
  }

  static absl::Status CheckShape(const Json& item, const std::string& place) {
    if (!item.is_object()) {
      return InvalidArgument(place, "type", "a property must be an object with name and type", "object", KindOf(item));
    }
    for (const auto& member : item.get_ref<const Json::object_t&>()) {
      if (member.first == "id" || member.first == "name" || member.first == "type" || member.first == "options") {
        continue;
      }
      return InvalidArgument(JoinPointer(place, member.first), "additionalProperties",
                             "a property has only the members id, name, type and options", "id, name, type, options");
    }
    const Json* id = FindArgument(item, "id");
    if (id == nullptr || *id == Json("") || IsId(*id)) return absl::OkStatus();
    return InvalidArgument(JoinPointer(place, "id"), "type", "a property's id must be a string of 1 to 128 bytes",
                           "string of 1 to 128 bytes", KindOf(*id));
  }

  std::string IdOf(const Request& request) const {
    if (!request.id.empty()) return std::string(request.id);
    const auto is_given = [&](const std::string& id) {
      return given_ids_.contains(id) || FindById(properties_, id) != nullptr;
    };
    for (const Property& present : present_.properties) {
      if (text::EqualFolded(present.name, request.name) && !is_given(present.id)) return present.id;
    }
    return IdFromName(request.name, [&](const std::string& id) {
      return is_given(id) || FindProperty(properties_, id) != nullptr || FindById(present_.properties, id) != nullptr ||
             FindById(present_.former, id) != nullptr;
    });
  }

  const Columns& present_;
  const DataContext& context_;
  std::set<std::string, std::less<>> given_ids_;
  std::vector<Property> properties_;  // So far.
};

}  // namespace

std::string_view PropertyTypeName(PropertyType type) { return kTypes[static_cast<size_t>(type)].first; }

std::optional<PropertyType> PropertyTypeFromName(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& row) { return row.first == name; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

absl::StatusOr<Columns> ReadColumns(const Json& database_data) {
  const auto type_of = [](const Json& item) -> absl::StatusOr<PropertyType> {
    const std::optional<PropertyType> type = PropertyTypeFromName(StringArgument(item, "type"));
    if (type.has_value()) return *type;
    return storage::MarkFault(absl::DataLossError("a database holds a property of no known type"));
  };
  Columns columns;
  if (const Json* list = FindArgument(database_data, "properties"); list != nullptr) {
    for (const Json& item : *list) {
      ASSIGN_OR_RETURN(const PropertyType type, type_of(item));
      const Json* options = FindArgument(item, "options");
      columns.properties.push_back({std::string(StringArgument(item, "id")), std::string(StringArgument(item, "name")),
                                    type, options == nullptr ? Json() : *options});
    }
  }
  if (const Json* list = FindArgument(database_data, kFormerPropertiesName); list != nullptr) {
    for (const Json& item : *list) {
      ASSIGN_OR_RETURN(const PropertyType type, type_of(item));
      columns.former.push_back({std::string(StringArgument(item, "id")), type});
    }
  }
  return columns;
}

absl::StatusOr<std::vector<Property>> ReadProperties(const Json& database_data) {
  ASSIGN_OR_RETURN(Columns columns, ReadColumns(database_data));
  return std::move(columns.properties);
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
  return find([&](const Property& p) { return text::EqualFolded(p.name, name_or_id); });
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

absl::StatusOr<Property> MakeProperty(const Columns& columns, std::string_view name, std::string_view type,
                                      const Json& options, std::string_view path, const DataContext& context) {
  const Request request{"", name, type, options};
  ASSIGN_OR_RETURN(const PropertyType known_type, CheckNameAndType(request, path));
  std::string id = IdFromName(name, [&](const std::string& candidate) {
    return FindProperty(columns.properties, candidate) != nullptr || FindById(columns.former, candidate) != nullptr;
  });
  return BuildProperty(columns.properties, std::move(id), known_type, request, nullptr, path, context);
}

absl::StatusOr<Json> CheckProperties(const Json& list, std::string_view path, const DataContext& context,
                                     const Columns& present) {
  constexpr std::string_view kExpected = "an array of {name, type, options?}";
  if (!list.is_array()) {
    return InvalidArgument(path, "type", absl::StrCat("properties must be ", ToAbsl(kExpected)), kExpected,
                           KindOf(list));
  }
  return PropertyListChecker(present, context).Check(list, path);
}

absl::StatusOr<Json> CheckFormerProperties(const Json& list, std::string_view path) {
  constexpr std::string_view kExpected = "an array of at most 1,000 {id, type}, as the database had it";
  const auto is_right = [](const Json& item) {
    const Json* id = item.is_object() ? FindArgument(item, "id") : nullptr;
    return id != nullptr && IsId(*id) && PropertyTypeFromName(StringArgument(item, "type")).has_value() &&
           item.size() == 2;
  };
  if (list.is_array() && list.size() <= kMaxFormerProperties && std::all_of(list.begin(), list.end(), is_right)) {
    return list;
  }
  return InvalidArgument(path, "type", absl::StrCat("formerProperties must be ", ToAbsl(kExpected)), kExpected,
                         KindOf(list));
}

absl::Status SettleFormerProperties(const Json& before, std::string_view path, Json& database_data) {
  ASSIGN_OR_RETURN(const Columns columns, ReadColumns(before));
  ASSIGN_OR_RETURN(const std::vector<Property> properties, ReadProperties(database_data));
  Json former = Json::array();
  std::set<std::string_view> noted;
  const auto note = [&](const std::string& id, PropertyType type) {
    if (FindById(properties, id) != nullptr || !noted.insert(id).second) return;
    former.push_back({{"id", id}, {"type", std::string(PropertyTypeName(type))}});
  };
  for (const FormerProperty& property : columns.former) note(property.id, property.type);
  for (const Property& property : columns.properties) note(property.id, property.type);
  if (former.size() > kMaxFormerProperties) {
    return InvalidArgument(JoinPointer(path, "properties"), "maxItems",
                           "a database that has dropped 1,000 properties can drop no more; make a new one",
                           "the properties that are there");
  }
  if (former.empty()) {
    database_data.erase(std::string(kFormerPropertiesName));
  } else {
    database_data[std::string(kFormerPropertiesName)] = std::move(former);
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> CheckValue(const Property& property, const Json& value, std::string_view path,
                                const DataContext& context, const Json* present) {
  if (value.is_null()) return value;
  return ValueChecker(property, value, present, path, context).Check();
}

absl::StatusOr<Json> CheckValues(const Columns& columns, const Json& values, std::string_view path,
                                 const DataContext& context, const Json* present) {
  if (!values.is_object()) {
    return InvalidArgument(path, "type", "a row's properties must be an object of values by property name", "object",
                           KindOf(values));
  }
  Json stored = Json::object();
  for (const auto& member : values.get_ref<const Json::object_t&>()) {
    const std::string place = JoinPointer(path, member.first);
    const FormerProperty* former =
        context.dangling == Dangling::kKeep ? FindById(columns.former, member.first) : nullptr;
    if (former != nullptr) {
      const Property property{former->id, former->id, former->type, Json()};
      ASSIGN_OR_RETURN(stored[former->id], CheckValue(property, member.second, place, context));
      continue;
    }
    const Property* property = FindProperty(columns.properties, member.first);
    if (property == nullptr) return UnknownProperty(columns.properties, place, member.first);
    if (stored.contains(property->id)) {
      return InvalidArgument(place, "property", absl::StrCat("property \"", property->name, "\" is given twice"),
                             "each property once");
    }
    const Json* old_value = present == nullptr ? nullptr : FindArgument(*present, property->id);
    ASSIGN_OR_RETURN(stored[property->id], CheckValue(*property, member.second, place, context, old_value));
  }
  return stored;
}

}  // namespace toolgate::executors::blocks
