#include "common/yaml/yaml_proto.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/json.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "common/yaml/yaml_tree.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/reflection.h"
#include "simdjson.h"
#include "toolgate/config/v1/options.pb.h"

namespace toolgate::yaml {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Duration;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxQuoted = 60;

bool IsDuration(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field.message_type() == Duration::descriptor();
}

bool IsFlattened(const FieldDescriptor& field) { return field.options().GetExtension(config::v1::flattened); }

bool LooksLikeNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || std::string_view("0123456789-.").find(text[0]) == std::string_view::npos) return false;
  double number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

// Text that YAML itself would read as something else.
bool LooksLikeOtherThanText(std::string_view text) {
  return text == "true" || text == "false" || text == "null" || text == "~" || LooksLikeNumber(text);
}

std::string Quote(std::string_view text) {
  return text.size() <= kMaxQuoted ? DumpJson(Json(std::string(text)))
                                   : DumpJson(Json(absl::StrCat(ToAbsl(text.substr(0, kMaxQuoted)), "...")));
}

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  return absl::StrCat(node.quoted ? "the quoted text " : "", Quote(node.scalar));
}

// "ENFORCEMENT_" for an enum Enforcement.
std::string EnumPrefix(const EnumDescriptor& type) {
  std::string prefix;
  for (const char c : type.name()) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !prefix.empty()) prefix += '_';
    prefix += upper || c < 'a' || c > 'z' ? c : static_cast<char>(c - 'a' + 'A');
  }
  return prefix + "_";
}

std::string_view ShortName(const EnumValueDescriptor& value) {
  const std::string prefix = EnumPrefix(*value.type());
  const std::string_view name = value.name();
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

bool IsUnspecified(const EnumValueDescriptor& value) {
  return std::string_view(value.name()).ends_with("_UNSPECIFIED");
}

std::vector<std::string_view> WritableNames(const EnumDescriptor& type) {
  std::vector<std::string_view> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (!IsUnspecified(*type.value(i))) names.push_back(ShortName(*type.value(i)));
  }
  return names;
}

const EnumValueDescriptor* FindEnumValue(const EnumDescriptor& type, std::string_view name) {
  for (int i = 0; i < type.value_count(); ++i) {
    const EnumValueDescriptor* value = type.value(i);
    if (!IsUnspecified(*value) && (name == value->name() || name == ShortName(*value))) return value;
  }
  return nullptr;
}

std::string Join(const std::vector<std::string_view>& names, std::string_view separator) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

bool IsPlainKey(std::string_view key) {
  if (key.empty()) return false;
  for (const char c : key) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!word) return false;
  }
  return true;
}

std::string YamlPathOfField(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : absl::StrCat(ToAbsl(path), ".", ToAbsl(name));
}

// Merges one tree into one message and collects what is wrong with it.
class Merger {
 public:
  Merger(std::string_view file_name, const YamlOptions& options, YamlPlaces& places)
      : file_name_(file_name), options_(options), places_(places) {}

  void MergeMessage(const YamlNode& node, Message& message, const std::string& path) {
    if (node.kind == YamlNode::Kind::kNull) return;
    if (node.kind != YamlNode::Kind::kMap) return Expected(node, path, "a map of fields");
    ForEachMember(node, path, [&](const YamlNode& key, const YamlNode& value) {
      const std::optional<Target> target = FindTarget(message, key.scalar);
      if (!target.has_value()) return UnknownField(key, *message.GetDescriptor(), path);
      MergeField(value, *target->message, *target->field, YamlPathOfField(path, key.scalar));
    });
  }

  absl::Status Result() const {
    if (problems_.empty()) return absl::OkStatus();
    std::vector<std::string> lines = problems_;
    if (left_out_ > 0) lines.push_back(absl::StrCat(file_name_, ": and ", left_out_, " more"));
    return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
  }

 private:
  // A field and the message that it is a field of.
  struct Target {
    Message* message;
    const FieldDescriptor* field;
  };

  // The fields that a key in a message of `type` may name, in the order in which they are looked for: its own, then
  // those of its flattened ones. Calls `visit` with the flattened field, or null, and the field, until it answers true.
  template <typename Visitor>
  void VisitFields(const Descriptor& type, Visitor visit) const {
    for (int i = 0; i < type.field_count(); ++i) {
      if (!IsFlattened(*type.field(i)) && visit(nullptr, type.field(i))) return;
    }
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor* const flattened = type.field(i);
      if (!IsFlattened(*flattened)) continue;
      const Descriptor& inner = *flattened->message_type();
      for (int j = 0; j < inner.field_count(); ++j) {
        if (visit(flattened, inner.field(j))) return;
      }
      for (const FieldDescriptor* extension : options_.extensions) {
        if (extension->containing_type() == &inner && visit(flattened, extension)) return;
      }
    }
  }

  std::optional<Target> FindTarget(Message& message, const std::string& key) const {
    std::optional<Target> target;
    VisitFields(*message.GetDescriptor(), [&](const FieldDescriptor* flattened, const FieldDescriptor* field) {
      if (field->name() != key) return false;
      target =
          Target{flattened == nullptr ? &message : message.GetReflection()->MutableMessage(&message, flattened), field};
      return true;
    });
    return target;
  }

  std::string PlaceOf(const YamlNode& node) const { return absl::StrCat(file_name_, ":", node.line, ":", node.column); }

  void Problem(const YamlNode& node, const std::string& path, std::string_view what) {
    if (problems_.size() == options_.max_problems) {
      ++left_out_;
      return;
    }
    problems_.push_back(absl::StrCat(PlaceOf(node), ": ", path, path.empty() ? "" : ": ", ToAbsl(what)));
  }

  void Expected(const YamlNode& node, const std::string& path, std::string_view what) {
    Problem(node, path, absl::StrCat("expected ", ToAbsl(what), ", found ", Describe(node)));
  }

  // False when there are too many; the problem is told of once.
  bool CountValue(const YamlNode& node, const std::string& path) {
    if (values_ > options_.max_values) return false;
    if (++values_ <= options_.max_values) return true;
    Problem(node, path, absl::StrCat("more than ", options_.max_values, " values, aliases included"));
    return false;
  }

  template <typename Visitor>
  void ForEachMember(const YamlNode& node, const std::string& path, Visitor visit) {
    std::map<std::string_view, int> first_lines;
    for (const auto& [key, value] : node.members) {
      if (!CountValue(*key, path)) return;
      if (key->kind != YamlNode::Kind::kScalar) {
        Expected(*key, path, "a name as the key");
        continue;
      }
      const auto [first, is_new] = first_lines.emplace(key->scalar, key->line);
      if (!is_new) {
        Problem(*key, YamlPathOfKey(path, key->scalar), absl::StrCat("given twice, first in line ", first->second));
        continue;
      }
      visit(*key, *value);
    }
  }

  void UnknownField(const YamlNode& key, const Descriptor& type, const std::string& path) {
    std::vector<std::string_view> names;
    VisitFields(type, [&](const FieldDescriptor*, const FieldDescriptor* field) {
      names.push_back(field->name());
      return false;
    });
    const std::string_view nearest = text::NearestName(key.scalar, names);
    Problem(key, path,
            nearest.empty()
                ? absl::StrCat("no field ", Quote(key.scalar), " here; there are ", Join(names, ", "))
                : absl::StrCat("no field ", Quote(key.scalar), " here; did you mean \"", ToAbsl(nearest), "\"?"));
  }

  void MergeField(const YamlNode& node, Message& message, const FieldDescriptor& field, const std::string& path) {
    if (!CountValue(node, path)) return;
    Forget(path, field);
    places_[path] = PlaceOf(node);
    if (field.is_map()) return MergeMap(node, message, field, path);
    if (field.is_repeated()) return ReplaceList(node, message, field, path);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !IsDuration(field)) {
      return MergeMessage(node, *message.GetReflection()->MutableMessage(&message, &field), path);
    }
    StoreValue(node, message, field, path);
  }

  // A list that is replaced takes the places of its items along.
  void Forget(const std::string& path, const FieldDescriptor& field) {
    if (!field.is_repeated() || field.is_map()) return;
    const std::string items = path + "[";
    for (auto place = places_.lower_bound(items); place != places_.end() && place->first.starts_with(items);) {
      place = places_.erase(place);
    }
  }

  void ReplaceList(const YamlNode& node, Message& message, const FieldDescriptor& field, const std::string& path) {
    if (node.kind != YamlNode::Kind::kSequence) return Expected(node, path, "a list ([] for an empty one)");
    const Reflection& reflection = *message.GetReflection();
    reflection.ClearField(&message, &field);
    for (size_t i = 0; i < node.items.size(); ++i) {
      const YamlNode& item = *node.items[i];
      const std::string item_path = absl::StrCat(path, "[", i, "]");
      if (!CountValue(item, item_path)) return;
      places_[item_path] = PlaceOf(item);
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !IsDuration(field)) {
        MergeMessage(item, *reflection.AddMessage(&message, &field), item_path);
      } else {
        StoreValue(item, message, field, item_path);
      }
    }
  }

  void MergeMap(const YamlNode& node, Message& message, const FieldDescriptor& field, const std::string& path) {
    if (node.kind == YamlNode::Kind::kNull) return;
    if (node.kind != YamlNode::Kind::kMap) return Expected(node, path, "a map ({} for an empty one)");
    const FieldDescriptor& key_field = *field.message_type()->map_key();
    if (key_field.cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
      return Problem(node, path, "a map whose keys are not text cannot be written in YAML");
    }
    ForEachMember(node, path, [&](const YamlNode& key, const YamlNode& value) {
      const std::optional<std::string> name = ReadText(key, YamlPathOfKey(path, key.scalar), /*is_key=*/true);
      if (!name.has_value()) return;
      Message& entry = EntryOf(message, field, *name);
      MergeField(value, entry, *field.message_type()->map_value(), YamlPathOfKey(path, key.scalar));
    });
  }

  static Message& EntryOf(Message& message, const FieldDescriptor& field, const std::string& key) {
    const Reflection& reflection = *message.GetReflection();
    const FieldDescriptor* key_field = field.message_type()->map_key();
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      Message* entry = reflection.MutableRepeatedMessage(&message, &field, i);
      if (entry->GetReflection()->GetString(*entry, key_field) == key) return *entry;
    }
    Message* entry = reflection.AddMessage(&message, &field);
    entry->GetReflection()->SetString(entry, key_field, key);
    return *entry;
  }

  // Sets or, for a list, adds one scalar.
  void StoreValue(const YamlNode& node, Message& message, const FieldDescriptor& field, const std::string& path) {
    const Reflection& to = *message.GetReflection();
    Message* const in = &message;
    const auto store = [&](auto value, auto set, auto add) {
      if (value.has_value()) (to.*(field.is_repeated() ? add : set))(in, &field, *std::move(value));
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return store(ReadInteger<int32_t>(node, path), &Reflection::SetInt32, &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return store(ReadInteger<int64_t>(node, path), &Reflection::SetInt64, &Reflection::AddInt64);
      case FieldDescriptor::CPPTYPE_UINT32:
        return store(ReadInteger<uint32_t>(node, path), &Reflection::SetUInt32, &Reflection::AddUInt32);
      case FieldDescriptor::CPPTYPE_UINT64:
        return store(ReadInteger<uint64_t>(node, path), &Reflection::SetUInt64, &Reflection::AddUInt64);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return store(ReadNumber<double>(node, path), &Reflection::SetDouble, &Reflection::AddDouble);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return store(ReadNumber<float>(node, path), &Reflection::SetFloat, &Reflection::AddFloat);
      case FieldDescriptor::CPPTYPE_BOOL:
        return store(ReadBool(node, path), &Reflection::SetBool, &Reflection::AddBool);
      case FieldDescriptor::CPPTYPE_ENUM:
        return store(ReadEnum(node, *field.enum_type(), path), &Reflection::SetEnumValue, &Reflection::AddEnumValue);
      case FieldDescriptor::CPPTYPE_STRING:
        return store(ReadText(node, path, /*is_key=*/false), &Reflection::SetString, &Reflection::AddString);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return StoreDuration(node, message, field, path);
    }
  }

  void StoreDuration(const YamlNode& node, Message& message, const FieldDescriptor& field, const std::string& path) {
    const auto parsed = node.kind == YamlNode::Kind::kScalar ? ParseDurationText(node.scalar) : std::nullopt;
    if (!parsed.has_value()) return Expected(node, path, "a duration such as 90s, 1h30m, 250ms or 7d");
    const Reflection& reflection = *message.GetReflection();
    Message* target =
        field.is_repeated() ? reflection.AddMessage(&message, &field) : reflection.MutableMessage(&message, &field);
    target->CopyFrom(ToProtoDuration(*parsed));
  }

  static bool IsPlainScalar(const YamlNode& node) { return node.kind == YamlNode::Kind::kScalar && !node.quoted; }

  template <typename T>
  std::optional<T> ReadInteger(const YamlNode& node, const std::string& path) {
    T value{};
    if (IsPlainScalar(node)) {
      const char* const end = node.scalar.data() + node.scalar.size();
      const auto parsed = std::from_chars(node.scalar.data(), end, value);
      if (parsed.ptr == end && parsed.ec == std::errc()) return value;
    }
    Expected(
        node, path,
        absl::StrCat("a whole number from ", std::numeric_limits<T>::min(), " to ", std::numeric_limits<T>::max()));
    return std::nullopt;
  }

  template <typename T>
  std::optional<T> ReadNumber(const YamlNode& node, const std::string& path) {
    T value{};
    if (IsPlainScalar(node)) {
      const char* const end = node.scalar.data() + node.scalar.size();
      const auto parsed = std::from_chars(node.scalar.data(), end, value);
      if (parsed.ptr == end && parsed.ec == std::errc() && std::isfinite(value)) return value;
    }
    Expected(node, path, "a number");
    return std::nullopt;
  }

  std::optional<bool> ReadBool(const YamlNode& node, const std::string& path) {
    if (IsPlainScalar(node) && node.scalar == "true") return true;
    if (IsPlainScalar(node) && node.scalar == "false") return false;
    Expected(node, path, "true or false");
    return std::nullopt;
  }

  std::optional<int> ReadEnum(const YamlNode& node, const EnumDescriptor& type, const std::string& path) {
    if (node.kind == YamlNode::Kind::kScalar) {
      if (const EnumValueDescriptor* value = FindEnumValue(type, node.scalar)) return value->number();
    }
    const std::vector<std::string_view> names = WritableNames(type);
    const std::string_view nearest = text::NearestName(node.scalar, names);
    const std::string hint = nearest.empty() ? "" : absl::StrCat("; did you mean ", ToAbsl(nearest), "?");
    Problem(node, path, absl::StrCat("expected ", Join(names, " or "), ", found ", Describe(node), hint));
    return std::nullopt;
  }

  std::optional<std::string> ReadText(const YamlNode& node, const std::string& path, bool is_key) {
    if (node.kind != YamlNode::Kind::kScalar) {
      Expected(node, path, node.kind == YamlNode::Kind::kNull ? "text (\"\" for none)" : "text");
      return std::nullopt;
    }
    if (!is_key && !node.quoted && LooksLikeOtherThanText(node.scalar)) {
      Expected(node, path, "text; put it in quotes to make it text");
      return std::nullopt;
    }
    if (node.scalar.find('\0') != std::string::npos) {
      Problem(node, path, "a NUL character in text");
      return std::nullopt;
    }
    return is_key ? node.scalar : Expand(node, path);
  }

  // Puts in the values of "${NAME}". Those are never quoted in a problem: they may be secret.
  std::optional<std::string> Expand(const YamlNode& node, const std::string& path) {
    std::string expanded;
    std::string_view rest = node.scalar;
    for (size_t dollar; (dollar = rest.find("${")) != std::string_view::npos;) {
      if (dollar > 0 && rest[dollar - 1] == '$') {
        absl::StrAppend(&expanded, ToAbsl(rest.substr(0, dollar - 1)), "${");
        rest.remove_prefix(dollar + 2);
        continue;
      }
      if (!options_.environment) {
        absl::StrAppend(&expanded, ToAbsl(rest.substr(0, dollar + 2)));
        rest.remove_prefix(dollar + 2);
        continue;
      }
      const size_t end = rest.find('}', dollar);
      if (end == std::string_view::npos) {
        Problem(node, path, "\"${\" without \"}\"; write \"$${\" for a plain \"${\"");
        return std::nullopt;
      }
      const std::string_view name = rest.substr(dollar + 2, end - dollar - 2);
      const auto value = Variable(node, path, name);
      if (!value.has_value()) return std::nullopt;
      absl::StrAppend(&expanded, ToAbsl(rest.substr(0, dollar)), *value);
      rest.remove_prefix(end + 1);
    }
    absl::StrAppend(&expanded, ToAbsl(rest));
    return expanded;
  }

  std::optional<std::string> Variable(const YamlNode& node, const std::string& path, std::string_view name) {
    std::optional<std::string> value = options_.environment(name);
    if (!value.has_value()) {
      Problem(node, path, absl::StrCat("the environment variable ", Quote(name), " is not set"));
      return std::nullopt;
    }
    const std::string& text = *value;
    if (!simdjson::validate_utf8(text.data(), text.size())) {
      Problem(node, path, absl::StrCat("the environment variable ", Quote(name), " is not well-formed UTF-8"));
      return std::nullopt;
    }
    return value;
  }

  const std::string file_name_;
  const YamlOptions& options_;
  YamlPlaces& places_;
  std::vector<std::string> problems_;
  size_t left_out_ = 0;
  size_t values_ = 0;
};

std::string TextScalar(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) escaped += '$';
    escaped += text[i];
  }
  const bool plain = IsPlainKey(escaped) && !LooksLikeOtherThanText(escaped) && escaped[0] != '-';
  return plain ? escaped : DumpJson(Json(escaped));
}

class Writer {
 public:
  void WriteMessage(const Message& message, int indent) {
    const Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) WriteField(message, *type.field(i), indent);
    std::vector<const FieldDescriptor*> set;
    message.GetReflection()->ListFields(message, &set);
    for (const FieldDescriptor* field : set) {
      if (field->is_extension()) WriteField(message, *field, indent);
    }
  }
  std::string Take() && { return std::move(out_); }

 private:
  static bool IsNested(const FieldDescriptor& field) {
    return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !IsDuration(field);
  }

  void WriteKey(std::string_view key, int indent) {
    absl::StrAppend(&out_, std::string(static_cast<size_t>(indent), ' '), ToAbsl(key), ":");
  }

  void WriteField(const Message& message, const FieldDescriptor& field, int indent) {
    const Reflection& reflection = *message.GetReflection();
    const bool unset = field.has_presence() && !reflection.HasField(message, &field);
    const bool no_value = field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM && !field.is_repeated() &&
                          IsUnspecified(*reflection.GetEnum(message, &field));
    if (unset || no_value) return;
    if (IsFlattened(field)) return WriteMessage(reflection.GetMessage(message, &field), indent);
    WriteKey(field.name(), indent);
    if (field.is_map()) {
      WriteMap(message, field, indent + 2);
    } else if (field.is_repeated()) {
      WriteList(message, field, indent + 2);
    } else {
      WriteValue(message, field, indent + 2);
    }
  }

  // Writes the value of a key: on the same line, or nested below it.
  void WriteValue(const Message& message, const FieldDescriptor& field, int indent) {
    if (!IsNested(field)) {
      absl::StrAppend(&out_, " ", Scalar(message, field, -1), "\n");
      return;
    }
    WriteNested(message.GetReflection()->GetMessage(message, &field), indent);
  }

  void WriteNested(const Message& message, int indent) {
    const size_t before = out_.size();
    out_ += '\n';
    WriteMessage(message, indent);
    if (out_.size() == before + 1) out_.replace(before, 1, " {}\n");
  }

  void WriteList(const Message& message, const FieldDescriptor& field, int indent) {
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    out_ += size == 0 ? " []\n" : "\n";
    for (int i = 0; i < size; ++i) {
      absl::StrAppend(&out_, std::string(static_cast<size_t>(indent), ' '), "-");
      if (IsNested(field)) {
        WriteNested(reflection.GetRepeatedMessage(message, &field, i), indent + 2);
      } else {
        absl::StrAppend(&out_, " ", Scalar(message, field, i), "\n");
      }
    }
  }

  void WriteMap(const Message& message, const FieldDescriptor& field, int indent) {
    const Reflection& reflection = *message.GetReflection();
    std::map<std::string, const Message*> entries;  // By key: a map field has no order of its own.
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      entries[Scalar(entry, *field.message_type()->map_key(), -1)] = &entry;
    }
    out_ += entries.empty() ? " {}\n" : "\n";
    for (const auto& [key, entry] : entries) {
      WriteKey(key, indent);
      WriteValue(*entry, *field.message_type()->map_value(), indent + 2);
    }
  }

  // `index` is that of a list's item, or -1.
  static std::string Scalar(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& from = *message.GetReflection();
    const auto get = [&](auto single, auto item) {
      return index < 0 ? (from.*single)(message, &field) : (from.*item)(message, &field, index);
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return absl::StrCat(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
      case FieldDescriptor::CPPTYPE_INT64:
        return absl::StrCat(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64));
      case FieldDescriptor::CPPTYPE_UINT32:
        return absl::StrCat(get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32));
      case FieldDescriptor::CPPTYPE_UINT64:
        return absl::StrCat(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return DumpJson(Json(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return DumpJson(Json(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat)));
      case FieldDescriptor::CPPTYPE_BOOL:
        return get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
      case FieldDescriptor::CPPTYPE_ENUM:
        return std::string(ShortName(*get(&Reflection::GetEnum, &Reflection::GetRepeatedEnum)));
      case FieldDescriptor::CPPTYPE_STRING:
        return TextScalar(get(&Reflection::GetString, &Reflection::GetRepeatedString));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        break;
    }
    Duration value;
    value.CopyFrom(index < 0 ? from.GetMessage(message, &field) : from.GetRepeatedMessage(message, &field, index));
    return DurationText(FromProtoDuration(value));
  }

  std::string out_;
};

}  // namespace

absl::Status MergeYaml(std::string_view file_name, std::string_view text, const YamlOptions& options, Message& message,
                       YamlPlaces& places) {
  if (text.size() <= kMaxYamlBytes && !simdjson::validate_utf8(text.data(), text.size())) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file_name), ": not well-formed UTF-8"));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const YamlNode> root, ParseYaml(file_name, text));
  const std::unique_ptr<Message> merged(message.New());
  merged->CopyFrom(message);
  YamlPlaces merged_places = places;
  Merger merger(file_name, options, merged_places);
  merger.MergeMessage(*root, *merged, "");
  RETURN_IF_ERROR(merger.Result());
  message.GetReflection()->Swap(&message, merged.get());
  places = std::move(merged_places);
  return absl::OkStatus();
}

std::string ToYaml(const Message& message) {
  Writer writer;
  writer.WriteMessage(message, 0);
  return std::move(writer).Take();
}

std::string YamlPathOfKey(std::string_view path, std::string_view key) {
  if (IsPlainKey(key)) return YamlPathOfField(path, key);
  return absl::StrCat(ToAbsl(path), "[", Quote(key), "]");
}

}  // namespace toolgate::yaml
