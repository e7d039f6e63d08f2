// Streams and environment of the process, injected so that a test can act as a person at a terminal.
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

// Borrows all references. Not thread-safe.
struct Terminal {
  std::istream& in;
  std::ostream& out;  // Results, and nothing else.
  std::ostream& err;  // Errors, warnings, questions and progress.
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 80;  // Columns of `out`; tables are cut to it only if `out` is a terminal.
  std::function<std::optional<std::string>(std::string_view name)> environment;
  const Clock& clock;

  bool colour_out() const { return out_is_terminal && !no_colour(); }
  bool colour_err() const { return err_is_terminal && !no_colour(); }

  // The process's own streams and environment.
  static Terminal Real();

 private:
  // https://no-color.org: any non-empty value turns colour off.
  bool no_colour() const;
};

// Meanings of colours. `Paint` returns `text` unchanged if `on` is false.
enum class Style { kBold, kDim, kGood, kBad, kWarning };
std::string Paint(std::string_view text, Style style, bool on);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_TERMINAL_H_
