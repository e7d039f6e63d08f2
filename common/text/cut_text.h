// Text that is shown to people in bounds.
#ifndef TOOLGATE_COMMON_TEXT_CUT_TEXT_H_
#define TOOLGATE_COMMON_TEXT_CUT_TEXT_H_

#include <cstddef>
#include <string>

#include "common/text/utf8.h"

namespace toolgate::text {

// The first `max` bytes of UTF-8 `text` at most, cut where a character ends. What was cut ends in a mark that is not
// JSON, so that nobody takes it for the whole.
inline std::string CutText(std::string text, size_t max) {
  if (text.size() <= max) return text;
  text.resize(PrefixOfBytes(text, max).size());
  return text + "…";
}

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_CUT_TEXT_H_
