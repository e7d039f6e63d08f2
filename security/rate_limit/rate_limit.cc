#include "security/rate_limit/rate_limit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/rate_limit/verdict.h"

namespace toolgate::security::rate_limit {

using coordination::limits::LogCheck;
using coordination::limits::Subject;
using coordination::limits::WindowUsage;
namespace {

// Wait before querying an unreachable store again: it reconnects within that time or fails again.
constexpr absl::Duration kStoreRetry = absl::Seconds(1);
constexpr absl::Duration kQuotaWindow = absl::Hours(24);
// Share of a window that is reported for a call over it: in no bucket of shares up to 1.
constexpr double kOverLimit = 1.001;

bool DidNotRun(const absl::StatusOr<ToolResult>& result) {
  return !result.ok() || result->confirmation.has_value() || result->replayed;
}

absl::Status Refuse(ErrorCode code, std::string message, absl::Duration wait,
                    std::vector<std::pair<std::string, std::string>> facts = {}) {
  ToolError error;
  error.code = code;
  error.message = std::move(message);
  error.facts = std::move(facts);
  error.retryable = true;
  error.retry_after = wait;
  return ToStatus(error);
}

std::string_view ScopeOf(LimitCheck check) {
  switch (check) {
    case LimitCheck::kProviderThrottle:
      return "provider";
    case LimitCheck::kUserLimit:
      return "user";
    default:
      return "tool";
  }
}

std::string DescribeLimit(LimitCheck check, std::string_view tool_id) {
  switch (check) {
    case LimitCheck::kProviderThrottle:
      return absl::StrCat("calls of the provider behind ", ToAbsl(tool_id), " are limited to ");
    case LimitCheck::kUserLimit:
      return "the calls of one user are limited to ";
    default:
      return absl::StrCat("calls of ", ToAbsl(tool_id), " are limited to ");
  }
}

}  // namespace

struct RateLimit::Permits {
  CircuitBreaker::Permit tool;
  CircuitBreaker::Permit provider;

  void Tell(Verdict verdict) {
    switch (verdict) {
      case Verdict::kNone:
        return;
      case Verdict::kSuccess:
        tool.Succeed();
        provider.Succeed();
        return;
      case Verdict::kFailure:
        tool.Fail();
        provider.Fail();
    }
  }
};

// The windows that one call must pass, and its charge afterwards.
struct RateLimit::Charge {
  void Add(LimitCheck kind, const Subject& subject, std::string_view log, const std::vector<Window>& windows) {
    if (windows.empty()) return;
    kinds[count] = kind;
    checks[count++] = {subject, log, windows};
  }
  std::span<const LogCheck> span() const { return {checks.data(), count}; }

  std::array<LogCheck, 3> checks;
  std::array<LimitCheck, 3> kinds{};
  size_t count = 0;
  bool charged = false;
  absl::Time charged_at;
};

absl::StatusOr<std::unique_ptr<RateLimit>> RateLimit::Create(const std::vector<executors::Tool>& tools,
                                                             const config::v1::RateLimiting& config, const Clock& clock,
                                                             LimiterStore& store, BreakerRegistry& breakers,
                                                             LimitObserver* observer,
                                                             const config::v1::Identity& identity) {
  const auto& breaker = config.circuit_breaker();
  const BreakerSettings settings{
      .window = FromProtoDuration(breaker.window()),
      .min_calls = breaker.min_calls(),
      .failure_ratio = breaker.failure_ratio(),
      .consecutive_failures = breaker.consecutive_failures(),
      .open_duration = FromProtoDuration(breaker.open_duration()),
      .half_open_probes = breaker.half_open_probes(),
  };
  auto layer = std::unique_ptr<RateLimit>(new RateLimit(clock, store, observer));
  ASSIGN_OR_RETURN(layer->plan_, CompileLimits(tools, config, identity));
  layer->report_only_ = config.enforcement() == config::v1::ENFORCEMENT_REPORT;
  layer->tool_ids_.resize(tools.size());
  for (const executors::Tool& tool : tools) layer->tool_ids_[tool.index] = tool.definition.id;
  layer->TakeBreakers(breakers, settings);
  return layer;
}

void RateLimit::TakeBreakers(BreakerRegistry& registry, const BreakerSettings& settings) {
  const auto add = [&](const std::string& breaker_name) {
    all_breakers_.push_back(registry.Get(breaker_name, settings));
    return all_breakers_.back().get();
  };
  absl::flat_hash_map<std::string, CircuitBreaker*> by_provider;
  breakers_.resize(tool_ids_.size());
  for (size_t i = 0; i < tool_ids_.size(); ++i) {
    breakers_[i].tool = add(absl::StrCat("tool:", tool_ids_[i]));
    const std::string& provider = plan_.tools[i].provider;
    if (provider.empty()) continue;
    CircuitBreaker*& breaker = by_provider[provider];
    if (breaker == nullptr) breaker = add(absl::StrCat("provider:", provider));
    breakers_[i].provider = breaker;
  }
  std::sort(all_breakers_.begin(), all_breakers_.end(),
            [](const auto& a, const auto& b) { return a->name() < b->name(); });
}

absl::StatusOr<ToolResult> RateLimit::Run(ToolCall& call, Next next) {
  Permits permits;
  RETURN_IF_ERROR(PassBreakers(call, permits));
  Charge charge;
  RETURN_IF_ERROR(PassWindows(call, charge));
  return RunAdmitted(call, next, permits, charge);
}

// Has a single return, so that the result is built in place; beside the returns of Run it would be moved.
absl::StatusOr<ToolResult> RateLimit::RunAdmitted(ToolCall& call, Next next, Permits& permits, const Charge& charge) {
  absl::StatusOr<ToolResult> result = next(call);
  permits.Tell(VerdictOn(call, result));
  if (charge.charged && DidNotRun(result)) store_.GiveBack(charge.span(), charge.charged_at);
  return result;
}

absl::Status RateLimit::PassBreakers(const ToolCall& call, Permits& permits) {
  const Breakers& breakers = breakers_[call.tool->index];
  absl::Duration wait;
  const CircuitBreaker* refusing = nullptr;
  CircuitBreaker::Admission admission = breakers.tool->Admit();
  permits.tool = std::move(admission.permit);
  if (!permits.tool) {
    refusing = breakers.tool;
    wait = admission.retry_after;
  } else if (breakers.provider != nullptr) {
    admission = breakers.provider->Admit();
    permits.provider = std::move(admission.permit);
    if (permits.provider) return absl::OkStatus();
    refusing = breakers.provider;
    wait = admission.retry_after;
  }
  if (refusing == nullptr) return absl::OkStatus();
  Observe(call, LimitCheck::kCircuitBreaker, LimitDecision::kRefused);
  return Refuse(
      ErrorCode::kCircuitOpen,
      absl::StrCat(call.tool->definition.id, " has failed repeatedly and is not called at the moment; try again in ",
                   absl::FormatDuration(wait)),
      wait, {{"breaker", refusing->name()}});
}

const RoleToolLimits* RateLimit::RoleLimitsOf(const ToolCall& call) const {
  if (plan_.roles.empty()) return nullptr;
  for (const std::string& role : call.caller.roles) {
    const auto found = plan_.roles.find(role);
    if (found == plan_.roles.end()) continue;
    const std::optional<RoleToolLimits>& limits = found->second[call.tool->index];
    if (limits.has_value()) return &*limits;
  }
  return nullptr;
}

absl::Status RateLimit::PassWindows(const ToolCall& call, Charge& charge) {
  const ToolLimitPlan& plan = plan_.tools[call.tool->index];
  const bool is_guest = call.caller.is_guest;
  const Subject user{is_guest ? Subject::Kind::kGuest : Subject::Kind::kUser, call.caller.workspace_id,
                     call.caller.user_id};
  charge.Add(LimitCheck::kProviderThrottle, {Subject::Kind::kProvider, "", plan.provider}, kAllCalls,
             plan.provider_windows);
  charge.Add(LimitCheck::kUserLimit, user, kAllCalls, plan_.user_windows.For(is_guest));
  const RoleToolLimits* of_role = RoleLimitsOf(call);
  if (of_role != nullptr) {
    charge.Add(LimitCheck::kToolLimit, user, of_role->log, of_role->windows.For(is_guest));
  } else {
    charge.Add(LimitCheck::kToolLimit, user, tool_ids_[call.tool->index], plan.windows.For(is_guest));
  }
  if (charge.count == 0 || call.charged_before()) return absl::OkStatus();

  const absl::StatusOr<ChargeOutcome> outcome = store_.CheckAndCharge(charge.span());
  if (!outcome.ok()) return HandleStoreFailure(call, charge);
  switch (outcome->kind) {
    case ChargeOutcome::Kind::kAdmitted:
      break;
    case ChargeOutcome::Kind::kRefused:
      return RefuseOverWindow(call, charge, *outcome);
    case ChargeOutcome::Kind::kTableFull:
      return RefuseBecauseFull(call, charge, outcome->wait);
  }
  charge.charged = true;
  charge.charged_at = outcome->charged_at;
  for (size_t i = 0; i < charge.count; ++i) {
    Observe(call, charge.kinds[i], LimitDecision::kAllowed);
    if (i < outcome->used_shares.size()) ObserveUse(charge.kinds[i], outcome->used_shares[i]);
  }
  return absl::OkStatus();
}

// One limit that fails closed is enough to refuse.
absl::Status RateLimit::HandleStoreFailure(const ToolCall& call, const Charge& charge) {
  ObserveFault(LimiterFault::kUnreachable);
  for (size_t i = 0; i < charge.count && !report_only_; ++i) {
    const std::span<const Window> windows = charge.checks[i].windows;
    if (std::all_of(windows.begin(), windows.end(), [](const Window& window) { return window.fail_open; })) continue;
    Observe(call, charge.kinds[i], LimitDecision::kFailClosed);
    return Refuse(ErrorCode::kOverloaded, "the limits of this call cannot be checked at the moment", kStoreRetry,
                  {{"scope", std::string(ScopeOf(charge.kinds[i]))}});
  }
  for (size_t i = 0; i < charge.count; ++i) Observe(call, charge.kinds[i], LimitDecision::kFailOpen);
  return absl::OkStatus();
}

absl::Status RateLimit::RefuseBecauseFull(const ToolCall& call, const Charge& charge, absl::Duration wait) {
  ObserveFault(LimiterFault::kFull);
  Observe(call, charge.kinds[charge.count - 1], report_only_ ? LimitDecision::kShadow : LimitDecision::kFailClosed);
  if (report_only_) return absl::OkStatus();
  return Refuse(ErrorCode::kOverloaded, "too many users are active to take on another one at the moment", wait);
}

absl::Status RateLimit::RefuseOverWindow(const ToolCall& call, const Charge& charge, const ChargeOutcome& outcome) {
  const LimitCheck check = charge.kinds[outcome.check];
  const Window& window = charge.checks[outcome.check].windows[outcome.window];
  Observe(call, check, report_only_ ? LimitDecision::kShadow : LimitDecision::kRefused);
  ObserveUse(check, kOverLimit);
  if (report_only_) return absl::OkStatus();
  const std::string length = absl::FormatDuration(window.length);
  return Refuse(
      window.length >= kQuotaWindow ? ErrorCode::kQuotaExceeded : ErrorCode::kRateLimited,
      absl::StrCat(DescribeLimit(check, call.tool->definition.id), window.max_calls, " in ", length, "; try again in ",
                   absl::FormatDuration(outcome.wait)),
      outcome.wait,
      {{"limit", absl::StrCat(window.max_calls)}, {"window", length}, {"scope", std::string(ScopeOf(check))}});
}

void RateLimit::Observe(const ToolCall& call, LimitCheck check, LimitDecision decision) {
  if (observer_ != nullptr) observer_->OnDecision(call.tool->definition.id, check, decision);
}

void RateLimit::ObserveUse(LimitCheck check, double share) {
  if (observer_ != nullptr) observer_->OnUse(check, share);
}

void RateLimit::ObserveFault(LimiterFault fault) {
  if (observer_ != nullptr) observer_->OnFault(fault);
}

std::vector<BreakerSnapshot> RateLimit::ListBreakers() const {
  std::vector<BreakerSnapshot> snapshots;
  for (const auto& breaker : all_breakers_) {
    if (breaker->used()) snapshots.push_back(breaker->Snapshot());
  }
  return snapshots;
}

std::vector<BreakerSnapshot> RateLimit::AllBreakers() const {
  std::vector<BreakerSnapshot> snapshots;
  snapshots.reserve(all_breakers_.size());
  for (const auto& breaker : all_breakers_) snapshots.push_back(breaker->Snapshot());
  return snapshots;
}

absl::StatusOr<CircuitBreaker*> RateLimit::FindBreaker(std::string_view name) const {
  for (const auto& breaker : all_breakers_) {
    if (breaker->name() == name) return breaker.get();
  }
  return MakeError(ErrorCode::kNotFound, "there is no circuit breaker of that name");
}

absl::StatusOr<BreakerSnapshot> RateLimit::GetBreaker(std::string_view name) const {
  ASSIGN_OR_RETURN(const CircuitBreaker* const breaker, FindBreaker(name));
  return breaker->Snapshot();
}

absl::StatusOr<BreakerSnapshot> RateLimit::ResetBreaker(std::string_view name) {
  ASSIGN_OR_RETURN(CircuitBreaker* const breaker, FindBreaker(name));
  breaker->Reset();
  return breaker->Snapshot();
}

absl::StatusOr<std::vector<QuotaUsage>> RateLimit::ListQuotaUsage(std::string_view workspace_id,
                                                                  std::string_view user_id) const {
  std::vector<LogCheck> checks;
  for (const bool is_guest : {false, true}) {
    const Subject user{is_guest ? Subject::Kind::kGuest : Subject::Kind::kUser, workspace_id, user_id};
    const auto add = [&](std::string_view log, const std::vector<Window>& windows) {
      if (!windows.empty()) checks.push_back({user, log, windows});
    };
    add(kAllCalls, plan_.user_windows.For(is_guest));
    for (size_t i = 0; i < tool_ids_.size(); ++i) add(tool_ids_[i], plan_.tools[i].windows.For(is_guest));
    for (const auto& [role, tools] : plan_.roles) {
      for (const auto& limits : tools) {
        if (limits.has_value()) add(limits->log, limits->windows.For(is_guest));
      }
    }
  }
  ASSIGN_OR_RETURN(const std::vector<std::vector<WindowUsage>> usages, store_.Usage(checks));
  std::vector<QuotaUsage> rows;
  for (size_t i = 0; i < checks.size(); ++i) {
    for (size_t w = 0; w < checks[i].windows.size(); ++w) {
      if (usages[i][w].used == 0) continue;
      const Window& window = checks[i].windows[w];
      rows.push_back({std::string(checks[i].log), checks[i].subject.kind == Subject::Kind::kGuest, window.length,
                      usages[i][w].used, window.max_calls, usages[i][w].resets_at});
    }
  }
  return rows;
}

}  // namespace toolgate::security::rate_limit
