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
  std::string_view forms = {};  // All that is taken, where one example would not tell it.

  // What would be right, for people.
  std::string Expected() const;
};

// nullptr for a name that is not known, which is then only an annotation.
const Format* FindFormat(std::string_view name);

// Of toolgate's own keyword "x-toolgate-format", whose values no other validator knows; nullptr for an unknown one.
//   date-or-words    what ParseDate reads
const Format* FindOwnFormat(std::string_view name);

// The names that FindFormat knows.
std::vector<std::string_view> FormatNames();

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_FORMATS_H_
