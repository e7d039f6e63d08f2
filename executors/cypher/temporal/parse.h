#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_PARSE_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_PARSE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

// The value that a text in ISO 8601 denotes, in the basic or the extended form. Dates by calendar, week (2015-W30-2),
// quarter (2015-Q2-60) or day of the year (2015-202), where the end may be missing; years of more than four digits with
// a sign. A date and time may lack the time; a datetime's zone is an offset, a name in brackets, or both if they agree,
// and UTC when it is missing. Durations by units or as a date and time after the P. InvalidValue when the text denotes
// no such value.
absl::StatusOr<Temporal> Parse(Kind kind, std::string_view text);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_PARSE_H_
