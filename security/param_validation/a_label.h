// Encoded labels of host names: RFC 5890's A-labels.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_A_LABEL_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_A_LABEL_H_

#include <string_view>

namespace toolgate::security::param_validation {

// Whether a label must be decoded: it begins with "xn--", in any case.
bool LooksLikeALabel(std::string_view label);

// Whether such a label decodes to one that RFC 5891 and RFC 5892 allow. Uses ICU's UTS #46, which accepts some symbols
// that the RFCs do not. Thread-safe.
bool IsSoundALabel(std::string_view label);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_A_LABEL_H_
