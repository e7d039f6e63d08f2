// Flags and arguments of a command, declared as data: parsed by cli/command_line.cc, shown by cli/help.cc.
#ifndef TOOLGATE_CLI_FLAG_SET_H_
#define TOOLGATE_CLI_FLAG_SET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"

namespace toolgate::cli {

// One flag or positional argument. The target's initial value is the default.
struct FlagRow {
  std::string name;         // "--dry-run"; for a positional argument its placeholder, "TOOL".
  std::string placeholder;  // Name of the value in help texts: "FILE"; empty for a switch.
  std::string help;
  std::variant<bool*, std::string*, std::optional<std::string>*, int64_t*, absl::Duration*, std::vector<std::string>*>
      target;
  std::vector<std::string> choices;  // The only allowed values; empty: any.
  std::string environment;           // Variable that is used if the flag is missing; may be empty.
  bool positional = false;
  bool required = false;
  bool not_empty = false;  // Refuses the empty text, which would be a mistake.
};

// Targets are borrowed and must outlive the parse.
class FlagSet {
 public:
  // Declares a flag without a value.
  void Switch(std::string_view name, bool* target, std::string_view help) {
    rows_.push_back({std::string(name), "", std::string(help), target, {}, "", false, false, false});
  }

  // Declares a flag with a value: text (optional if the empty text is a valid value), a whole number, a duration
  // ("90s", "5m"), or a list that grows with each use.
  template <typename T>
  FlagRow& Value(std::string_view name, std::string_view placeholder, T* target, std::string_view help) {
    rows_.push_back(
        {std::string(name), std::string(placeholder), std::string(help), target, {}, "", false, false, false});
    return rows_.back();
  }

  // Declares a positional argument. Arguments are assigned in the order of declaration; required ones must come first.
  FlagRow& Argument(std::string_view placeholder, std::string* target, std::string_view help, bool required = true) {
    rows_.push_back(
        {std::string(placeholder), std::string(placeholder), std::string(help), target, {}, "", true, required, false});
    return rows_.back();
  }

  const std::vector<FlagRow>& rows() const { return rows_; }

 private:
  std::vector<FlagRow> rows_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_FLAG_SET_H_
