#include "executors/blocks/date_filter.h"

#include <utility>

namespace toolgate::executors::blocks {
namespace {

using storage::Filter;
using Op = storage::Filter::Op;

// Stored days have 10 characters, instants 20.
constexpr int kDayCharacters = 10;
constexpr int kInstantCharacters = 20;

}  // namespace

Filter DateFilter::Days(Op op, absl::CivilDay day) const {
  return Filter::And({Filter::Compare(storage::Field::Data(path_), Op::kLengthEquals, kDayCharacters),
                      Filter::Compare(storage::Field::Data(path_), op, FormatDay(day))});
}

Filter DateFilter::Instants(Op op, absl::Time instant) const {
  return Filter::And({Filter::Compare(storage::Field::Data(path_), Op::kLengthEquals, kInstantCharacters),
                      Filter::Compare(storage::Field::Data(path_), op, FormatInstant(instant))});
}

Filter DateFilter::Before(const DateOrTime& limit) const {
  if (!limit.is_instant) {
    return Filter::Or({Days(Op::kLessThan, limit.day), Instants(Op::kLessThan, StartOfDay(limit.day, zone_))});
  }
  const absl::CivilDay day = absl::ToCivilDay(limit.instant, zone_);
  const bool started = StartOfDay(day, zone_) < limit.instant;
  return Filter::Or({Days(started ? Op::kLessOrEqual : Op::kLessThan, day), Instants(Op::kLessThan, limit.instant)});
}

Filter DateFilter::After(const DateOrTime& limit) const {
  if (!limit.is_instant) {
    return Filter::Or(
        {Days(Op::kGreaterThan, limit.day), Instants(Op::kGreaterOrEqual, StartOfDay(limit.day + 1, zone_))});
  }
  const absl::CivilDay day = absl::ToCivilDay(limit.instant, zone_);
  return Filter::Or({Days(Op::kGreaterThan, day), Instants(Op::kGreaterThan, limit.instant)});
}

Filter DateFilter::Equals(const DateOrTime& value) const {
  if (value.is_instant) return Instants(Op::kEquals, value.instant);
  return Within(value.day, value.day);
}

Filter DateFilter::Within(absl::CivilDay first, absl::CivilDay last) const {
  return Filter::Or({Filter::And({Days(Op::kGreaterOrEqual, first), Days(Op::kLessOrEqual, last)}),
                     Filter::And({Instants(Op::kGreaterOrEqual, StartOfDay(first, zone_)),
                                  Instants(Op::kLessThan, StartOfDay(last + 1, zone_))})});
}

}  // namespace toolgate::executors::blocks
