#include "cli/progress_bar.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace toolgate::cli {
namespace {

constexpr absl::Duration kRedraw = absl::Milliseconds(100);
constexpr int kBarWidth = 24;
constexpr std::string_view kClearLine = "\r\x1b[K";

std::string Bar(double fraction) {
  const int full = static_cast<int>(fraction * kBarWidth);
  std::string bar = "[";
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? '#' : '.';
  return bar + "]";
}

}  // namespace

ProgressBar::ProgressBar(const Terminal& terminal, bool wanted, std::string verb, std::string unit)
    : terminal_(terminal),
      shown_(wanted && terminal.err_is_terminal),
      verb_(std::move(verb)),
      unit_(std::move(unit)),
      start_(terminal.clock.Monotonic()) {}

ProgressBar::~ProgressBar() {
  if (shown_) terminal_.err << kClearLine << std::flush;
}

void ProgressBar::Update(int64_t done, double fraction) {
  if (!shown_) return;
  const absl::Duration now = terminal_.clock.Monotonic();
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  terminal_.err << kClearLine << Line(done, fraction) << std::flush;
}

std::string ProgressBar::Line(int64_t done, double fraction) const {
  const double seconds = absl::ToDoubleSeconds(terminal_.clock.Monotonic() - start_);
  std::string line = absl::StrCat(verb_, " ");
  if (fraction >= 0) absl::StrAppend(&line, Bar(std::min(fraction, 1.0)), " ");
  absl::StrAppend(&line, Amount(static_cast<double>(done)), " ", unit_ == "bytes" ? "MiB" : unit_);
  if (seconds > 0) absl::StrAppend(&line, ", ", Amount(static_cast<double>(done) / seconds), "/s");
  if (fraction >= 0) absl::StrAppendFormat(&line, ", %d %%", static_cast<int>(std::min(fraction, 1.0) * 100));
  if (fraction > 0 && fraction < 1 && seconds > 0) {
    const absl::Duration left = absl::Seconds(seconds * (1 - fraction) / fraction);
    absl::StrAppend(&line, ", ", absl::FormatDuration(absl::Ceil(left, absl::Seconds(1))), " left");
  }
  return line;
}

std::string ProgressBar::Amount(double amount) const {
  if (unit_ == "bytes") return absl::StrFormat("%.1f", amount / (1 << 20));
  return absl::StrFormat("%d", static_cast<int64_t>(amount));
}

}  // namespace toolgate::cli
