// Writes the table of characters that look like ASCII letters or digits, from ICU's confusables data. Run by the build.
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

namespace {

icu::UnicodeString SkeletonOf(USpoofChecker* checker, UChar32 code, UErrorCode& status) {
  icu::UnicodeString out;
  uspoof_getSkeletonUnicodeString(checker, 0, icu::UnicodeString(code), out, &status);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: confusables_generator OUTPUT\n";
    return 2;
  }
  UErrorCode status = U_ZERO_ERROR;
  USpoofChecker* checker = uspoof_open(&status);
  std::map<icu::UnicodeString, char> letters;
  // Upper-case letters first, so that if both cases have skeletons of their own the lower-case one wins; "l" represents
  // I, l and 1 alike.
  for (char c = 'A'; c <= 'Z'; ++c) letters[SkeletonOf(checker, c, status)] = static_cast<char>(c - 'A' + 'a');
  for (char c = 'a'; c <= 'z'; ++c) letters[SkeletonOf(checker, c, status)] = c;
  std::ofstream out(argv[1]);
  int rows = 0;
  for (UChar32 code = 0x80; code <= 0x1FFFF && U_SUCCESS(status); ++code) {
    // A folded text contains only characters that case folding leaves unchanged.
    if (!u_isalpha(code) || u_foldCase(code, U_FOLD_CASE_DEFAULT) != code) continue;
    const auto place = letters.find(SkeletonOf(checker, code, status));
    if (place == letters.end()) continue;
    char row[32];
    std::snprintf(row, sizeof(row), "{0x%X, '%c'},\n", static_cast<unsigned>(code), place->second);
    out << row;
    ++rows;
  }
  uspoof_close(checker);
  if (U_FAILURE(status) || rows == 0 || !out) {
    std::cerr << "confusables_generator: " << u_errorName(status) << "\n";
    return 1;
  }
  return 0;
}
