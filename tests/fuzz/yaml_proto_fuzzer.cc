// Any bytes as a configuration file: an answer, never a crash; and every accepted file prints and reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "common/yaml/yaml_proto.h"
#include "google/protobuf/util/message_differencer.h"
#include "toolgate/config/v1/config.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  toolgate::yaml::YamlOptions options;
  options.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "UNSET") return std::nullopt;
    return std::string(name);
  };
  toolgate::config::v1::Config config;
  toolgate::yaml::YamlPlaces places;
  if (!toolgate::yaml::MergeYaml("fuzz", text, options, config, places).ok()) return 0;
  const std::string printed = toolgate::yaml::ToYaml(config);
  toolgate::config::v1::Config again;
  const absl::Status status = toolgate::yaml::MergeYaml("again", printed, options, again, places);
  // Printing names every field, so that a large file may come out too large.
  if (printed.size() > (size_t{1} << 20)) return 0;
  if (!status.ok() || !google::protobuf::util::MessageDifferencer::Equivalent(config, again)) {
    std::cerr << status << "\n" << printed;
    std::abort();
  }
  return 0;
}
