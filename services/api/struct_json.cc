#include "services/api/struct_json.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "google/protobuf/struct.pb.h"

namespace toolgate::services::api {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

// Messages nest no deeper than gRPC reads them (100 levels), so neither does this.
class StructWriter {
 public:
  absl::Status Append(const Struct& object, const std::string& path) {
    char separator = '{';
    for (const auto& [key, value] : object.fields()) {
      text_ += separator;
      separator = ',';
      AppendJsonString(key, text_);
      text_ += ':';
      RETURN_IF_ERROR(Append(value, absl::StrCat(path, "/", EscapePointerToken(key))));
    }
    text_ += separator == '{' ? "{}" : "}";
    return absl::OkStatus();
  }

  std::string TakeText() { return std::move(text_); }

 private:
  static absl::Status Refuse(const std::string& path, std::string_view expected, std::string_view found) {
    ToolError error;
    error.code = ErrorCode::kInvalidParams;
    error.message = absl::StrCat("arguments", path, ": expected ", ToAbsl(expected), ", found ", ToAbsl(found));
    error.violations.push_back({path, "type", std::string(expected), std::string(found)});
    return ToStatus(error);
  }

  absl::Status Append(const ListValue& list, const std::string& path) {
    text_ += '[';
    for (int i = 0; i < list.values_size(); ++i) {
      if (i > 0) text_ += ',';
      RETURN_IF_ERROR(Append(list.values(i), absl::StrCat(path, "/", i)));
    }
    text_ += ']';
    return absl::OkStatus();
  }

  absl::Status Append(double number, const std::string& path) {
    constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
    if (!std::isfinite(number)) return Refuse(path, "a number of JSON", std::isnan(number) ? "NaN" : "an infinity");
    if (number == std::trunc(number) && std::abs(number) <= kExactIntegers) {
      absl::StrAppend(&text_, static_cast<int64_t>(number));
    } else {
      text_ += DumpJson(Json(number));
    }
    return absl::OkStatus();
  }

  absl::Status Append(const Value& value, const std::string& path) {
    switch (value.kind_case()) {
      case Value::kNullValue:
        text_ += "null";
        return absl::OkStatus();
      case Value::kNumberValue:
        return Append(value.number_value(), path);
      case Value::kStringValue:
        AppendJsonString(value.string_value(), text_);
        return absl::OkStatus();
      case Value::kBoolValue:
        text_ += value.bool_value() ? "true" : "false";
        return absl::OkStatus();
      case Value::kStructValue:
        return Append(value.struct_value(), path);
      case Value::kListValue:
        return Append(value.list_value(), path);
      case Value::KIND_NOT_SET:
        break;
    }
    return Refuse(path, "a value", "a google.protobuf.Value without a kind");
  }

  std::string text_;
};

}  // namespace

absl::StatusOr<std::string> StructToJson(const Struct& value) {
  StructWriter writer;
  RETURN_IF_ERROR(writer.Append(value, ""));
  return writer.TakeText();
}

}  // namespace toolgate::services::api
