// The rules of a calendar event's data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_
#define TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// The most days by which an occurrence of an event that recurs outlasts its first one: a longer one would hide the
// next.
inline constexpr int kMaxSeriesSpanDays = 366;

// Brings a whole event's data, whose members have passed their checks, into the form on which all readers rely:
//   - it ends after it begins; endDate is there only when it is another day than date; endTime needs time;
//   - date of one that recurs is a day of its recurrence: it moves on to the first one, and endDate with it;
//   - recurrenceEnd is the last day of the recurrence, absent when that goes on for ever, so that a store can pass over
//     what has ended and COUNT need not be counted again;
//   - recurrenceEnd and exceptions stand only beside recurrence, and recurrence never beside recurrenceId.
// INVALID_PARAMS naming the place below `path` and what would be right; so for a recurrence without a single day.
absl::Status SettleEvent(std::string_view path, Json& data);

// A block with recurrenceId is a changed occurrence: it lies in an event that recurs, the only one for its day. `self`
// is its own id, empty before it has one. INVALID_PARAMS or CONFLICT otherwise.
absl::Status CheckChangedOccurrence(const Json& data, const storage::Block* parent, std::string_view self,
                                    storage::ReadView& view);

absl::StatusOr<bool> IsChangedOccurrence(const storage::Block& block);

// For an event that recurs no more: its changed occurrences become events of their own, below it.
absl::Status FreeChangedOccurrences(const storage::Block& event, storage::Transaction& transaction);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_
