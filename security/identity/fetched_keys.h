// Published keys of an issuer, kept up to date.
#ifndef TOOLGATE_SECURITY_IDENTITY_FETCHED_KEYS_H_
#define TOOLGATE_SECURITY_IDENTITY_FETCHED_KEYS_H_

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "security/identity/key_source.h"

namespace toolgate::security::identity {

// Fetches on demand, on a separate thread for each fetch, so that calls neither wait for a slow issuer nor overload one
// that is down:
//
// - From four fifths of the refresh interval on, the next call starts a fetch and continues with the present keys.
// - Beyond the refresh interval, and for a token of an unknown key, a call waits for the fetch, but not longer than
//   `wait`, and never more than a few calls at a time; the others continue with the present keys.
// - Fetches begin at least `refetch_interval` apart in any case.
// - If a fetch fails, or returns no usable key set, the last good keys stay until they are older than `max_age`.
//
// Thread-safe.
class FetchedKeys final : public KeySource {
 public:
  // Returns the text of a key set. Runs on another thread; must return soon after `stop` is set.
  using Fetch = std::function<absl::StatusOr<std::string>(const std::atomic<bool>& stop)>;

  struct Options {
    absl::Duration refresh_interval;
    absl::Duration refetch_interval;
    absl::Duration max_age;
    absl::Duration wait;
    // Called with each fetch's outcome, for the operator's log: empty for success.
    std::function<void(const std::string& problem)> on_fetch;
  };

  // Borrows `clock`.
  FetchedKeys(Options options, Fetch fetch, const Clock& clock);
  // Waits for a running fetch, which is told to stop.
  ~FetchedKeys() override;
  FetchedKeys(const FetchedKeys&) = delete;
  FetchedKeys& operator=(const FetchedKeys&) = delete;

  // Fetches now, on this thread, and returns the outcome: for the start of the service.
  absl::Status FetchNow();

  absl::StatusOr<SharedKeys> Keys() override;
  SharedKeys Newer(const SharedKeys& known) override;

  // Returns once no fetch runs; for tests.
  void WaitUntilIdle();

 private:
  struct Good {
    SharedKeys keys;
    absl::Duration at;  // Of the monotonic clock.
  };

  absl::Duration Age() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartFetch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits for the running fetch, if there is one and few others wait.
  void AwaitFetch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fetches, and takes over the result.
  absl::Status Run() ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  const Fetch fetch_;
  const Clock& clock_;
  std::atomic<bool> stop_{false};

  absl::Mutex mutex_;
  std::optional<Good> good_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Duration> last_begun_ ABSL_GUARDED_BY(mutex_);
  bool fetching_ ABSL_GUARDED_BY(mutex_) = false;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_FETCHED_KEYS_H_
