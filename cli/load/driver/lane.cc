#include "cli/load/driver/lane.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/load/driver/classify.h"

namespace toolgate::cli::load::driver {
namespace {

using profile::Confirm;
using stats::Outcome;
using stats::OutcomeKind;

// Upper bound of the pacer's sleep, so that it notices the end of the run.
constexpr int64_t kLongestSleep = 20'000'000;
// Pause of a caller that found no id to use.
constexpr int64_t kStarvedPause = 1'000'000;
// Pause of a caller whose call did not reach the service: without it, callers of a service that is gone would do
// nothing but fail, as fast as the machine can.
constexpr int64_t kFailurePause = 10'000'000;
constexpr int kMostDraws = 20;
// Time after the end of a run in which calls that were due before it still start.
constexpr int64_t kGrace = 100'000'000;
// Precision of the pacer's timer; by default the kernel adds up to 50 µs.
constexpr unsigned long kTimerSlackNanos = 1000;

void SleepUntil(int64_t nanos) {
  const timespec until{nanos / 1'000'000'000, nanos % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

// Share of `total` for part `index` of `parts`.
int ShareOf(int total, int parts, int index) { return total / parts + (index < total % parts ? 1 : 0); }

size_t OperationOf(const Call& call) { return call.kind_index * kPhases + static_cast<size_t>(call.phase); }

}  // namespace

Lane::Lane(SharedState& shared, int index)
    : shared_(shared),
      plan_(shared.plan),
      index_(index),
      callers_(ShareOf(plan_.concurrency, plan_.threads, index)),
      tally_(plan_.profile.calls.size() * kPhases, plan_.targets.size()) {
  const bool decides = std::any_of(plan_.profile.calls.begin(), plan_.profile.calls.end(),
                                   [](const auto& kind) { return kind.confirm != Confirm::kIgnore; });
  for (const std::string& target : plan_.targets) {
    std::vector<Connection>& connections = connections_.emplace_back();
    for (int i = 0; i < plan_.connections; ++i) {
      Connection connection;
      connection.channels.push_back(plan_.open_channel(target));
      connection.calls = v1::ToolService::NewStub(connection.channels.back());
      if (decides) connection.channels.push_back(plan_.open_channel(target));
      connection.decisions = v1::ToolService::NewStub(connection.channels.back());
      connections.push_back(std::move(connection));
    }
  }
}

Lane::~Lane() {
  if (joined_) return;
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

std::optional<std::string> Lane::Connect(std::chrono::system_clock::time_point deadline) {
  for (size_t target = 0; target < connections_.size(); ++target) {
    for (const Connection& connection : connections_[target]) {
      for (const auto& channel : connection.channels) {
        if (!channel->WaitForConnected(deadline)) return plan_.targets[target];
      }
    }
  }
  return std::nullopt;
}

void Lane::Start() {
  {
    absl::MutexLock lock(&mutex_);
    active_ = plan_.open_loop() ? 1 : callers_;
  }
  // Callers with a think time begin at different times, so that they do not call in waves.
  const int64_t think = absl::ToInt64Nanoseconds(plan_.think_time);
  for (int i = 0; i < callers_; ++i) WakeLater(shared_.begin + think / callers_ * i);
  completer_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "load-complete");
    Complete();
  });
  pacer_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "load-pace");
    prctl(PR_SET_TIMERSLACK, kTimerSlackNanos, 0, 0, 0);
    if (plan_.open_loop()) {
      PaceSchedule();
    } else {
      PaceThinkTimes();
    }
  });
}

bool Lane::done() const {
  absl::MutexLock lock(&mutex_);
  return active_ == 0;
}

void Lane::CancelAll() {
  absl::MutexLock lock(&mutex_);
  for (Call* call = running_; call != nullptr; call = call->next) {
    ++tally_.cancelled_calls;
    call->context->TryCancel();
  }
}

void Lane::Join() {
  {
    absl::MutexLock lock(&mutex_);
    const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return active_ == 0; };
    mutex_.Await(absl::Condition(&idle));
  }
  {
    absl::MutexLock lock(&pacer_mutex_);
    end_pacer_ = true;
  }
  pacer_.join();
  queue_.Shutdown();
  completer_.join();
  joined_ = true;
}

stats::Interval Lane::TakeInterval() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(interval_, stats::Interval());
}

stats::Tally Lane::tally() const {
  absl::MutexLock lock(&mutex_);
  return tally_;
}

void Lane::PaceSchedule() {
  schedule::Arrivals arrivals(plan_.schedule->WithWarmUp(plan_.warm_up), plan_.pattern, plan_.seed, plan_.threads,
                              index_);
  const int64_t most = plan_.max_in_flight;
  for (std::optional<int64_t> next = arrivals.Next(); next.has_value(); next = arrivals.Next()) {
    const int64_t due = shared_.begin + *next;
    for (int64_t now = NowNanos(); now < due && now < shared_.stop_at; now = NowNanos()) {
      SleepUntil(std::min(due, now + kLongestSleep));
    }
    if (due >= shared_.stop_at || (plan_.max_calls > 0 && shared_.next_call >= plan_.max_calls)) break;
    // Calls that were due in time start even if the pacer is a little late.
    const bool too_late = NowNanos() - kGrace >= shared_.stop_at;
    if (too_late || shared_.in_flight >= most) {
      absl::MutexLock lock(&mutex_);
      ++interval_.missed_starts;
      if (due >= shared_.measure_from) ++tally_.missed_starts;
      continue;
    }
    StartCall(due);
  }
  absl::MutexLock lock(&mutex_);
  --active_;
}

void Lane::PaceThinkTimes() {
  // A shorter sleep than the think time never misses a wake-up that is added meanwhile.
  const int64_t think = absl::ToInt64Nanoseconds(plan_.think_time);
  const int64_t longest = think > 0 ? std::min(think, kLongestSleep) : kLongestSleep;
  while (true) {
    bool due = false;
    {
      absl::MutexLock lock(&pacer_mutex_);
      const int64_t now = NowNanos();
      const int64_t next = wake_ups_.empty() ? kNever : wake_ups_.top();
      due = next <= now || (next != kNever && now >= shared_.stop_at);
      if (due) {
        wake_ups_.pop();
      } else {
        pacer_mutex_.AwaitWithTimeout(absl::Condition(&end_pacer_),
                                      absl::Nanoseconds(std::min(next == kNever ? longest : next - now, longest)));
      }
      if (end_pacer_) return;
    }
    if (due && !StartCall(std::nullopt)) WakeLater(NowNanos() + kStarvedPause);
  }
}

void Lane::WakeLater(int64_t due) {
  absl::MutexLock lock(&pacer_mutex_);
  wake_ups_.push(due);
}

void Lane::Complete() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) OnEvent(*static_cast<Call*>(tag), ok);
}

bool Lane::StartCall(std::optional<int64_t> due) {
  const int64_t now = NowNanos();
  const bool over = !due.has_value() && now >= shared_.stop_at;
  const int64_t number = over ? 0 : shared_.next_call.fetch_add(1);
  if (over || (plan_.max_calls > 0 && number >= plan_.max_calls)) {
    // A caller of the closed loop ends here.
    absl::MutexLock lock(&mutex_);
    if (!plan_.open_loop()) --active_;
    return true;
  }
  auto call = std::make_unique<Call>();
  call->number = number;
  schedule::Random random(plan_.seed, static_cast<uint64_t>(number));
  if (!Prepare(*call, random)) return false;
  call->target = PickTarget(number);
  call->connection =
      static_cast<size_t>(number / static_cast<int64_t>(plan_.targets.size())) % connections_[call->target].size();
  ++shared_.in_flight;
  ++shared_.target_in_flight[call->target];
  Call* const running = call.release();
  running->started = NowNanos();
  running->intended = due.value_or(running->started);
  running->context = std::make_unique<grpc::ClientContext>();
  {
    absl::MutexLock lock(&mutex_);
    if (plan_.open_loop()) ++active_;
    ++interval_.started;
    if (due.has_value() && *due >= shared_.measure_from) tally_.start_lag.Record(running->started - *due);
    Link(running);
  }
  Send(*running);
  return true;
}

bool Lane::Prepare(Call& call, schedule::Random& random) {
  call.caller = plan_.callers.At(random.Below(plan_.callers.size()));
  profile::Pools& pools = shared_.pools[call.caller.workspace_index];
  const profile::TemplateInput input{random,           pools,      call.number, plan_.run_id, call.caller.workspace,
                                     call.caller.user, plan_.today};
  for (int draw = 0; draw < kMostDraws; ++draw) {
    call.kind_index = plan_.profile.DrawCall(random);
    call.kind = &plan_.profile.calls[call.kind_index];
    call.request.clear_arguments_json();
    if (call.kind->arguments.Expand(input, *call.request.mutable_arguments_json())) break;
    call.kind = nullptr;
    absl::MutexLock lock(&mutex_);
    ++tally_.skipped_steps;
  }
  if (call.kind == nullptr) return false;
  call.request.set_tool_id(call.kind->tool);
  call.request.set_dry_run(call.kind->dry_run);
  if (call.kind->idempotency_key) call.request.set_idempotency_key(absl::StrCat(plan_.run_id, "-", call.number));
  v1::Caller& caller = *call.request.mutable_caller();
  caller = plan_.caller;
  caller.set_workspace_id(call.caller.workspace);
  caller.set_user_id(call.caller.user);
  if (!call.kind->model.empty()) caller.set_ai_model(call.kind->model);
  return true;
}

size_t Lane::PickTarget(int64_t number) const {
  const size_t count = plan_.targets.size();
  const size_t first = static_cast<size_t>(number) % count;
  if (plan_.balance == Balance::kRoundRobin) return first;
  size_t best = first;
  for (size_t i = 0; i < count; ++i) {
    const size_t target = (first + i) % count;
    if (shared_.target_in_flight[target] < shared_.target_in_flight[best]) best = target;
  }
  return best;
}

void Lane::PrepareContext(Call& call) {
  call.context->set_deadline(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(plan_.call_timeout));
  if (!call.caller.token.empty())
    call.context->AddMetadata("authorization", absl::StrCat("Bearer ", call.caller.token));
}

void Lane::Send(Call& call) {
  PrepareContext(call);
  v1::ToolService::Stub& stub = *connections_[call.target][call.connection].calls;
  if (call.kind->stream) {
    v1::ExecuteStreamRequest request;
    request.mutable_request()->Swap(&call.request);
    call.awaited = Awaited::kStart;
    call.stream = stub.PrepareAsyncExecuteStream(call.context.get(), request, &queue_);
    call.stream->StartCall(&call);
    return;
  }
  call.awaited = Awaited::kFinish;
  call.unary = stub.PrepareAsyncExecute(call.context.get(), call.request, &queue_);
  call.unary->StartCall();
  call.unary->Finish(&call.response, &call.status, &call);
}

void Lane::SendDecision(Call& call, bool approve) {
  v1::DecideConfirmationRequest request;
  *request.mutable_caller() = call.request.caller();
  request.set_confirmation_id(call.response.confirmation_request().confirmation_id());
  request.set_approve(approve);
  PrepareContext(call);
  v1::ToolService::Stub& stub = *connections_[call.target][call.connection].decisions;
  call.decision = stub.PrepareAsyncDecideConfirmation(call.context.get(), request, &queue_);
  call.decision->StartCall();
  call.decision->Finish(&call.decided, &call.status, &call);
}

void Lane::OnEvent(Call& call, bool ok) {
  if (call.awaited == Awaited::kFinish) {
    OnRpcEnd(call);
  } else {
    OnStreamEvent(call, ok);
  }
}

void Lane::OnStreamEvent(Call& call, bool ok) {
  if (ok && call.awaited == Awaited::kRead) {
    if (++call.events == 1 && call.intended >= shared_.measure_from) {
      absl::MutexLock lock(&mutex_);
      tally_.first_event.Record(NowNanos() - call.started);
    }
    if (call.event.has_response()) call.response.Swap(call.event.mutable_response());
  }
  if (ok) {
    call.awaited = Awaited::kRead;
    call.stream->Read(&call.event, &call);
  } else {
    call.awaited = Awaited::kFinish;
    call.stream->Finish(&call.status, &call);
  }
}

void Lane::OnRpcEnd(Call& call) {
  static const v1::ExecuteResponse& none = v1::ExecuteResponse::default_instance();
  const bool decision = call.phase == Phase::kDecision;
  Outcome outcome = Classify(call.status, decision ? none : call.response);
  if (call.kind->expect_finding && !decision) outcome = RequireFinding(std::move(outcome), call.response);
  Count(call, outcome);
  if (outcome.kind == OutcomeKind::kOk && !decision) Capture(call);
  if (!Continue(call, outcome)) EndCall(&call, outcome);
}

bool Lane::Continue(Call& call, const Outcome& outcome) {
  const bool asked = call.phase == Phase::kCall && outcome.kind == OutcomeKind::kConfirmation;
  const bool decided = call.phase == Phase::kDecision && outcome.kind == OutcomeKind::kOk;
  if (call.kind->confirm == Confirm::kIgnore || !(asked || decided)) return false;
  // Readers live in the memory of their context.
  call.unary.reset();
  call.decision.reset();
  auto context = std::make_unique<grpc::ClientContext>();
  {
    absl::MutexLock lock(&mutex_);  // CancelAll may be reading it.
    call.context.swap(context);
  }
  call.started = NowNanos();
  call.intended = call.started;
  if (asked) {
    call.phase = Phase::kDecision;
    SendDecision(call, call.kind->confirm == Confirm::kApprove);
    return true;
  }
  call.phase = Phase::kRepeat;
  call.request.set_confirmation_token(call.response.confirmation_request().token());
  call.response.Clear();
  Send(call);
  return true;
}

void Lane::Capture(const Call& call) {
  if (!call.kind->capture.has_value()) return;
  std::optional<std::string> id = call.kind->capture->Read(call.response.result().data_json());
  if (!id.has_value()) return;
  schedule::Random random(plan_.seed + 1, static_cast<uint64_t>(call.number));
  shared_.pools[call.caller.workspace_index].Add(call.kind->capture->pool, *std::move(id), random);
}

void Lane::EndCall(Call* call, const Outcome& outcome) {
  --shared_.in_flight;
  --shared_.target_in_flight[call->target];
  {
    absl::MutexLock lock(&mutex_);
    Unlink(call);
    if (plan_.open_loop()) --active_;
  }
  delete call;
  if (!plan_.open_loop()) NextOfCaller(outcome);
}

void Lane::NextOfCaller(const Outcome& outcome) {
  const int64_t think = absl::ToInt64Nanoseconds(plan_.think_time);
  const int64_t pause = outcome.kind == OutcomeKind::kTransport ? std::max(think, kFailurePause) : think;
  if (pause > 0) {
    WakeLater(NowNanos() + pause);
  } else if (!StartCall(std::nullopt)) {
    WakeLater(NowNanos() + kStarvedPause);
  }
}

bool Lane::Expected(const Call& call, const Outcome& outcome) const {
  if (call.phase == Phase::kDecision) return outcome.kind == OutcomeKind::kOk;
  const bool question = outcome.kind == OutcomeKind::kConfirmation;
  if (call.phase == Phase::kCall && question && call.kind->confirm != Confirm::kIgnore) return true;
  return call.kind->Expects(outcome.code);
}

void Lane::Count(const Call& call, const Outcome& outcome) {
  stats::Result result;
  result.operation = OperationOf(call);
  result.target = call.target;
  result.intended = call.intended;
  result.started = call.started;
  result.ended = NowNanos();
  result.outcome = outcome;
  result.in_window = result.ended <= shared_.stop_at;
  shared_.last_end.store(result.ended, std::memory_order_relaxed);
  result.expected = Expected(call, outcome);
  if (!result.expected) {
    result.message =
        outcome.code == stats::kNotDetected ? "layer 1 has found nothing in it" : MessageOf(call.status, call.response);
  }
  absl::MutexLock lock(&mutex_);
  interval_.Add(result);
  if (call.intended < shared_.measure_from) {
    ++tally_.warm_up_calls;
    return;
  }
  tally_.Add(result);
  if (call.kind->stream) tally_.stream_events += call.events;
}

void Lane::Link(Call* call) {
  call->next = running_;
  if (running_ != nullptr) running_->previous = call;
  running_ = call;
}

void Lane::Unlink(Call* call) {
  (call->previous != nullptr ? call->previous->next : running_) = call->next;
  if (call->next != nullptr) call->next->previous = call->previous;
}

}  // namespace toolgate::cli::load::driver
