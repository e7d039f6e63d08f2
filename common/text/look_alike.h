// Names that look the same and are made of other characters.
#ifndef TOOLGATE_COMMON_TEXT_LOOK_ALIKE_H_
#define TOOLGATE_COMMON_TEXT_LOOK_ALIKE_H_

#include <string>
#include <string_view>

namespace toolgate::text {

// The form in which names are equal that differ only in how they write accents (macOS takes them apart, others do not)
// and in the kind of their blanks (macOS puts U+202F into the names of screenshots): NFC, with each character of
// Unicode's category Zs as a space. Letters keep their case. Ill-formed UTF-8 stays as it is.
std::string LookAlikeForm(std::string_view name);

// Whether the names look the same: LookAlikeForm(a) == LookAlikeForm(b).
bool LooksAlike(std::string_view a, std::string_view b);

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_LOOK_ALIKE_H_
