#include "executors/sql/engine/statement_guard.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"

namespace toolgate::executors::sql::engine {
namespace {

// Short against the patience of a person, long against a report's cost.
constexpr absl::Duration kReportInterval = absl::Milliseconds(250);

}  // namespace

StatementGuard::StatementGuard(const Clock& clock, const fibers::Cancellation& cancellation, absl::Duration max_time)
    : clock_(clock),
      cancellation_(cancellation),
      max_time_(max_time),
      end_(clock.Monotonic() + max_time),
      stack_(kMaxStackBytes),
      next_report_(clock.Monotonic() + kReportInterval) {}

bool StatementGuard::MayContinue() {
  if (!status_.ok()) return false;
  if (!stack_.Holds()) {
    status_ = MakeError(ErrorCode::kQuotaExceeded,
                        "nothing was changed: the statement is nested too deep; let it go through fewer queries of "
                        "WITH, views, triggers and foreign keys in a row");
    return false;
  }
  const absl::Duration now = clock_.Monotonic();
  if (now >= end_) {
    status_ = MakeError(ErrorCode::kTimeout,
                        absl::StrCat("the statement was stopped after ", absl::FormatDuration(max_time_),
                                     " and nothing was changed; let it read fewer rows, or create an index on what it "
                                     "looks for"));
    return false;
  }
  if (progress_ != nullptr && now >= next_report_) Report(now);
  status_ = cancellation_.Check();
  return status_.ok();
}

void StatementGuard::Report(absl::Duration now) {
  next_report_ = now + kReportInterval;
  const absl::Duration used = max_time_ - (end_ - now);
  progress_->Report({absl::StrCat("the statement has run for ", absl::ToInt64Milliseconds(used), " ms of at most ",
                                  absl::ToInt64Milliseconds(max_time_), " ms"),
                     absl::ToInt64Milliseconds(used), absl::ToInt64Milliseconds(max_time_)});
}

void StatementGuard::Stop(absl::Status why) { status_.Update(std::move(why)); }

}  // namespace toolgate::executors::sql::engine
