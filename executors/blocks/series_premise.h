// Assumptions of a change about a series that it did not change, so that its undo can tell whether they still hold.
//
// A changed occurrence is identified by its day, which means something else once the series was moved: the occurrence
// of the third of December is now that of the fourth. The blocks of an undo entry do not show this, and often do not
// include the series. So the assumptions of the entry's undo are recorded next to them, as an effect of kind
// kSeriesEffect.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_SERIES_PREMISE_H_
#define TOOLGATE_EXECUTORS_BLOCKS_SERIES_PREMISE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/blocks/series_days.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Needs no reversal of its own: Revert (integrity.h) reads it.
inline constexpr std::string_view kSeriesEffect = "series";

// Records premises before the change. Borrows the transaction; created for one call.
class PremiseRecorder {
 public:
  explicit PremiseRecorder(storage::Transaction& transaction) : transaction_(transaction) {}

  // `block` will be deleted or moved elsewhere. Does nothing unless it is a changed occurrence.
  absl::Status BeforeGoing(const storage::Block& block);
  // An event's data will change from `before` to `after`.
  absl::Status BeforeUpdate(const storage::Block& event, const Json& before, const Json& after);

 private:
  struct Noted {
    int64_t version = 0;
    std::string date;
    SeriesDays days;
  };

  // Records, for the occurrence, the series' date, and whether its own day is none of the series'.
  absl::Status NoteOccurrence(const storage::Block& block, const Json& data);
  // Records, for the series, the changed occurrences that will no longer fit its days although they were not touched
  // themselves. With another date that is all of them.
  absl::Status NoteSeries(const storage::Block& event, const Json& before, const Json& after);
  absl::Status Record(std::string_view series_id, std::string_view date, Json occurrences);

  storage::Transaction& transaction_;
  std::map<std::string, Noted, std::less<>> noted_;  // Series that were looked at.
};

// The premises of one undo entry.
class SeriesPremises {
 public:
  static absl::StatusOr<SeriesPremises> Parse(const std::vector<storage::Effect>& effects);

  // The day from which the series counted; empty if the entry does not say, as in earlier releases.
  std::string_view DateOf(std::string_view series_id) const;
  // True if the block was the changed occurrence of that day already, on the series' days or not.
  bool Stood(std::string_view block_id, std::string_view day) const;

 private:
  std::map<std::string, std::string, std::less<>> dates_;
  std::set<std::string, std::less<>> stood_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_SERIES_PREMISE_H_
