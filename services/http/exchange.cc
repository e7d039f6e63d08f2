#include "services/http/exchange.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/known_call.h"
#include "services/api/take_up.h"
#include "services/http/routes.h"

namespace toolgate::services::http {
namespace {

// A refused body is read so far, so that its client reads the refusal instead of hearing of a broken connection.
constexpr int64_t kMaxDiscardedBytes = int64_t{16} << 20;
constexpr size_t kStreamBlockBytes = size_t{16} << 10;
constexpr char kHeartbeat[] = ": still here\n\n";
// As nginx counts a client that left before its answer.
constexpr int kClientLeft = 499;

}  // namespace

Exchange& Exchange::Begin(HttpRuntime& runtime, MHD_Connection& connection, RequestHead head, std::string peer,
                          int fd) {
  auto exchange = std::shared_ptr<Exchange>(new Exchange(runtime, connection, std::move(head), std::move(peer), fd));
  runtime.exchanges.Add(exchange);
  return *exchange;
}

Exchange::Exchange(HttpRuntime& runtime, MHD_Connection& connection, RequestHead head, std::string peer, int fd)
    : runtime_(runtime),
      head_(std::move(head)),
      peer_(std::move(peer)),
      fd_(fd),
      started_(runtime.shared.clock.Monotonic()),
      admission_(runtime.door.Admit(head_)),
      room_(runtime.shared.inputs),
      connection_(&connection) {}

MHD_Result Exchange::Start() {
  runtime_.watch->HeadReceived(fd_);
  if (!admission_.answer.has_value()) return MHD_YES;
  int64_t length = 0;
  const bool known = !head_.content_lengths.empty() && absl::SimpleAtoi(head_.content_lengths.front(), &length);
  const bool too_long = !head_.content_lengths.empty() && (!known || length > kMaxDiscardedBytes);
  return admission_.answer->at_once || head_.expects_continue || too_long ? SendAnswer(*admission_.answer) : MHD_YES;
}

MHD_Result Exchange::Continue(const char* data, size_t& size) {
  if (size > 0) {
    const bool taken = TakeBody({data, std::exchange(size, 0)});
    return taken ? MHD_YES : MHD_NO;
  }
  if (!std::exchange(complete_, true)) {
    if (admission_.answer.has_value()) return SendAnswer(*admission_.answer);
    StartCall();
    return MHD_YES;
  }
  return SendWhatIsThere();
}

bool Exchange::TakeBody(std::string_view piece) {
  runtime_.watch->BytesReceived(fd_);
  const auto count = static_cast<int64_t>(piece.size());
  received_bytes_ += count;
  if (!admission_.answer.has_value() && received_bytes_ > runtime_.max_body_bytes) {
    admission_.answer = runtime_.door.TooLong();
  }
  if (!admission_.answer.has_value() && !room_.Grow(count)) {
    admission_.answer = ErrorAnswer(api::NoRoom(runtime_.shared));
  }
  if (!admission_.answer.has_value()) {
    body_.append(piece);
    return true;
  }
  std::string().swap(body_);
  room_.Release();
  return received_bytes_ <= kMaxDiscardedBytes;
}

void Exchange::StartCall() {
  cancellation_.Reset(runtime_.shared.clock, absl::InfiniteDuration());
  trace_ = runtime_.shared.tracer.Begin(ClientSpanOf(head_));
  {
    absl::MutexLock lock(&mutex_);
    working_ = true;
    Suspend();
  }
  runtime_.watch->BodyReceived(fd_, weak_from_this());
  const bool submitted = runtime_.workers.Submit([self = shared_from_this()] { self->Run(); });
  if (!submitted) End(api::NoWorker(runtime_.shared));
}

void Exchange::Run() { End(Call()); }

absl::StatusOr<std::string> Exchange::Call() {
  RETURN_IF_ERROR(api::TakeUp(runtime_.shared, started_, absl::InfiniteFuture(), cancellation_));
  const Route& route = Routes()[admission_.route.index];
  api::InboundRpc inbound = InboundOf(head_);
  inbound.trace = trace_.server_span();
  inbound.recording = trace_.recording();
  inbound.peer = [this] { return peer_; };
  ASSIGN_OR_RETURN(const api::KnownCall known,
                   api::KnownCall::Authenticate(runtime_.shared, route.rpc, std::move(inbound)));
  RequestParts parts;
  parts.takes_body = TakesBody(route);
  parts.body = std::move(body_);
  parts.room = std::move(room_);
  parts.limits = known.core().argument_limits();
  parts.query = head_.query;
  parts.field = VariableOf(route);
  parts.value = admission_.route.value;
  if (route.unary != nullptr) return route.unary(known, std::move(parts), cancellation_);
  RETURN_IF_ERROR(route.stream(known, std::move(parts), cancellation_, *this));
  return std::string();
}

void Exchange::Send(const ServerSentEvent& event) {
  std::string bytes = FormatEvent(event);
  absl::MutexLock lock(&mutex_);
  Push(std::move(bytes), event.replaceable);
}

absl::Status Exchange::SendAndWait(const ServerSentEvent& event, const fibers::Cancellation& cancellation) {
  std::string bytes = FormatEvent(event);
  {
    absl::MutexLock lock(&mutex_);
    Push(std::move(bytes), /*replaceable=*/false);
    if (connection_ == nullptr || events_.HasRoom()) return cancellation.Check();
    has_room_.Reset();
  }
  RETURN_IF_ERROR(runtime_.waits.Wait(has_room_, cancellation).status());
  return cancellation.Check();
}

void Exchange::Push(std::string bytes, bool replaceable) {
  if (connection_ == nullptr) return;
  streaming_ = true;
  events_.Push(std::move(bytes), replaceable);
  Resume();
}

void Exchange::Beat() {
  const absl::Duration now = runtime_.shared.clock.Monotonic();
  absl::MutexLock lock(&mutex_);
  if (!stream_sent_ || stream_ended_ || !events_.empty() || now - last_sent_ < runtime_.heartbeat_interval) return;
  Push(kHeartbeat, /*replaceable=*/false);
}

void Exchange::End(const absl::StatusOr<std::string>& result) {
  EndTrace(result.status());
  const bool is_stream = Routes()[admission_.route.index].stream != nullptr;
  bool over = false;
  {
    absl::MutexLock lock(&mutex_);
    working_ = false;
    if (streaming_ && !result.ok()) Push(FormatEvent({"error", ErrorBody(result.status())}), false);
    if (!streaming_ && !result.ok()) {
      answer_ = ErrorAnswer(result.status());
    } else if (is_stream) {
      streaming_ = true;
      stream_ended_ = true;
    } else {
      answer_.emplace();
      answer_->body = *result;
    }
    over = connection_ == nullptr;
    Resume();
  }
  if (over) runtime_.exchanges.Remove(this);
}

void Exchange::EndTrace(const absl::Status& status) {
  if (trace_.recording() == nullptr) return;
  const Route& route = Routes()[admission_.route.index];
  observability::tracing::HttpOutcome outcome;
  outcome.method = route.method;
  outcome.route = route.path;
  outcome.scheme = runtime_.tls ? "https" : "http";
  outcome.name = FrontDoor::Labels()[admission_.route.index];
  outcome.status = status.ok() ? 200 : ErrorAnswer(status).status;
  runtime_.shared.tracer.EndHttp(trace_, outcome, absl::ToInt64Nanoseconds(started_));
}

bool Exchange::working() const {
  absl::MutexLock lock(&mutex_);
  return working_;
}

void Exchange::Suspend() {
  suspended_ = true;
  runtime_.library.suspend_connection(connection_);
}

void Exchange::Resume() {
  if (connection_ == nullptr || !std::exchange(suspended_, false)) return;
  runtime_.library.resume_connection(connection_);
}

MHD_Result Exchange::SendWhatIsThere() {
  std::optional<Answer> answer;
  {
    absl::MutexLock lock(&mutex_);
    if (!answer_.has_value() && !streaming_) {
      Suspend();
      return MHD_YES;
    }
    answer = std::move(answer_);
  }
  if (!answer.has_value()) return SendStream();
  answer->headers.insert(answer->headers.end(), admission_.headers.begin(), admission_.headers.end());
  return SendAnswer(*answer);
}

MHD_Result Exchange::SendAnswer(const Answer& answer) {
  Count(answer.status);
  MHD_Response* const response = runtime_.library.create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  AddHeaders(*response, answer);
  if (!answer.body.empty()) runtime_.library.add_response_header(response, "Content-Type", "application/json");
  MHD_Connection* connection = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    connection = connection_;
  }
  const MHD_Result queued =
      runtime_.library.queue_response(connection, static_cast<unsigned int>(answer.status), response);
  runtime_.library.destroy_response(response);
  return queued;
}

MHD_Result Exchange::SendStream() {
  MHD_Response* const response = runtime_.library.create_response_from_callback(
      MHD_SIZE_UNKNOWN, kStreamBlockBytes, &Exchange::ReadStream, this, /*crfc=*/nullptr);
  if (response == nullptr) return MHD_NO;
  Answer head;
  head.headers = admission_.headers;
  head.headers.emplace_back("Content-Type", "text/event-stream");
  head.headers.emplace_back("X-Accel-Buffering", "no");  // Reverse proxies shall pass events on as they come.
  AddHeaders(*response, head);
  MHD_Connection* connection = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    connection = connection_;
    stream_sent_ = true;
    last_sent_ = runtime_.shared.clock.Monotonic();
  }
  const MHD_Result queued = runtime_.library.queue_response(connection, MHD_HTTP_OK, response);
  runtime_.library.destroy_response(response);
  return queued;
}

void Exchange::AddHeaders(MHD_Response& response, const Answer& answer) const {
  const auto add = [&](const char* name, const char* value) {
    runtime_.library.add_response_header(&response, name, value);
  };
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  // Nothing behind a chunked body is read as a request: the library takes chunks that a proxy in front may read
  // in another way.
  const bool closes = runtime_.door.draining() || !head_.transfer_encodings.empty();
  if (closes && !answer.at_once) add("Connection", "close");
  for (const auto& [name, value] : answer.headers) add(name.c_str(), value.c_str());
}

ssize_t Exchange::ReadStream(void* exchange, uint64_t /*position*/, char* buffer, size_t size) {
  return static_cast<Exchange*>(exchange)->Read(buffer, size);
}

ssize_t Exchange::Read(char* buffer, size_t size) {
  absl::MutexLock lock(&mutex_);
  const size_t count = events_.Take(buffer, size);
  if (count > 0) {
    last_sent_ = runtime_.shared.clock.Monotonic();
    if (events_.HasRoom()) has_room_.Set();
    return static_cast<ssize_t>(count);
  }
  if (stream_ended_) return MHD_CONTENT_READER_END_OF_STREAM;
  Suspend();
  return 0;
}

void Exchange::Count(int status) {
  if (std::exchange(counted_, true)) return;
  runtime_.shared.metrics.HttpHandled(admission_.label, status, runtime_.shared.clock.Monotonic() - started_);
}

void Exchange::Completed() {
  const std::shared_ptr<Exchange> self = shared_from_this();
  bool over = false;
  bool answered = false;
  {
    absl::MutexLock lock(&mutex_);
    connection_ = nullptr;
    answered = stream_sent_ && stream_ended_ && events_.empty();
    events_.Clear();
    has_room_.Set();
    over = !working_;
  }
  cancellation_.Cancel();
  Count(answered && !hung_up_ ? MHD_HTTP_OK : kClientLeft);
  runtime_.watch->Answered(fd_);
  if (over) runtime_.exchanges.Remove(this);
}

}  // namespace toolgate::services::http
