// Results of tools from outside: scanned, and delimited so that a model can distinguish them from its instructions.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_UNTRUSTED_OUTPUT_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_UNTRUSTED_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "security/injection_defence/detector.h"
#include "security/tool_call.h"

namespace toolgate::security::injection_defence {

// Thread-safe. Borrows both.
class UntrustedOutput {
 public:
  UntrustedOutput(const Detector& detector, IdSource& ids) : detector_(detector), ids_(ids) {}

  // The findings in `text` if its score reaches the threshold, and the reasons for which it could not be read in every
  // way. Their path is `path`.
  std::vector<Finding> Scan(std::string_view text, std::string_view path, Effort effort = Effort::kAllReadings) const;

  // 128 random bits as hex, for Delimit.
  std::string NewBoundary() const;

 private:
  const Detector& detector_;
  IdSource& ids_;
};

// Puts `text` between two marks that carry `boundary`, which a text cannot have known when it was written. Anything in
// `text` that looks like such a mark, or like the control marks of chat templates, is made harmless.
std::string Delimit(std::string_view boundary, std::string_view text);

// Replaces the first character of anything in `text` that looks like a delimiter by a look-alike. JSON stays the same
// JSON except for its strings.
std::string Neutralise(std::string_view text);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_UNTRUSTED_OUTPUT_H_
