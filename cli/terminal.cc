#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::cli {
namespace {

constexpr int kDefaultWidth = 80;

int WidthOf(int descriptor) {
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return size.ws_col;
}

std::optional<std::string> RealEnvironment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string_view Sequence(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kWarning:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

Terminal Terminal::Real() {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  return Terminal{.in = std::cin,
                  .out = std::cout,
                  .err = std::cerr,
                  .in_is_terminal = isatty(STDIN_FILENO) == 1,
                  .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                  .err_is_terminal = isatty(STDERR_FILENO) == 1,
                  .width = WidthOf(STDOUT_FILENO),
                  .environment = RealEnvironment,
                  .clock = Clock::Real()};
}

bool Terminal::no_colour() const {
  if (!environment) return false;
  const std::optional<std::string> no_color = environment("NO_COLOR");
  if (no_color.has_value() && !no_color->empty()) return true;
  return environment("TERM") == "dumb";
}

std::string Paint(std::string_view text, Style style, bool on) {
  if (!on) return std::string(text);
  return absl::StrCat(ToAbsl(Sequence(style)), ToAbsl(text), "\x1b[0m");
}

}  // namespace toolgate::cli
