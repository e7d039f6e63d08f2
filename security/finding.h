// A finding of layer 1.
#ifndef TOOLGATE_SECURITY_FINDING_H_
#define TOOLGATE_SECURITY_FINDING_H_

#include <cstdint>
#include <string>

#include "observability/finding.h"

namespace toolgate::security {

// One rule of layer 1 that matched.
struct Finding {
  std::string rule_id;
  std::string family;
  std::string path;    // JSON pointer of the argument, or "result".
  int64_t offset = 0;  // Byte offset in the argument's UTF-8 text.
  double weight = 0;   // 0 to 1.
  observability::FindingAction action = observability::FindingAction::kRecord;
  observability::FindingSource source = observability::FindingSource::kArguments;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_FINDING_H_
