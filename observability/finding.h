// Findings of layer 1, as observers of calls are told of them.
#ifndef TOOLGATE_OBSERVABILITY_FINDING_H_
#define TOOLGATE_OBSERVABILITY_FINDING_H_

#include <string_view>

namespace toolgate::observability {

// Consequence of a finding for its call.
enum class FindingAction {
  kRecord,  // Noted; the call went on.
  kAsk,     // A person had to approve the call.
  kRefuse,  // The call was refused.
};

// Kind of text that a finding is about.
enum class FindingSource {
  kArguments,  // The call's own arguments.
  kOutside,    // Text that the tool brought in from outside the workspace.
};

struct CallFinding {
  std::string_view family;
  FindingAction action = FindingAction::kRecord;
  FindingSource source = FindingSource::kArguments;
};

// "record" and "arguments", and so on: label values and values in log lines.
inline std::string_view FindingActionName(FindingAction action) {
  switch (action) {
    case FindingAction::kRecord:
      return "record";
    case FindingAction::kAsk:
      return "ask";
    case FindingAction::kRefuse:
      break;
  }
  return "refuse";
}

inline std::string_view FindingSourceName(FindingSource source) {
  return source == FindingSource::kArguments ? "arguments" : "outside";
}

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_FINDING_H_
