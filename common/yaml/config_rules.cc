#include "common/yaml/config_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/proto_time.h"
#include "common/yaml/yaml_proto.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/reflection.h"
#include "google/protobuf/util/message_differencer.h"
#include "toolgate/config/v1/options.pb.h"

namespace toolgate::yaml {
namespace {

using config::v1::DurationRange;
using config::v1::IntegerRange;
using config::v1::NumberRange;
using google::protobuf::Duration;
using google::protobuf::FieldDescriptor;
using google::protobuf::FieldOptions;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::MessageDifferencer;

// The index of a value that is no item of a list.
constexpr int kSingle = -1;

bool IsSection(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field.message_type() != Duration::descriptor();
}

// The fields of the message's type, then those of its extensions that are set.
std::vector<const FieldDescriptor*> FieldsOf(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  fields.reserve(static_cast<size_t>(message.GetDescriptor()->field_count()));
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) fields.push_back(message.GetDescriptor()->field(i));
  std::vector<const FieldDescriptor*> set;
  message.GetReflection()->ListFields(message, &set);
  std::copy_if(set.begin(), set.end(), std::back_inserter(fields),
               [](const auto* field) { return field->is_extension(); });
  return fields;
}

std::string PathOf(std::string_view path, const FieldDescriptor& field) {
  if (field.options().GetExtension(config::v1::flattened)) return std::string(path);
  return path.empty() ? field.name() : absl::StrCat(ToAbsl(path), ".", field.name());
}

class RangeCheck {
 public:
  explicit RangeCheck(ReportProblem report) : report_(report) {}

  void CheckMessage(const Message& message, const std::string& path) const {
    for (const FieldDescriptor* field : FieldsOf(message)) CheckField(message, *field, PathOf(path, *field));
  }

 private:
  void CheckField(const Message& message, const FieldDescriptor& field, const std::string& path) const {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_map()) return CheckMap(message, field, path);
    if (!field.is_repeated()) return CheckValue(message, field, kSingle, field.options(), path);
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      CheckValue(message, field, i, field.options(), absl::StrCat(path, "[", i, "]"));
    }
  }

  void CheckSetFields(const Message& message, const std::string& path) const {
    std::vector<const FieldDescriptor*> set;
    message.GetReflection()->ListFields(message, &set);
    for (const FieldDescriptor* field : set) CheckField(message, *field, PathOf(path, *field));
  }

  // By key, so that problems come in the same order each time.
  void CheckMap(const Message& message, const FieldDescriptor& field, const std::string& path) const {
    const Reflection& reflection = *message.GetReflection();
    if (field.message_type()->map_key()->cpp_type() != FieldDescriptor::CPPTYPE_STRING) return;
    std::map<std::string, const Message*> entries;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      entries[entry.GetReflection()->GetString(entry, field.message_type()->map_key())] = &entry;
    }
    for (const auto& [key, entry] : entries) {
      CheckValue(*entry, *field.message_type()->map_value(), kSingle, field.options(), YamlPathOfKey(path, key));
    }
  }

  void CheckValue(const Message& message, const FieldDescriptor& field, int index, const FieldOptions& options,
                  const std::string& path) const {
    if (IsSection(field)) {
      const Message& section = MessageOf(message, field, index);
      return options.GetExtension(config::v1::partial) ? CheckSetFields(section, path) : CheckMessage(section, path);
    }
    if (options.HasExtension(config::v1::integer_range)) {
      CheckInteger(IntegerOf(message, field, index), options.GetExtension(config::v1::integer_range), path);
    } else if (options.HasExtension(config::v1::number_range)) {
      CheckNumber(NumberOf(message, field, index), options.GetExtension(config::v1::number_range), path);
    } else if (options.HasExtension(config::v1::duration_range)) {
      Duration duration;
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) duration.CopyFrom(MessageOf(message, field, index));
      CheckDuration(FromProtoDuration(duration), options.GetExtension(config::v1::duration_range), path);
    }
  }

  void CheckInteger(std::optional<int64_t> value, const IntegerRange& range, const std::string& path) const {
    if (!value.has_value()) return report_(path, "has an integer_range and is no signed integer");
    if (*value >= range.min() && *value <= range.max()) return;
    const bool advise = *value < range.min() && !range.advice_below().empty();
    report_(path, absl::StrCat("is ", *value, "; must be from ", range.min(), " to ", range.max(), advise ? "; " : "",
                               advise ? range.advice_below() : ""));
  }

  void CheckNumber(std::optional<double> value, const NumberRange& range, const std::string& path) const {
    if (!value.has_value()) return report_(path, "has a number_range and is no double");
    if (*value > range.above() && *value <= range.max()) return;
    report_(path, absl::StrCat("is ", *value, "; must be above ", range.above(), " and at most ", range.max()));
  }

  void CheckDuration(absl::Duration value, const DurationRange& range, const std::string& path) const {
    const std::optional<absl::Duration> min = ParseDurationText(range.min());
    const std::optional<absl::Duration> max = ParseDurationText(range.max());
    if (!min.has_value() || !max.has_value()) return report_(path, "has a duration_range that is no two durations");
    if (value >= *min && value <= *max) return;
    report_(path, absl::StrCat("is ", DurationText(value), "; must be from ", range.min(), " to ", range.max()));
  }

  static const Message& MessageOf(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& reflection = *message.GetReflection();
    return index == kSingle ? reflection.GetMessage(message, &field)
                            : reflection.GetRepeatedMessage(message, &field, index);
  }

  static std::optional<int64_t> IntegerOf(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& from = *message.GetReflection();
    const bool single = index == kSingle;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return single ? from.GetInt32(message, &field) : from.GetRepeatedInt32(message, &field, index);
      case FieldDescriptor::CPPTYPE_INT64:
        return single ? from.GetInt64(message, &field) : from.GetRepeatedInt64(message, &field, index);
      default:
        return std::nullopt;
    }
  }

  static std::optional<double> NumberOf(const Message& message, const FieldDescriptor& field, int index) {
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE) return std::nullopt;
    const Reflection& from = *message.GetReflection();
    return index == kSingle ? from.GetDouble(message, &field) : from.GetRepeatedDouble(message, &field, index);
  }

  const ReportProblem report_;
};

bool Differs(const Message& at_start, const Message& now, const FieldDescriptor& field) {
  return !MessageDifferencer().CompareWithFields(at_start, now, {&field}, {&field});
}

void AddChanged(const Message& at_start, const Message& now, const std::string& path, bool fixed,
                std::vector<std::string>& changed) {
  std::vector<const FieldDescriptor*> fields = FieldsOf(at_start);
  for (const FieldDescriptor* field : FieldsOf(now)) {
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  }
  for (const FieldDescriptor* field : fields) {
    const bool fixed_here = fixed || field->options().GetExtension(config::v1::fixed_until_restart);
    const std::string path_here = PathOf(path, *field);
    if (IsSection(*field) && !field->is_repeated()) {
      AddChanged(at_start.GetReflection()->GetMessage(at_start, field), now.GetReflection()->GetMessage(now, field),
                 path_here, fixed_here, changed);
    } else if (fixed_here && Differs(at_start, now, *field)) {
      changed.push_back(path_here);
    }
  }
}

}  // namespace

void CheckRanges(const Message& message, std::string_view path, ReportProblem report) {
  RangeCheck(report).CheckMessage(message, std::string(path));
}

std::vector<std::string> ChangedFixedSettings(const Message& at_start, const Message& now) {
  std::vector<std::string> changed;
  AddChanged(at_start, now, "", false, changed);
  return changed;
}

}  // namespace toolgate::yaml
