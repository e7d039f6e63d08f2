// Results of tools from outside: scanned, and set apart so that a model can tell it from its instructions.
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

  // The findings in `text`, empty when its score is below the threshold. Their path is `path`.
  std::vector<Finding> Scan(std::string_view text, std::string_view path) const;

  // 128 random bits as hex, for Delimit.
  std::string NewBoundary() const;

 private:
  const Detector& detector_;
  IdSource& ids_;
};

// `text` between two marks that carry `boundary`, which no text can have known when it was written. Whatever in `text`
// looks like such a mark, or like the control marks of chat templates, is made harmless.
std::string Delimit(std::string_view boundary, std::string_view text);

// `text` with the first character of whatever looks like a delimiter replaced by one that looks like it. JSON stays the
// same JSON but for its strings.
std::string Neutralise(std::string_view text);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_UNTRUSTED_OUTPUT_H_
