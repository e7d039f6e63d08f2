#include "security/safe_errors/checksums.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {
namespace {

int Digit(std::string_view digits, size_t i) { return digits[i] - '0'; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool AllSame(std::string_view digits) { return digits.find_first_not_of(digits[0]) == std::string_view::npos; }

// Brazil: two check digits, each mod 11.
bool IsCpf(std::string_view d) {
  if (AllSame(d)) return false;
  for (const size_t length : {size_t{9}, size_t{10}}) {
    int sum = 0;
    for (size_t i = 0; i < length; ++i) sum += Digit(d, i) * static_cast<int>(length + 1 - i);
    if (sum * 10 % 11 % 10 != Digit(d, length)) return false;
  }
  return true;
}

bool IsDateOfPesel(std::string_view d) {
  const int month = (Digit(d, 2) * 10 + Digit(d, 3)) % 20;
  const int day = Digit(d, 4) * 10 + Digit(d, 5);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

// Poland: weights 1 3 7 9.
bool IsPesel(std::string_view d) {
  constexpr std::array<int, 10> kWeights = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
  int sum = 0;
  for (size_t i = 0; i < kWeights.size(); ++i) sum += Digit(d, i) * kWeights[i];
  return (10 - sum % 10) % 10 == Digit(d, 10) && IsDateOfPesel(d);
}

// Germany: ISO 7064 mod 11,10; one digit occurs two or three times among the first ten.
bool IsGermanTaxId(std::string_view d) {
  if (d[0] == '0') return false;
  std::array<int, 10> counts = {};
  for (size_t i = 0; i < 10; ++i) ++counts[Digit(d, i)];
  int repeated = 0;
  for (const int count : counts) {
    if (count > 3) return false;
    if (count > 1) ++repeated;
  }
  if (repeated != 1) return false;
  int product = 10;
  for (size_t i = 0; i < 10; ++i) {
    int sum = (Digit(d, i) + product) % 10;
    if (sum == 0) sum = 10;
    product = sum * 2 % 11;
  }
  return (11 - product) % 10 == Digit(d, 10);
}

// India: Verhoeff's scheme over the dihedral group D5.
bool IsAadhaar(std::string_view d) {
  if (d[0] < '2') return false;
  constexpr int kMultiply[10][10] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 0, 6, 7, 8, 9, 5},
                                     {2, 3, 4, 0, 1, 7, 8, 9, 5, 6}, {3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
                                     {4, 0, 1, 2, 3, 9, 5, 6, 7, 8}, {5, 9, 8, 7, 6, 0, 4, 3, 2, 1},
                                     {6, 5, 9, 8, 7, 1, 0, 4, 3, 2}, {7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
                                     {8, 7, 6, 5, 9, 3, 2, 1, 0, 4}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};
  constexpr int kPermute[8][10] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 5, 7, 6, 2, 8, 3, 0, 9, 4},
                                   {5, 8, 0, 3, 7, 9, 6, 1, 4, 2}, {8, 9, 1, 6, 0, 4, 3, 5, 2, 7},
                                   {9, 4, 5, 3, 1, 2, 6, 8, 7, 0}, {4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
                                   {2, 7, 9, 3, 8, 0, 6, 4, 1, 5}, {7, 0, 4, 6, 9, 1, 3, 2, 5, 8}};
  int check = 0;
  for (size_t i = 0; i < d.size(); ++i) check = kMultiply[check][kPermute[i % 8][Digit(d, d.size() - 1 - i)]];
  return check == 0;
}

// South Africa: date of birth, Luhn.
bool IsSouthAfricanId(std::string_view d) {
  const int month = Digit(d, 2) * 10 + Digit(d, 3);
  const int day = Digit(d, 4) * 10 + Digit(d, 5);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && Digit(d, 10) <= 1 && PassesLuhn(d);
}

// France: sex, year, month, then a key of 97 less the rest.
bool IsNir(std::string_view d) {
  const int month = Digit(d, 3) * 10 + Digit(d, 4);
  if ((d[0] != '1' && d[0] != '2') || month < 1 || (month > 12 && month < 20) || month > 99) return false;
  long long body = 0;
  for (size_t i = 0; i < 13; ++i) body = body * 10 + Digit(d, i);
  return 97 - body % 97 == Digit(d, 13) * 10 + Digit(d, 14);
}

// China: date of birth, ISO 7064 mod 11-2.
bool IsChineseId(std::string_view d) {
  const int year = Digit(d, 6) * 1000 + Digit(d, 7) * 100 + Digit(d, 8) * 10 + Digit(d, 9);
  const int month = Digit(d, 10) * 10 + Digit(d, 11);
  if (year < 1900 || year > 2100 || month < 1 || month > 12) return false;
  int sum = 0;
  for (size_t i = 0; i < 17; ++i) {
    int weight = 1;
    for (size_t k = i; k < 17; ++k) weight = weight * 2 % 11;
    sum += Digit(d, i) * weight;
  }
  return "10X98765432"[sum % 11] == Upper(d[17]);
}

}  // namespace

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int value = Digit(digits, digits.size() - 1 - i);
    if (i % 2 == 1) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum % 10 == 0;
}

bool IsCardNumber(std::string_view digits) {
  if (digits.size() < 13 || digits.size() > 19 || AllSame(digits)) return false;
  const int two = Digit(digits, 0) * 10 + Digit(digits, 1);
  const int four = two * 100 + Digit(digits, 2) * 10 + Digit(digits, 3);
  const size_t n = digits.size();
  const bool issuer = (digits[0] == '4' && (n == 13 || n == 16 || n == 19)) ||
                      (((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) && n == 16) ||
                      (four >= 2200 && four <= 2204 && n >= 16) || ((two == 34 || two == 37) && n == 15) ||
                      ((two == 36 || two == 38 || two == 30) && n >= 14) ||
                      ((four == 6011 || two == 64 || two == 65 || two == 62 || two == 60 || two == 81) && n >= 16) ||
                      (four >= 3528 && four <= 3589 && n >= 16) || ((two == 50 || (two >= 56 && two <= 69)) && n >= 16);
  return issuer && PassesLuhn(digits);
}

bool IsSsn(std::string_view digits) {
  if (digits.size() != 9) return false;
  const std::string_view area = digits.substr(0, 3);
  return area != "000" && area != "666" && area[0] != '9' && digits.substr(3, 2) != "00" && digits.substr(5) != "0000";
}

bool IsNationalId(std::string_view digits) {
  switch (digits.size()) {
    case 11:
      return IsCpf(digits) || IsPesel(digits) || IsGermanTaxId(digits);
    case 12:
      return IsAadhaar(digits);
    case 13:
      return IsSouthAfricanId(digits);
    case 15:
      return IsNir(digits);
    case 18:
      return IsChineseId(digits);
    default:
      return false;
  }
}

bool IsIban(std::string_view compact) {
  if (compact.size() < 15 || compact.size() > 34) return false;
  if (!IsCapital(Upper(compact[0])) || !IsCapital(Upper(compact[1])) || !IsDigit(compact[2]) || !IsDigit(compact[3])) {
    return false;
  }
  int remainder = 0;
  for (size_t i = 0; i < compact.size(); ++i) {
    const char c = Upper(compact[(i + 4) % compact.size()]);
    if (IsDigit(c)) {
      remainder = (remainder * 10 + (c - '0')) % 97;
    } else if (IsCapital(c)) {
      remainder = (remainder * 100 + (c - 'A' + 10)) % 97;
    } else {
      return false;
    }
  }
  return remainder == 1;
}

bool IsSpanishId(std::string_view compact) {
  if (compact.size() != 9) return false;
  int number = 0;
  for (size_t i = 0; i < 8; ++i) {
    const char c = Upper(compact[i]);
    if (i == 0 && c >= 'X' && c <= 'Z') {
      number = c - 'X';
    } else if (IsDigit(c)) {
      number = number * 10 + (c - '0');
    } else {
      return false;
    }
  }
  return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == Upper(compact[8]);
}

bool IsItalianTaxCode(std::string_view compact) {
  if (compact.size() != 16) return false;
  constexpr std::string_view kForm = "LLLLLLNNLNNLNNNL";
  constexpr int kOdd[36] = {1,  0,  5, 7, 9,  13, 15, 17, 19, 21, 1,  0,  5,  7,  9,  13, 15, 17,
                            19, 21, 2, 4, 18, 20, 11, 3,  6,  8,  12, 14, 16, 10, 22, 25, 24, 23};
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    const char c = Upper(compact[i]);
    if (kForm[i] == 'L' ? !IsCapital(c) : !IsDigit(c)) return false;
    if (i == 15) return 'A' + sum % 26 == c;
    const int value = IsDigit(c) ? c - '0' : c - 'A';
    sum += i % 2 == 0 ? kOdd[IsDigit(c) ? value : value + 10] : value;
  }
  return false;
}

}  // namespace toolgate::security::safe_errors
