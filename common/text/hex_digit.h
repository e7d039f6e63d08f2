// Hexadecimal digits.
#ifndef TOOLGATE_COMMON_TEXT_HEX_DIGIT_H_
#define TOOLGATE_COMMON_TEXT_HEX_DIGIT_H_

namespace toolgate::text {

// Value of the digit, in either case; -1 for any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_HEX_DIGIT_H_
