// Fields of each type of blocks that an index has.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DECLARED_FIELDS_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DECLARED_FIELDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "storage/declared_fields.h"
#include "storage/query.h"

namespace toolgate::executors::blocks {

// The fields by which tools filter and sort: of tasks, boards, events, notes, journal entries and rows of databases.
const storage::DeclaredFields& BlockFields();

// The days on which an event may have to be known: those of an event that does not recur, those from the first to the
// last occurrence of a series, and for a changed occurrence also those that it left. Nothing for data without a day.
void EventDays(std::string_view data, std::vector<storage::DaySpan>& spans);
// Matches events that have one of these days.
storage::Filter OnDays(const storage::DaySpan& days);

// The due date of a task that is not done: "d" and its day, or "i" and its instant. Empty for other data.
std::string OpenDue(std::string_view data);
// Matches tasks that are not done and were due before that day, or before that instant.
storage::Filter OpenAndDueBefore(absl::CivilDay day, absl::Time instant);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DECLARED_FIELDS_H_
