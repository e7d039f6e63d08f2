#include "services/http/json_fields.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json_place.h"
#include "common/message_bounds.h"
#include "common/proto_bytes.h"
#include "common/text/edit_distance.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace toolgate::services::http {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::string KindOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

std::string ArticleName(const Descriptor& message) { return absl::StrCat("an object of ", message.full_name()); }

class FieldChecker {
 public:
  std::vector<Violation> Take() && { return std::move(violations_); }

  void CheckMessage(const Json& value, const Descriptor& message, const JsonPlace* place) {
    const std::string& name = message.full_name();
    if (name == "google.protobuf.Duration") return CheckWellKnown<google::protobuf::Duration>(value, "\"30s\"", place);
    if (name == "google.protobuf.Timestamp") {
      return CheckWellKnown<google::protobuf::Timestamp>(value, "\"2026-03-02T09:00:00Z\"", place);
    }
    if (!value.is_object()) return Wrong(place, "type", ArticleName(message), KindOf(value));
    if (name == "google.protobuf.Struct") return;  // Any object.
    std::set<const FieldDescriptor*> seen;
    std::set<const google::protobuf::OneofDescriptor*> chosen;
    for (const auto& [key, member] : value.items()) {
      const JsonPlace here = JsonPlace::Member(place, key);
      const FieldDescriptor* field = FieldOf(message, key);
      if (field == nullptr) {
        Wrong(&here, "unknown field", FieldsOf(message, key), "");
      } else if (!seen.insert(field).second) {
        Wrong(&here, "field given twice", absl::StrCat("one of ", field->name(), " and ", field->json_name()), "");
      } else if (!member.is_null()) {
        const auto* oneof = field->real_containing_oneof();
        if (oneof != nullptr && !chosen.insert(oneof).second) {
          Wrong(&here, "choice", absl::StrCat("only one field of ", oneof->name()), "");
        }
        CheckField(member, *field, &here);
      }
    }
  }

 private:
  void Wrong(const JsonPlace* place, std::string_view rule, std::string expected, std::string found) {
    if (violations_.size() >= kMaxShownViolations) return;
    violations_.push_back({JsonPointer(place), std::string(rule), std::move(expected), std::move(found)});
  }

  // The one that was probably meant, or all.
  static std::string FieldsOf(const Descriptor& message, std::string_view key) {
    std::vector<std::string_view> names;
    names.reserve(static_cast<size_t>(message.field_count()));
    for (int i = 0; i < message.field_count(); ++i) names.emplace_back(message.field(i)->name());
    if (names.empty()) return "no fields at all";
    const std::string_view nearest = text::NearestName(key, names);
    if (!nearest.empty()) return std::string(nearest);
    return absl::StrCat("one of ", absl::StrJoin(names, ", ", AppendName));
  }

  static void AppendName(std::string* out, std::string_view name) { out->append(name); }

  void CheckField(const Json& value, const FieldDescriptor& field, const JsonPlace* place) {
    if (!field.is_repeated()) return CheckValue(value, field, place);
    if (!value.is_array()) return Wrong(place, "type", "a list", KindOf(value));
    size_t index = 0;
    for (const Json& item : value) {
      const JsonPlace here = JsonPlace::Item(place, index++);
      CheckValue(item, field, &here);
    }
  }

  void CheckValue(const Json& value, const FieldDescriptor& field, const JsonPlace* place) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return CheckMessage(value, *field.message_type(), place);
      case FieldDescriptor::CPPTYPE_STRING:
        return CheckText(value, field, place);
      case FieldDescriptor::CPPTYPE_BOOL:
        if (!value.is_boolean()) Wrong(place, "type", "true or false", KindOf(value));
        return;
      case FieldDescriptor::CPPTYPE_ENUM:
        return CheckEnum(value, field, place);
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        if (!value.is_number()) Wrong(place, "type", "a number", KindOf(value));
        return;
      case FieldDescriptor::CPPTYPE_INT32:
        return CheckInteger<int32_t>(value, place);
      case FieldDescriptor::CPPTYPE_UINT32:
        return CheckInteger<uint32_t>(value, place);
      case FieldDescriptor::CPPTYPE_INT64:
        return CheckInteger<int64_t>(value, place);
      case FieldDescriptor::CPPTYPE_UINT64:
        return CheckInteger<uint64_t>(value, place);
    }
  }

  void CheckText(const Json& value, const FieldDescriptor& field, const JsonPlace* place) {
    const bool bytes = field.type() == FieldDescriptor::TYPE_BYTES;
    if (!value.is_string()) return Wrong(place, "type", bytes ? "base64 text" : "a text", KindOf(value));
    std::string decoded;
    const auto& text = value.get_ref<const std::string&>();
    if (bytes && !absl::Base64Unescape(text, &decoded) && !absl::WebSafeBase64Unescape(text, &decoded)) {
      Wrong(place, "format", "base64 text", "other text");
    }
  }

  void CheckEnum(const Json& value, const FieldDescriptor& field, const JsonPlace* place) {
    if (value.is_number_integer()) return CheckInteger<int32_t>(value, place);
    const google::protobuf::EnumDescriptor& type = *field.enum_type();
    if (value.is_string() && type.FindValueByName(value.get_ref<const std::string&>()) != nullptr) return;
    std::vector<std::string> names;
    names.reserve(static_cast<size_t>(type.value_count()));
    for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
    Wrong(place, "enum", absl::StrCat("one of ", absl::StrJoin(names, ", ")), KindOf(value));
  }

  // A whole number in the range of `Integer`, or its digits as text.
  template <typename Integer>
  void CheckInteger(const Json& value, const JsonPlace* place) {
    if (Fits<Integer>(value)) return;
    Wrong(place, "type",
          absl::StrCat("a whole number from ", std::numeric_limits<Integer>::min(), " to ",
                       std::numeric_limits<Integer>::max()),
          KindOf(value));
  }

  template <typename Integer>
  static bool Fits(const Json& value) {
    Integer out = 0;
    if (value.is_string()) return absl::SimpleAtoi(value.get_ref<const std::string&>(), &out);
    if (value.is_number_integer()) return absl::SimpleAtoi(DumpJson(value), &out);
    if (!value.is_number_float()) return false;
    // The first number that is too large. The largest that fits need not be a double: that of 64 bits rounds up.
    constexpr double kEnd = 2.0 * static_cast<double>(uint64_t{1} << (std::numeric_limits<Integer>::digits - 1));
    const auto number = value.get<double>();
    return std::trunc(number) == number && number >= static_cast<double>(std::numeric_limits<Integer>::min()) &&
           number < kEnd;
  }

  template <typename WellKnown>
  void CheckWellKnown(const Json& value, std::string_view example, const JsonPlace* place) {
    WellKnown message;
    if (value.is_string() && JsonToProto(DumpJson(value), {}, message).ok()) return;
    Wrong(place, "format", absl::StrCat("a text like ", ToAbsl(example)), KindOf(value));
  }

  std::vector<Violation> violations_;
};

}  // namespace

const FieldDescriptor* FieldOf(const Descriptor& message, std::string_view name) {
  const std::string text(name);
  if (const FieldDescriptor* field = message.FindFieldByName(text); field != nullptr) return field;
  for (int i = 0; i < message.field_count(); ++i) {
    if (message.field(i)->json_name() == text) return message.field(i);
  }
  return nullptr;
}

std::vector<Violation> CheckFields(const Json& value, const Descriptor& message) {
  FieldChecker checker;
  checker.CheckMessage(value, message, nullptr);
  return std::move(checker).Take();
}

}  // namespace toolgate::services::http
