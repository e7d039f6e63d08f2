// Protobuf messages written as YAML.
#ifndef TOOLGATE_COMMON_YAML_YAML_PROTO_H_
#define TOOLGATE_COMMON_YAML_YAML_PROTO_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace toolgate::yaml {

struct YamlOptions {
  // Values read in all, each use of an alias counted anew.
  size_t max_values = 100'000;
  // Problems told of at most.
  size_t max_problems = 20;
  // When set, "${NAME}" in a text is replaced by what this answers for "NAME"; a variable without a value is a problem.
  // When not set, "${NAME}" stays as it is. Either way "$${" stands for "${".
  std::function<std::optional<std::string>(std::string_view)> environment = nullptr;
  // Extensions that may be written where their message stands, by their names without the package.
  std::vector<const google::protobuf::FieldDescriptor*> extensions = {};
};

// "FILE:LINE:COLUMN" of each value by its path: "server.listen",
// "rate_limiting.tools.create_block.windows[0].max_calls". A map's key that is no plain word is written as
// ["browser.search"].
using YamlPlaces = std::map<std::string, std::string, std::less<>>;

// Reads `text` into `message`, on top of what is there: scalars and lists replace, maps and messages are merged key by
// key. Keys are the names of the fields. Values are typed by their field, strictly: a number is never text nor the
// other way round, a boolean is true or false, an enum value is written with or without its enum's prefix and is never
// the unspecified one, a google.protobuf.Duration is "1h30m" (see common/duration_text.h). A message or map without a
// value is an empty one. A message field with the option `flattened` (toolgate/config/v1/options.proto) is no key
// itself: its fields, and those of its extensions that the options name, are keys of the message around it, whose own
// fields come first. Adds where each value came from to `places`.
//
// INVALID_ARGUMENT with a line "FILE:LINE:COLUMN: path: what is wrong; what would be right" for each problem; `message`
// and `places` are then as they were. Problems quote keys and plain scalars, but nothing that came from the
// environment.
absl::Status MergeYaml(std::string_view file_name, std::string_view text, const YamlOptions& options,
                       google::protobuf::Message& message, YamlPlaces& places);

// `message` as YAML that MergeYaml reads back to the same message. Every field is written, also one that is zero or
// empty, but for messages and extensions that are not set.
std::string ToYaml(const google::protobuf::Message& message);

// `key` as the next step of `path`, in the form of YamlPlaces.
std::string YamlPathOfKey(std::string_view path, std::string_view key);

}  // namespace toolgate::yaml

#endif  // TOOLGATE_COMMON_YAML_YAML_PROTO_H_
