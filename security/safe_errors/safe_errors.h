// Layer 5: decides what callers may see of failures.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SAFE_ERRORS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SAFE_ERRORS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/tool_error.h"
#include "security/layer.h"
#include "security/safe_errors/error_log.h"
#include "security/safe_errors/masker.h"
#include "security/safe_errors/scrubber.h"

namespace toolgate::security::safe_errors {

// The outermost layer. Whatever fails below leaves as a ToolError: one that was written for the caller passes with its
// texts masked and scrubbed, but for the names of files that it carries (common/file_names.h); a failure of the store
// becomes OVERLOADED when it may pass, and any other failure, exceptions included, EXECUTION_ERROR, both with a
// reference id; the full story goes to the ErrorLog under that id. Nothing else in the process writes error text for
// callers. The places of layer 1's findings are masked as well, and so is what the call sends while it runs.
// Thread-safe. Borrows everything it is given.
class SafeErrors final : public Layer {
 public:
  SafeErrors(const Masker& masker, IdSource& ids, const Clock& clock, ErrorLog& log)
      : masker_(masker), secrets_(MaskLevel::kSecrets, masker.known()), ids_(ids), clock_(clock), log_(log) {}

  std::string_view name() const override { return "safe_errors"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // The part of `status`, which is not OK, that a caller may see. If that is only a reference, reports the details to
  // the log.
  ToolError Sanitise(const absl::Status& status, const ToolCall& call) const;

 private:
  absl::StatusOr<ToolResult> RunWithEvents(ToolCall& call, Next next) const;
  std::string Report(const absl::Status& status, const ToolCall& call) const;
  ToolError StoreFault(const absl::Status& status, const ToolCall& call) const;
  ToolError Unknown(const absl::Status& status, const ToolCall& call) const;
  void Clean(ToolError& error) const;
  void Clean(std::string& text) const;
  std::string CleanMessage(const ToolError& error) const;
  std::string CleanName(std::string_view name) const;

  const Masker& masker_;
  const Masker secrets_;
  const Scrubber scrubber_;
  IdSource& ids_;
  const Clock& clock_;
  ErrorLog& log_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SAFE_ERRORS_H_
