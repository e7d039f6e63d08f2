// The YAML before a Mermaid diagram.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FRONT_MATTER_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FRONT_MATTER_H_

#include <string_view>

namespace toolgate::executors::artifacts::checks::mermaid {

// Whether `yaml` is of a plain form that every reader takes: lines "key: value", nested by indentation, each key once.
bool IsPlainYaml(std::string_view yaml);
// Whether all colours of a theme in front matter or a directive are such as "#ff8000".
bool HasPlainTheme(std::string_view settings);

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FRONT_MATTER_H_
