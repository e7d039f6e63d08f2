#include "services/http/query_json.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/hex_digit.h"
#include "common/text/utf8.h"
#include "common/tool_error.h"
#include "services/http/json_fields.h"

namespace toolgate::services::http {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxShownName = 100;

absl::Status WrongParameter(std::string_view name, std::string_view what) {
  const std::string_view shown = text::PrefixOfBytes(name, kMaxShownName);
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("the query parameter \"", ToAbsl(shown), "\" ", ToAbsl(what));
  error.violations.push_back({absl::StrCat("/", ToAbsl(shown)), "query", std::string(what), ""});
  return ToStatus(error);
}

// A switch is written as a word in a query; everything else is a text by the JSON mapping too.
Json ValueOf(const FieldDescriptor& field, std::string text) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL && text == "true") return true;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL && text == "false") return false;
  return text;
}

bool IsPlain(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
         field.message_type()->full_name() == "google.protobuf.Timestamp" ||
         field.message_type()->full_name() == "google.protobuf.Duration";
}

absl::Status AddParameter(const std::string& name, std::string value, const Descriptor& message, Json& object) {
  const Descriptor* type = &message;
  Json* place = &object;
  const std::vector<std::string> path = absl::StrSplit(name, '.');
  for (size_t i = 0;; ++i) {
    const FieldDescriptor* field = FieldOf(*type, path[i]);
    if (field == nullptr) return WrongParameter(name, absl::StrCat("is no field of ", message.full_name()));
    const bool last = i + 1 == path.size();
    if (last != IsPlain(*field) || (!last && field->is_repeated())) {
      return WrongParameter(name, last ? "stands for an object; name its fields, as in caller.user_id"
                                       : "goes into a field that has no fields");
    }
    Json& member = (*place)[field->name()];
    if (!last) {
      if (member.is_null()) member = Json::object();
      type = field->message_type();
      place = &member;
    } else if (field->is_repeated()) {
      member.push_back(ValueOf(*field, std::move(value)));
      return absl::OkStatus();
    } else if (!member.is_null()) {
      return WrongParameter(name, "is given twice");
    } else {
      member = ValueOf(*field, std::move(value));
      return absl::OkStatus();
    }
  }
}

}  // namespace

bool DecodePercent(std::string_view text, bool plus_is_blank, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_blank) {
      c = ' ';
    } else if (c == '%') {
      if (text.size() - i < 3) return false;
      const int high = text::HexDigit(text[i + 1]);
      const int low = text::HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return false;
    out += c;
  }
  return text::IsWellFormedUtf8(out);
}

absl::StatusOr<Json> QueryToJson(std::string_view query, const Descriptor& message) {
  Json object = Json::object();
  for (const auto part : absl::StrSplit(ToAbsl(query), '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    std::string name;
    std::string value;
    if (!DecodePercent(pair.first, true, name) || !DecodePercent(pair.second, true, value)) {
      return WrongParameter(pair.first, "is not percent-encoded UTF-8");
    }
    RETURN_IF_ERROR(AddParameter(name, std::move(value), message, object));
  }
  return object;
}

}  // namespace toolgate::services::http
