// Conditions on a stored date, which is a day or an instant (common/dates.h).
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DATE_FILTER_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DATE_FILTER_H_

#include <string>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "common/dates.h"
#include "storage/query.h"

namespace toolgate::executors::blocks {

// Each condition holds for stored days and for stored instants alike; `zone` says when a day starts. `path` leads to
// the field in the data.
class DateFilter {
 public:
  DateFilter(std::vector<std::string> path, absl::TimeZone zone) : path_(std::move(path)), zone_(zone) {}

  // Starts before `limit`.
  storage::Filter Before(const DateOrTime& limit) const;
  // Starts after `limit`; after a day means from the next day on.
  storage::Filter After(const DateOrTime& limit) const;
  // The same instant; for a day: that day, or an instant within it.
  storage::Filter Equals(const DateOrTime& value) const;
  // On one of the days, both included.
  storage::Filter Within(absl::CivilDay first, absl::CivilDay last) const;

 private:
  storage::Filter Days(storage::Filter::Op op, absl::CivilDay day) const;
  storage::Filter Instants(storage::Filter::Op op, absl::Time instant) const;

  std::vector<std::string> path_;
  absl::TimeZone zone_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATE_FILTER_H_
