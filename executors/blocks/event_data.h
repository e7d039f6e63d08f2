// The rules of a calendar event's data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_
#define TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Maximum number of days by which an occurrence of a recurring event may extend beyond its first day; a longer one
// would hide the next.
inline constexpr int kMaxSeriesSpanDays = 366;

// Brings a whole event's data, whose members have passed their checks, into the form on which all readers rely:
//   - it ends after it begins; endDate is there only when it is another day than date; endTime needs time;
//   - date of a recurring event is a day of its recurrence: it moves on to the first such day, and endDate with it;
//   - recurrenceEnd is the last day of the recurrence, absent if it is endless, so that a store can skip past events
//     without counting COUNT again;
//   - recurrenceEnd and exceptions occur only with recurrence, and recurrence never with recurrenceId.
// INVALID_PARAMS naming the place below `path` and what would be right; also for a recurrence without any day.
absl::Status SettleEvent(std::string_view path, Json& data);

// A block with recurrenceId is a changed occurrence: it lies in a recurring event, as the only one for its day. `self`
// is its own id, empty before it has one. INVALID_PARAMS or CONFLICT otherwise.
absl::Status CheckChangedOccurrence(const Json& data, const storage::Block* parent, std::string_view self,
                                    storage::ReadView& view);

absl::StatusOr<bool> IsChangedOccurrence(const storage::Block& block);

// For an event that no longer recurs: its changed occurrences become events of their own, below it.
absl::Status FreeChangedOccurrences(const storage::Block& event, storage::Transaction& transaction);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_EVENT_DATA_H_
