// The thread that moves the bytes of all transfers.
#ifndef TOOLGATE_COMMON_HTTP_CURL_LOOP_H_
#define TOOLGATE_COMMON_HTTP_CURL_LOOP_H_

#include <curl/curl.h>

#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/http/client.h"
#include "common/http/curl_library.h"
#include "common/http/curl_transfer.h"

namespace toolgate::http {

// Runs transfers on one thread, which begins with the first of them. Only that thread touches libcurl's handles, so
// nothing here waits for anything but bytes, times and Attend. Thread-safe.
class CurlLoop {
 public:
  // Borrows `options`.
  CurlLoop(const CurlLibrary& curl, const ClientOptions& options);
  // Ends all transfers.
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // Has the thread look at a transfer: a new one begins, a paused one goes on, an abandoned one is cancelled and
  // closed. Never waits.
  void Attend(std::shared_ptr<CurlTransfer> transfer) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Transfers = std::vector<std::shared_ptr<CurlTransfer>>;
  struct Running {
    std::shared_ptr<CurlTransfer> transfer;
    absl::Duration due;
  };

  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // False when the thread is to end.
  bool TakeWaiting(Transfers& waiting) ABSL_LOCKS_EXCLUDED(mutex_);

  // The rest belongs to the thread.
  void Look(const std::shared_ptr<CurlTransfer>& transfer);
  void Begin(const std::shared_ptr<CurlTransfer>& transfer);
  void EndFinished();
  void EndExpired();
  // Takes a transfer out of libcurl; what it has not finished is closed.
  std::shared_ptr<CurlTransfer> Remove(CURL* handle);
  void Finish(CURL* handle, CURLcode code);
  // Tells the reader, when nothing of the transfer is left in libcurl.
  static void End(CurlTransfer& transfer, const absl::Status& status);
  int PollMilliseconds() const;

  const CurlLibrary& curl_;
  const ClientOptions& options_;
  CURLM* const multi_;  // Null: no memory.

  absl::Mutex mutex_;
  Transfers waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);

  absl::flat_hash_map<CURL*, Running> running_;
  std::set<std::pair<absl::Duration, CURL*>> by_due_;  // One entry for each that runs.
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_CURL_LOOP_H_
