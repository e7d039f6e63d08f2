// The process's surroundings, injected so that a test can stand in for a person at a terminal.
#ifndef TOOLGATE_CLI_TERMINAL_H_
#define TOOLGATE_CLI_TERMINAL_H_

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "common/clock.h"

namespace toolgate::cli {

// Borrows everything it refers to. Not thread-safe.
struct Terminal {
  std::istream& in;
  std::ostream& out;  // Results, and nothing else.
  std::ostream& err;  // Errors, warnings, questions and progress.
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 80;  // Columns of `out`; tables are cut to it only where `out` is a terminal.
  std::function<std::optional<std::string>(std::string_view name)> environment;
  const Clock& clock;

  bool colour_out() const { return out_is_terminal && !no_colour(); }
  bool colour_err() const { return err_is_terminal && !no_colour(); }

  // The process's own streams and environment.
  static Terminal Real();

 private:
  // https://no-color.org: any value but the empty one turns colour off.
  bool no_colour() const;
};

// What the colours mean. `Paint` answers `text` unchanged when `on` is false.
enum class Style { kBold, kDim, kGood, kBad, kWarning };
std::string Paint(std::string_view text, Style style, bool on);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_TERMINAL_H_
