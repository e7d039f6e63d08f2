// What a command takes, declared once as data: parsed by cli/command_line.cc, shown by cli/help.cc.
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

// One flag or positional argument. The target's present value is the default.
struct FlagRow {
  std::string name;         // "--dry-run"; for a positional argument its placeholder, "TOOL".
  std::string placeholder;  // What the value is, for people: "FILE"; empty for a switch.
  std::string help;
  std::variant<bool*, std::string*, std::optional<std::string>*, int64_t*, absl::Duration*, std::vector<std::string>*>
      target;
  std::vector<std::string> choices;  // The only allowed values; empty: any.
  std::string environment;           // The variable that gives the value where the flag does not; may be empty.
  bool positional = false;
  bool required = false;
  bool not_empty = false;  // The empty text is no value, and whoever gives it meant another.
};

// Targets are borrowed and must outlive the parse.
class FlagSet {
 public:
  // A switch that needs no value.
  void Switch(std::string_view name, bool* target, std::string_view help) {
    rows_.push_back({std::string(name), "", std::string(help), target, {}, "", false, false, false});
  }

  // A flag with a value: text (optional where the empty text is a value, too), a whole number, a duration ("90s",
  // "5m"), or a list that grows with each use.
  template <typename T>
  FlagRow& Value(std::string_view name, std::string_view placeholder, T* target, std::string_view help) {
    rows_.push_back(
        {std::string(name), std::string(placeholder), std::string(help), target, {}, "", false, false, false});
    return rows_.back();
  }

  // An argument without a name; they are taken in the order of their declaration, required ones first.
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
