// Text that is shown to people in bounds.
#ifndef TOOLGATE_COMMON_CUT_TEXT_H_
#define TOOLGATE_COMMON_CUT_TEXT_H_

#include <cstddef>
#include <string>

namespace toolgate {

// The first `max` bytes of UTF-8 `text` at most, cut where a character ends. What was cut ends in a mark that is not
// JSON, so that nobody takes it for the whole.
inline std::string CutText(std::string text, size_t max) {
  if (text.size() <= max) return text;
  size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "…";
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_CUT_TEXT_H_
