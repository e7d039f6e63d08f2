// What the process's exit status says. Part of the command line's contract: numbers are never reused.
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
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeMeaning, 11> kExitCodes = {{
    {ExitCode::kOk, "done"},
    {ExitCode::kToolFailed, "the tool ran and failed"},
    {ExitCode::kUsage, "the command line or the arguments are wrong; nothing was sent"},
    {ExitCode::kRefused,
     "the service refused the call and ran nothing; the message names the layer, where one refused it"},
    {ExitCode::kConfirmationNeeded, "a person must approve first; nothing was run"},
    {ExitCode::kUnreachable, "the service cannot be reached"},
    {ExitCode::kChainBroken, "the audit log's hash chain is broken"},
    {ExitCode::kDeclined, "a person declined, or the approval had expired; nothing was run"},
    {ExitCode::kTimedOut, "no answer; what came of the call is unknown"},
    {ExitCode::kLocalFile, "a local file or its content is at fault"},
    {ExitCode::kServiceFault, "the service failed in a way that it did not explain"},
}};

constexpr std::string_view MeaningOf(ExitCode code) { return kExitCodes[static_cast<size_t>(code)].meaning; }

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_EXIT_CODE_H_
