// A text that is read as a temporal value is written and read back as the same; the value can be cut, moved and
// measured.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "executors/cypher/temporal/arithmetic.h"
#include "executors/cypher/temporal/between.h"
#include "executors/cypher/temporal/parse.h"
#include "executors/cypher/temporal/truncate.h"

namespace {

using namespace toolgate::executors::cypher::temporal;

void CheckReadBack(const Temporal& value) {
  const absl::StatusOr<Temporal> again = Parse(KindOf(value), ToString(value));
  if (!again.ok() || !(*again == value)) std::abort();
}

void UseDuration(const Temporal& value) {
  const Duration& duration = std::get<Duration>(value);
  static_cast<void>(duration.Times(-0.7));
  static_cast<void>(duration.DividedBy(int64_t{-3}));
  for (const Temporal& start : {Temporal(Date()), Temporal(LocalTime()), Temporal(DateTime())}) {
    static_cast<void>(Add(start, value));
    static_cast<void>(Subtract(start, value));
  }
}

void UseInstant(const Temporal& value) {
  for (const char* unit : {"millennium", "weekYear", "quarter", "week", "hour", "microsecond"}) {
    static_cast<void>(Truncate(KindOf(value), unit, value, {}));
  }
  const absl::StatusOr<Duration> way = Between(value, DateTime());
  const absl::StatusOr<Duration> back = InSeconds(DateTime(), value);
  if (way.ok() && back.ok()) static_cast<void>(way->Plus(*back));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Kind kind :
       {Kind::kDate, Kind::kLocalTime, Kind::kTime, Kind::kLocalDateTime, Kind::kDateTime, Kind::kDuration}) {
    const absl::StatusOr<Temporal> value = Parse(kind, text);
    if (!value.ok()) continue;
    CheckReadBack(*value);
    kind == Kind::kDuration ? UseDuration(*value) : UseInstant(*value);
  }
  return 0;
}
