#include "services/app/fixed_settings.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/util/message_differencer.h"

namespace toolgate::services::app {
namespace {

using config::v1::Config;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// Sections that hold as a whole, and single settings of others.
constexpr std::string_view kFixed[] = {"server",
                                       "storage",
                                       "audit",
                                       "sql",
                                       "rate_limiting.max_tracked_users",
                                       "execution_tracking.max_tracked_requests",
                                       "execution_tracking.max_in_flight",
                                       "execution_tracking.max_in_flight_by_module",
                                       "execution_tracking.max_queued",
                                       "confirmation.critical_fields",
                                       "logging.format"};

void AddIfChanged(const Message& at_start, const Message& now, const FieldDescriptor* field, const std::string& path,
                  std::vector<std::string>& changed) {
  if (!MessageDifferencer().CompareWithFields(at_start, now, {field}, {field})) changed.push_back(path);
}

}  // namespace

std::vector<std::string> ChangedFixedSettings(const Config& at_start, const Config& now) {
  std::vector<std::string> changed;
  for (const std::string_view path : kFixed) {
    const size_t dot = path.find('.');
    const FieldDescriptor* section = Config::descriptor()->FindFieldByName(std::string(path.substr(0, dot)));
    const Message& before = at_start.GetReflection()->GetMessage(at_start, section);
    const Message& after = now.GetReflection()->GetMessage(now, section);
    const Descriptor* settings = section->message_type();
    if (dot != std::string_view::npos) {
      AddIfChanged(before, after, settings->FindFieldByName(std::string(path.substr(dot + 1))), std::string(path),
                   changed);
      continue;
    }
    for (int i = 0; i < settings->field_count(); ++i) {
      const FieldDescriptor* field = settings->field(i);
      AddIfChanged(before, after, field, absl::StrCat(section->name(), ".", field->name()), changed);
    }
  }
  return changed;
}

}  // namespace toolgate::services::app
