#include "cli/load/live_line.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cli/load/report/format.h"
#include "cli/printable.h"

namespace toolgate::cli::load {
namespace {

constexpr double kRedrawSeconds = 0.5;
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

LiveLine::LiveLine(const Terminal& terminal, bool wanted)
    : terminal_(terminal), shown_(wanted && terminal.err_is_terminal) {}

LiveLine::~LiveLine() {
  if (shown_) terminal_.err << kClearLine << std::flush;
}

void LiveLine::Add(const stats::Interval& piece) {
  undrawn_.Merge(piece);
  undrawn_seconds_ += piece.end - piece.begin;
  in_flight_ = piece.in_flight;
  errors_ += piece.unexpected;
}

void LiveLine::Draw(const Moment& moment) {
  if (!shown_ || undrawn_seconds_ <= 0 || moment.now - drawn_at_ < kRedrawSeconds) return;
  const auto quantile = [&](double share) {
    return report::FormatSeconds(static_cast<double>(undrawn_.latency.Quantile(share)) * 1e-9);
  };
  const std::string line = absl::StrCat(
      moment.stopped   ? "ending"
      : moment.warm_up ? "warming up"
                       : "measuring",
      "  ", static_cast<int64_t>(moment.now), moment.end > 0 ? absl::StrCat("/", static_cast<int64_t>(moment.end)) : "",
      " s  ", report::FormatRate(static_cast<double>(undrawn_.completed) / undrawn_seconds_), "/s  p50 ", quantile(0.5),
      "  p99 ", quantile(0.99), "  in flight ", in_flight_, "  errors ", report::FormatCount(errors_));
  terminal_.err << kClearLine << CutToWidth(line, terminal_.width - 1) << std::flush;
  drawn_at_ = moment.now;
  undrawn_ = stats::Interval();
  undrawn_seconds_ = 0;
}

}  // namespace toolgate::cli::load
