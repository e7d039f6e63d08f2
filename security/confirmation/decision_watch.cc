#include "security/confirmation/decision_watch.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/signals.h"

namespace toolgate::security::confirmation {
namespace {

using State = storage::Confirmation::State;

absl::Status TooManyWait() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "too many calls wait for a person's decision already; ask for its state with a timeout of zero";
  error.retryable = true;
  error.retry_after = absl::Seconds(1);
  return ToStatus(error);
}

// A user's name for the bound on waits. Neither id holds a NUL.
std::string UserKey(const Caller& caller) {
  return absl::StrCat(caller.workspace_id, absl::string_view("\0", 1), caller.user_id);
}

}  // namespace

// One call's place among those that wait.
class DecisionWatch::Place {
 public:
  Place(DecisionWatch& watch, const Caller& caller, const std::string& confirmation_id)
      : watch_(watch), user_(UserKey(caller)) {
    entered_ = watch_.Enter(user_, event_);
    if (!entered_.ok()) return;
    subscription_.emplace(watch_.signals_, storage::ConfirmationSignal(caller.workspace_id, confirmation_id), event_);
  }
  ~Place() {
    if (entered_.ok()) watch_.Leave(user_, event_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const absl::Status& entered() const { return entered_; }
  fibers::Event& event() { return event_; }

 private:
  DecisionWatch& watch_;
  const std::string user_;
  fibers::Event event_;
  absl::Status entered_;
  std::optional<coordination::signals::Subscription> subscription_;
};

absl::StatusOr<std::optional<storage::Confirmation>> DecisionWatch::Wait(const Caller& caller,
                                                                         const std::string& confirmation_id,
                                                                         absl::Duration timeout,
                                                                         const fibers::Cancellation& cancellation) {
  const absl::Duration until = clock_.Monotonic() + timeout;
  if (timeout <= absl::ZeroDuration()) return Find(caller, confirmation_id, cancellation);
  Place place(*this, caller, confirmation_id);
  RETURN_IF_ERROR(place.entered());
  const absl::Duration interval = store_.IsShared() ? kLookInterval : absl::InfiniteDuration();
  while (true) {
    // Before the look, so that a decision right after it is not missed.
    place.event().Reset();
    ASSIGN_OR_RETURN(std::optional<storage::Confirmation> row, Find(caller, confirmation_id, cancellation));
    const absl::Duration now = clock_.Monotonic();
    if (!row.has_value() || row->state != State::kPending || now >= until || stopped()) return row;
    const absl::Duration left = row->expires_at - clock_.Now();
    if (left <= absl::ZeroDuration()) return row;
    const absl::Duration next = now + std::min(left, interval);
    RETURN_IF_ERROR(timer_.Wait(place.event(), cancellation, std::min(until, next)).status());
  }
}

void DecisionWatch::Stop() {
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
  for (fibers::Event* const event : events_) event->Set();
}

size_t DecisionWatch::waiting() const {
  absl::MutexLock lock(&mutex_);
  return events_.size();
}

absl::Status DecisionWatch::Enter(const std::string& user, fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  size_t& of_user = waiting_by_user_[user];
  if (events_.size() >= kMaxWaiting || of_user >= kMaxWaitingOfUser) {
    if (of_user == 0) waiting_by_user_.erase(user);
    return TooManyWait();
  }
  ++of_user;
  events_.insert(&event);
  return absl::OkStatus();
}

void DecisionWatch::Leave(const std::string& user, fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  events_.erase(&event);
  const auto of_user = waiting_by_user_.find(user);
  if (--of_user->second == 0) waiting_by_user_.erase(of_user);
}

bool DecisionWatch::stopped() const {
  absl::MutexLock lock(&mutex_);
  return stopped_;
}

absl::StatusOr<std::optional<storage::Confirmation>> DecisionWatch::Find(
    const Caller& caller, const std::string& confirmation_id, const fibers::Cancellation& cancellation) const {
  std::optional<storage::Confirmation> row;
  const storage::ReadPatience patience{.cancellation = &cancellation, .party = {caller.workspace_id, caller.user_id}};
  RETURN_IF_ERROR(store_.Read(caller.workspace_id, patience, [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(row, view.FindConfirmation(confirmation_id));
    return absl::OkStatus();
  }));
  return row;
}

}  // namespace toolgate::security::confirmation
