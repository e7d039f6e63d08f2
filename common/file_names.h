// Names of a workspace's files in errors.
//
// A name may look like a host ("settings.local.json"), an e-mail address ("logo@2x.svg") or a number that names a
// person, and layer 5 would mask it in the text of an error. So it rides along as a fact, and layer 5 takes its first
// appearance in quotes in the message, and the fact, as what they are: a name, in which only secrets are masked. A name
// that is absolute is none of a workspace, and treated as any text.
#ifndef TOOLGATE_COMMON_FILE_NAMES_H_
#define TOOLGATE_COMMON_FILE_NAMES_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate {

// The facts that hold names of files, relative to the workspace's directory: the one that an error is about, another
// one that matters, and that one with every character beyond ASCII escaped as in JSON.
inline constexpr std::string_view kFileFact = "file";
inline constexpr std::string_view kOtherFileFact = "otherFile";
inline constexpr std::string_view kEscapedFileFact = "otherFileEscaped";

inline bool IsFileFact(std::string_view name) {
  return name == kFileFact || name == kOtherFileFact || name == kEscapedFileFact;
}

inline bool IsWorkspaceName(std::string_view name) {
  return !name.empty() && name.front() != '/' && name.front() != '~' && name.find('\n') == std::string_view::npos;
}

// An error about a file, `"<name>" <problem>`, with its name as a fact.
inline ToolError FileNameError(ErrorCode code, std::string_view name, std::string_view problem) {
  const absl::Status status = MakeError(code, absl::StrCat("\"", ToAbsl(name), "\" ", ToAbsl(problem)));
  ToolError error = GetToolError(status).value_or(ToolError());
  error.facts.emplace_back(kFileFact, name);
  return error;
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_FILE_NAMES_H_
