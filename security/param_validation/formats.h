// The values of the keywords "format" and "x-toolgate-format" that can be asserted.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_FORMATS_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_FORMATS_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::param_validation {

struct Format {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view example;     // For messages.
  std::string_view forms = {};  // All accepted forms, if one example does not show them.

  // Description of a valid value, for people.
  std::string Expected() const;
};

// nullptr for an unknown name, which is then only an annotation.
const Format* FindFormat(std::string_view name);

// For toolgate's own keyword "x-toolgate-format", whose values no other validator knows; nullptr for an unknown one.
//   date-or-words    accepts what ParseDate reads
const Format* FindOwnFormat(std::string_view name);

// Names for FindFormat.
std::vector<std::string_view> FormatNames();

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_FORMATS_H_
