// Comparing text without regard to case.
#ifndef TOOLGATE_COMMON_TEXT_FOLD_CASE_H_
#define TOOLGATE_COMMON_TEXT_FOLD_CASE_H_

#include <string>
#include <string_view>

namespace toolgate::text {

// The form in which texts that differ only in case are equal: "Übung", "ÜBUNG" and "übung" alike, also when one of them
// writes its accents apart (NFKC with case folding). Ill-formed UTF-8 stays as it is but for its ASCII letters.
std::string FoldCase(std::string_view text);

// As FoldCase, but without accents and other marks: "resume" for "Résumé".
std::string FoldMarks(std::string_view text);

// FoldCase(a) == FoldCase(b), without making either where both are ASCII.
bool EqualFolded(std::string_view a, std::string_view b);

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_FOLD_CASE_H_
