#include "security/identity/fetched_keys.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/tool_error.h"

namespace toolgate::security::identity {
namespace {

// Calls may run on gRPC's own few threads, which must not all wait here.
constexpr int kMaxWaiting = 4;
constexpr absl::Duration kWhileFetching = absl::Seconds(1);

absl::Status OutOfReach(absl::Duration until_next_fetch) {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "bearer tokens cannot be checked at the moment, because their issuer's keys are out of reach";
  error.retryable = true;
  error.retry_after = std::max(until_next_fetch, kWhileFetching);
  return ToStatus(error);
}

}  // namespace

FetchedKeys::FetchedKeys(Options options, Fetch fetch, const Clock& clock)
    : options_(std::move(options)), fetch_(std::move(fetch)), clock_(clock) {}

FetchedKeys::~FetchedKeys() {
  stop_ = true;
  std::thread last;
  {
    absl::MutexLock lock(&mutex_);
    last = std::move(thread_);
  }
  if (last.joinable()) last.join();
}

absl::Status FetchedKeys::FetchNow() {
  {
    absl::MutexLock lock(&mutex_);
    last_begun_ = clock_.Monotonic();
    fetching_ = true;
  }
  return Run();
}

absl::Status FetchedKeys::Run() {
  const absl::StatusOr<std::string> text = fetch_(stop_);
  absl::StatusOr<jose::KeySet> keys =
      text.ok() ? jose::KeySet::Parse(*text, {}) : absl::StatusOr<jose::KeySet>(text.status());
  absl::Status status = keys.status();
  if (options_.on_fetch) options_.on_fetch(status.ok() ? std::string() : std::string(status.message()));
  absl::MutexLock lock(&mutex_);
  fetching_ = false;
  if (keys.ok()) good_ = Good{std::make_shared<const jose::KeySet>(*std::move(keys)), clock_.Monotonic()};
  return status;
}

absl::Duration FetchedKeys::Age() const {
  return good_.has_value() ? clock_.Monotonic() - good_->at : absl::InfiniteDuration();
}

void FetchedKeys::StartFetch() {
  const absl::Duration now = clock_.Monotonic();
  if (fetching_ || stop_ || (last_begun_.has_value() && now - *last_begun_ < options_.refetch_interval)) return;
  fetching_ = true;
  last_begun_ = now;
  // The previous thread has set fetching_ to false and no longer touches the mutex.
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "toolgate-keys");
    Run().IgnoreError();  // Reported through on_fetch.
  });
}

void FetchedKeys::AwaitFetch() {
  if (!fetching_ || waiting_ >= kMaxWaiting) return;
  ++waiting_;
  const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !fetching_; };
  mutex_.AwaitWithTimeout(absl::Condition(&idle), options_.wait);
  --waiting_;
}

absl::StatusOr<SharedKeys> FetchedKeys::Keys() {
  absl::MutexLock lock(&mutex_);
  if (Age() >= options_.refresh_interval * 0.8) {
    StartFetch();
    if (Age() >= options_.refresh_interval) AwaitFetch();
  }
  if (Age() <= options_.max_age) return good_->keys;
  const absl::Duration now = clock_.Monotonic();
  return OutOfReach(fetching_ ? kWhileFetching : last_begun_.value_or(now) + options_.refetch_interval - now);
}

SharedKeys FetchedKeys::Newer(const SharedKeys& known) {
  absl::MutexLock lock(&mutex_);
  if (good_.has_value() && good_->keys != known) return good_->keys;
  StartFetch();
  AwaitFetch();
  return good_.has_value() ? good_->keys : known;
}

void FetchedKeys::WaitUntilIdle() {
  absl::MutexLock lock(&mutex_);
  const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !fetching_; };
  mutex_.Await(absl::Condition(&idle));
}

}  // namespace toolgate::security::identity
