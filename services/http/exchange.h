// One request over HTTP, from its head to the end of its response.
#ifndef TOOLGATE_SERVICES_HTTP_EXCHANGE_H_
#define TOOLGATE_SERVICES_HTTP_EXCHANGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "observability/tracing/tracer.h"
#include "services/api/input_budget.h"
#include "services/http/answer.h"
#include "services/http/connection_watch.h"
#include "services/http/event_queue.h"
#include "services/http/event_stream.h"
#include "services/http/http_runtime.h"
#include "services/http/request_head.h"

namespace toolgate::services::http {

// Works on three threads. That of the HTTP library takes the body and sends the response; while there is nothing to
// send, the connection is suspended, so that nothing waits there. A worker runs the call, on a fiber: it verifies the
// credentials before it parses the body. Any thread may say that the client is gone. The registry owns it, until the
// call and the response have both ended.
class Exchange final : public std::enable_shared_from_this<Exchange>, public HangUpListener, private EventStream {
 public:
  // A request whose head has come, on `connection`, the library's, which lasts until Completed. Registers it.
  static Exchange& Begin(HttpRuntime& runtime, MHD_Connection& connection, RequestHead head, std::string peer, int fd);

  // --- The library's thread ---
  // After Begin: answers at once if the body need not come.
  MHD_Result Start();
  // A piece of the body, or its end with `size` 0, or that an answer waits after the connection was suspended.
  MHD_Result Continue(const char* data, size_t& size);
  // The response has been sent, or cannot be. The exchange may be gone afterwards.
  void Completed();

  // --- Any thread ---
  void OnHangUp() override {
    hung_up_ = true;
    cancellation_.Cancel();
  }
  void Cancel() { cancellation_.Cancel(); }
  // Sends a sign of life to a client that has not heard of its stream for long.
  void Beat();
  // Whether a worker still uses this.
  bool working() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Exchange(HttpRuntime& runtime, MHD_Connection& connection, RequestHead head, std::string peer, int fd);

  // --- The library's thread ---
  bool TakeBody(std::string_view piece);
  void StartCall();
  MHD_Result SendWhatIsThere();
  MHD_Result SendAnswer(const Answer& answer);
  MHD_Result SendStream();
  void AddHeaders(MHD_Response& response, const Answer& answer) const;
  // MHD_ContentReaderCallback.
  static ssize_t ReadStream(void* exchange, uint64_t position, char* buffer, size_t size);
  ssize_t Read(char* buffer, size_t size);
  void Count(int status);

  // --- The worker ---
  void Run();
  absl::StatusOr<std::string> Call();
  absl::Status TakeUp();
  void Send(const ServerSentEvent& event) override;
  absl::Status SendAndWait(const ServerSentEvent& event, const fibers::Cancellation& cancellation) override;
  void End(const absl::StatusOr<std::string>& result);
  void EndTrace(const absl::Status& status);

  void Push(std::string bytes, bool replaceable) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Suspend() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Resume() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  HttpRuntime& runtime_;
  const RequestHead head_;
  const std::string peer_;
  const int fd_;
  const absl::Duration started_;
  Admission admission_;

  // Of the library's thread, until the call starts; then the worker's.
  std::string body_;
  api::InputBudget::Lease room_;
  int64_t received_bytes_ = 0;
  bool complete_ = false;
  bool counted_ = false;

  observability::tracing::RpcTrace trace_;  // Of the worker, since the call starts.
  fibers::Cancellation cancellation_;
  fibers::Event has_room_;  // Set while the queue is short enough for more output, or the client is gone.

  std::atomic<bool> hung_up_{false};

  mutable absl::Mutex mutex_;
  MHD_Connection* connection_ ABSL_GUARDED_BY(mutex_);  // Null since Completed.
  bool suspended_ ABSL_GUARDED_BY(mutex_) = false;
  bool working_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Answer> answer_ ABSL_GUARDED_BY(mutex_);
  // Since the first event: the answer is a stream.
  bool streaming_ ABSL_GUARDED_BY(mutex_) = false;
  bool stream_sent_ ABSL_GUARDED_BY(mutex_) = false;
  bool stream_ended_ ABSL_GUARDED_BY(mutex_) = false;
  EventQueue events_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_sent_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_EXCHANGE_H_
