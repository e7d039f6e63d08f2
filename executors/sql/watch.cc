#include "executors/sql/watch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"

namespace toolgate::executors::sql {

Watch::Watch(const Clock& clock, const Cancellation& cancellation, absl::Duration max_time)
    : clock_(clock),
      cancellation_(cancellation),
      max_time_(max_time),
      end_(clock.Monotonic() + max_time),
      stack_(kMaxStackBytes) {}

bool Watch::MayGoOn() {
  if (!status_.ok()) return false;
  if (!stack_.Holds()) {
    status_ = MakeError(ErrorCode::kQuotaExceeded,
                        "nothing was changed: the statement is nested too deep; let it go through fewer queries of "
                        "WITH, views, triggers and foreign keys in a row");
    return false;
  }
  if (clock_.Monotonic() >= end_) {
    status_ = MakeError(ErrorCode::kTimeout,
                        absl::StrCat("the statement was stopped after ", absl::FormatDuration(max_time_),
                                     " and nothing was changed; let it read fewer rows, or create an index on what it "
                                     "looks for"));
    return false;
  }
  status_ = cancellation_.Check();
  return status_.ok();
}

void Watch::Stop(absl::Status why) { status_.Update(std::move(why)); }

}  // namespace toolgate::executors::sql
