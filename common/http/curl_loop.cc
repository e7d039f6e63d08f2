#include "common/http/curl_loop.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>

#include "common/clock.h"

namespace toolgate::http {
namespace {

// Signals are for other threads; writes to closed connections fail instead of raising one.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

absl::Duration MonotonicNow() { return Clock::Real().Monotonic(); }

}  // namespace

CurlLoop::CurlLoop(const CurlLibrary& curl, const ClientOptions& options)
    : curl_(curl), options_(options), multi_(curl.multi_init()) {
  if (multi_ == nullptr) return;
  curl_.multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(options_.max_connections));
  curl_.multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(options_.max_connections_per_host));
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_connections));
}

CurlLoop::~CurlLoop() {
  std::thread thread;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) {
    curl_.multi_wakeup(multi_);
    thread.join();
  }
  if (multi_ != nullptr) curl_.multi_cleanup(multi_);
}

void CurlLoop::Attend(std::shared_ptr<CurlTransfer> transfer) {
  if (multi_ == nullptr) return transfer->channel().End(absl::UnavailableError("no memory for HTTP requests"));
  {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(std::move(transfer));
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  curl_.multi_wakeup(multi_);
}

void CurlLoop::Run() {
  pthread_setname_np(pthread_self(), "toolgate-http");
  BlockSignals();
  Transfers waiting;
  while (TakeWaiting(waiting)) {
    for (const auto& transfer : waiting) Look(transfer);
    waiting.clear();
    int running = 0;
    curl_.multi_perform(multi_, &running);
    EndFinished();
    EndExpired();
    curl_.multi_poll(multi_, nullptr, 0, PollMilliseconds(), nullptr);
  }
  const absl::Status over = absl::UnavailableError("the HTTP client has ended");
  while (!running_.empty()) End(*Remove(running_.begin()->first), over);
  for (const auto& transfer : waiting) End(*transfer, over);
}

bool CurlLoop::TakeWaiting(Transfers& waiting) {
  absl::MutexLock lock(&mutex_);
  waiting.swap(waiting_);
  return !stopping_;
}

void CurlLoop::Look(const std::shared_ptr<CurlTransfer>& transfer) {
  const auto found = running_.find(transfer->handle());
  const bool runs = found != running_.end();
  if (transfer->channel().abandoned()) {
    if (runs) Remove(transfer->handle())->TearDown();
  } else if (runs) {
    transfer->Resume(MonotonicNow());
  } else if (!transfer->begun()) {
    Begin(transfer);
  }
}

void CurlLoop::Begin(const std::shared_ptr<CurlTransfer>& transfer) {
  CURL* const handle = transfer->SetUp();
  if (handle == nullptr || curl_.multi_add_handle(multi_, handle) != CURLM_OK) {
    return End(*transfer, absl::UnavailableError("no memory for an HTTP request"));
  }
  const absl::Duration due = transfer->Due(MonotonicNow());
  running_.emplace(handle, Running{transfer, due});
  by_due_.emplace(due, handle);
}

void CurlLoop::EndFinished() {
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) Finish(message->easy_handle, message->data.result);
  }
}

void CurlLoop::Finish(CURL* handle, CURLcode code) {
  const std::shared_ptr<CurlTransfer> transfer = Remove(handle);
  const absl::Status outcome = transfer->Outcome(code);
  if (!outcome.ok()) return End(*transfer, outcome);
  const absl::StatusOr<bool> redirected = transfer->Redirect();
  if (redirected.ok() && *redirected) return Begin(transfer);
  End(*transfer, redirected.status());
}

void CurlLoop::End(CurlTransfer& transfer, const absl::Status& status) {
  transfer.TearDown();
  transfer.channel().End(status);
}

void CurlLoop::EndExpired() {
  const absl::Duration now = MonotonicNow();
  while (!by_due_.empty() && by_due_.begin()->first <= now) {
    CURL* const handle = by_due_.begin()->second;
    by_due_.erase(by_due_.begin());
    Running& running = running_.at(handle);
    const absl::Status expiry = running.transfer->Expiry(now);
    running.due = expiry.ok() ? running.transfer->Due(now) : now;
    by_due_.emplace(running.due, handle);
    if (!expiry.ok()) End(*Remove(handle), expiry);
  }
}

std::shared_ptr<CurlTransfer> CurlLoop::Remove(CURL* handle) {
  const auto found = running_.find(handle);
  std::shared_ptr<CurlTransfer> transfer = std::move(found->second.transfer);
  by_due_.erase({found->second.due, handle});
  running_.erase(found);
  curl_.multi_remove_handle(multi_, handle);
  return transfer;
}

int CurlLoop::PollMilliseconds() const {
  constexpr absl::Duration kLongest = absl::Minutes(1);
  if (by_due_.empty()) return static_cast<int>(absl::ToInt64Milliseconds(kLongest));
  const absl::Duration left = std::clamp(by_due_.begin()->first - MonotonicNow(), absl::ZeroDuration(), kLongest);
  return static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1))));
}

}  // namespace toolgate::http
