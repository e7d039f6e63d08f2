// Outcomes of calls, as a load test counts them.
#ifndef TOOLGATE_CLI_LOAD_STATS_OUTCOME_H_
#define TOOLGATE_CLI_LOAD_STATS_OUTCOME_H_

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate::cli::load::stats {

enum class OutcomeKind {
  kOk,            // The call did as asked.
  kConfirmation,  // The answer was a question for a person.
  kToolFailed,    // gRPC status OK, but the tool ran and failed.
  kRefused,       // The service refused the call and gave a reason.
  kTransport,     // A gRPC status without a reason: connection, deadline, or something in between.
};

inline constexpr std::array<std::string_view, 5> kOutcomeKindNames = {"ok", "confirmation", "tool_failed", "refused",
                                                                      "transport"};

constexpr std::string_view NameOf(OutcomeKind kind) { return kOutcomeKindNames[static_cast<size_t>(kind)]; }

// Code of an OK answer without the finding of layer 1 that the profile expects.
inline constexpr std::string_view kNotDetected = "NOT_DETECTED";

struct Outcome {
  OutcomeKind kind = OutcomeKind::kOk;
  // "OK", kNotDetected, "CONFIRMATION_REQUIRED", the code of the tool's error or of the refusal ("RATE_LIMITED"), or
  // the name of the gRPC status ("UNAVAILABLE").
  std::string code = "OK";
  // Name of the gRPC status.
  std::string grpc_status = "OK";

  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};

}  // namespace toolgate::cli::load::stats

#endif  // TOOLGATE_CLI_LOAD_STATS_OUTCOME_H_
