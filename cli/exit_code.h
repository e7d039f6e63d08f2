// Exit codes of the command line. They are part of its contract: numbers are never reused.
#ifndef TOOLGATE_CLI_EXIT_CODE_H_
#define TOOLGATE_CLI_EXIT_CODE_H_

#include <array>
#include <string_view>

namespace toolgate::cli {

enum class ExitCode {
  kOk = 0,
  kToolFailed = 1,
  kUsage = 2,
  kRefused = 3,
  kConfirmationNeeded = 4,
  kUnreachable = 5,
  kChainBroken = 6,
  kDeclined = 7,
  kTimedOut = 8,
  kLocalFile = 9,
  kServiceFault = 10,
  kNotReady = 11,
  kThresholdNotMet = 12,
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeMeaning, 13> kExitCodes = {{
    {ExitCode::kOk, "success"},
    {ExitCode::kToolFailed, "the tool ran and failed"},
    {ExitCode::kUsage, "the command line or its arguments are invalid; nothing was sent"},
    {ExitCode::kRefused,
     "the service refused the call and ran nothing; the message names the layer that refused it, if any"},
    {ExitCode::kConfirmationNeeded, "the call needs a person's approval; nothing was run"},
    {ExitCode::kUnreachable, "the service cannot be reached"},
    {ExitCode::kChainBroken, "the audit log's hash chain is broken"},
    {ExitCode::kDeclined, "a person declined, or the approval has expired; nothing was run"},
    {ExitCode::kTimedOut, "no answer; it is unknown whether the call ran"},
    {ExitCode::kLocalFile, "a local file is invalid, or could not be read or written"},
    {ExitCode::kServiceFault, "the service failed without giving a reason"},
    {ExitCode::kNotReady, "the service is alive, but not ready for calls"},
    {ExitCode::kThresholdNotMet, "the load test did not meet a threshold, or no call had an expected outcome"},
}};

constexpr std::string_view MeaningOf(ExitCode code) { return kExitCodes[static_cast<size_t>(code)].meaning; }

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_EXIT_CODE_H_
