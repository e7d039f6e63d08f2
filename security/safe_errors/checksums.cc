#include "security/safe_errors/checksums.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

bool IsDayAndMonth(int day, int month) { return day >= 1 && day <= 31 && month >= 1 && month <= 12; }
int TwoDigits(std::string_view d, size_t i) { return Digit(d, i) * 10 + Digit(d, i + 1); }

int64_t Number(std::string_view d) {
  int64_t number = 0;
  for (size_t i = 0; i < d.size(); ++i) number = number * 10 + Digit(d, i);
  return number;
}

// Belgium: date of birth, a serial number, 97 minus the remainder of both; since 2000 with a 2 before them. Months are
// 20 or 40 higher for people who are not residents.
bool IsBelgianNumber(std::string_view d) {
  const int month = TwoDigits(d, 2) % 20;
  if (TwoDigits(d, 2) > 52 || month > 12 || TwoDigits(d, 4) > 31) return false;
  const int64_t body = Number(d.substr(0, 9));
  const int check = TwoDigits(d, 9);
  return body > 0 && (97 - body % 97 == check || 97 - (2'000'000'000 + body) % 97 == check);
}

// Norway: date of birth (a day higher by 40 marks a temporary number), two check digits mod 11.
bool IsNorwegianNumber(std::string_view d) {
  constexpr std::array<int, 9> kFirst = {3, 7, 6, 1, 8, 9, 4, 5, 2};
  constexpr std::array<int, 10> kSecond = {5, 4, 3, 2, 7, 6, 5, 4, 3, 2};
  if (!IsDayAndMonth(TwoDigits(d, 0) % 40, TwoDigits(d, 2))) return false;
  int first = 0;
  for (size_t i = 0; i < kFirst.size(); ++i) first += Digit(d, i) * kFirst[i];
  int second = 0;
  for (size_t i = 0; i < kSecond.size(); ++i) second += Digit(d, i) * kSecond[i];
  return (11 - first % 11) % 11 == Digit(d, 9) && (11 - second % 11) % 11 == Digit(d, 10);
}

// Switzerland: the country, nine digits, the check digit of bar codes.
bool IsSwissNumber(std::string_view d) {
  if (d.substr(0, 3) != "756") return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += Digit(d, i) * (i % 2 == 0 ? 1 : 3);
  return (10 - sum % 10) % 10 == Digit(d, 12);
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

// France: sex, year, month, then a key of 97 minus the remainder.
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

// Lengths of each country's account numbers: ISO 13616's registry, then countries outside of it whose banks issue such
// numbers.
constexpr struct {
  std::string_view country;
  size_t length;
} kIbanLengths[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22}, {"BH", 22},
    {"BI", 27}, {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24}, {"DE", 22}, {"DJ", 27},
    {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18}, {"FK", 18}, {"FO", 18}, {"FR", 27},
    {"GB", 22}, {"GE", 22}, {"GI", 23}, {"GL", 18}, {"GR", 27}, {"GT", 28}, {"HN", 28}, {"HR", 21}, {"HU", 28},
    {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26}, {"IT", 27}, {"JO", 30}, {"KW", 30}, {"KZ", 20}, {"LB", 28},
    {"LC", 32}, {"LI", 21}, {"LT", 20}, {"LU", 20}, {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22},
    {"MK", 19}, {"MN", 20}, {"MR", 27}, {"MT", 31}, {"MU", 30}, {"NI", 28}, {"NL", 18}, {"NO", 15}, {"OM", 23},
    {"PK", 24}, {"PL", 28}, {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"RU", 33}, {"SA", 24},
    {"SC", 31}, {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27}, {"SO", 23}, {"ST", 25}, {"SV", 28},
    {"TL", 23}, {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20}, {"YE", 30}, {"AO", 25},
    {"BF", 28}, {"BJ", 28}, {"CF", 27}, {"CG", 27}, {"CI", 28}, {"CM", 27}, {"CV", 25}, {"DZ", 26}, {"GA", 27},
    {"GQ", 27}, {"GW", 25}, {"IR", 26}, {"KM", 27}, {"MA", 28}, {"MG", 27}, {"ML", 28}, {"MZ", 25}, {"NE", 28},
    {"SN", 28}, {"TD", 27}, {"TG", 28},
};

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
      return IsCpf(digits) || IsPesel(digits) || IsGermanTaxId(digits) || IsBelgianNumber(digits) ||
             IsNorwegianNumber(digits);
    case 12:
      return IsAadhaar(digits);
    case 13:
      return IsSouthAfricanId(digits) || IsSwissNumber(digits);
    case 15:
      return IsNir(digits);
    case 18:
      return IsChineseId(digits);
    default:
      return false;
  }
}

bool IsBsn(std::string_view digits) {
  if (digits.size() != 9 || AllSame(digits)) return false;
  int sum = -Digit(digits, 8);
  for (size_t i = 0; i < 8; ++i) sum += Digit(digits, i) * static_cast<int>(9 - i);
  return sum % 11 == 0;
}

bool IsSin(std::string_view digits) {
  return digits.size() == 9 && !AllSame(digits) && digits[0] != '8' && PassesLuhn(digits);
}

bool IsSwedishId(std::string_view digits) {
  if (digits.size() == 12) {
    if (digits.substr(0, 2) != "19" && digits.substr(0, 2) != "20") return false;
    digits.remove_prefix(2);
  }
  // A day higher by 60 marks a number for people who do not live there.
  return digits.size() == 10 && IsDayAndMonth(TwoDigits(digits, 4) % 60, TwoDigits(digits, 2)) && PassesLuhn(digits);
}

bool IsDanishNumber(std::string_view digits) {
  return digits.size() == 10 && IsDayAndMonth(TwoDigits(digits, 0), TwoDigits(digits, 2));
}

size_t IbanLength(std::string_view country) {
  if (country.size() != 2) return 0;
  const char code[] = {Upper(country[0]), Upper(country[1])};
  const auto* const row = std::find_if(std::begin(kIbanLengths), std::end(kIbanLengths),
                                       [&](const auto& of) { return of.country == std::string_view(code, 2); });
  return row == std::end(kIbanLengths) ? 0 : row->length;
}

bool IsIban(std::string_view compact) {
  if (compact.size() < 4 || compact.size() != IbanLength(compact.substr(0, 2))) return false;
  if (!IsDigit(compact[2]) || !IsDigit(compact[3])) return false;
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

bool IsSingaporeanId(std::string_view compact) {
  if (compact.size() != 9 || !std::all_of(compact.begin() + 1, compact.begin() + 8, IsDigit)) return false;
  constexpr std::array<int, 7> kWeights = {2, 7, 6, 5, 4, 3, 2};
  int sum = 0;
  for (size_t i = 0; i < kWeights.size(); ++i) sum += Digit(compact, i + 1) * kWeights[i];
  switch (compact[0]) {
    case 'S':
      return "JZIHGFEDCBA"[sum % 11] == compact[8];
    case 'T':
      return "JZIHGFEDCBA"[(sum + 4) % 11] == compact[8];
    case 'F':
      return "XWUTRQPNMLK"[sum % 11] == compact[8];
    case 'G':
      return "XWUTRQPNMLK"[(sum + 4) % 11] == compact[8];
    case 'M':
      return "XWUTRQPNJLK"[(sum + 3) % 11] == compact[8];
    default:
      return false;
  }
}

bool IsFinnishId(std::string_view compact) {
  constexpr std::string_view kCenturies = "+-ABCDEFUVWXY";
  if (compact.size() != 11 || kCenturies.find(compact[6]) == std::string_view::npos) return false;
  const std::string digits = std::string(compact.substr(0, 6)) + std::string(compact.substr(7, 3));
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return false;
  if (!IsDayAndMonth(TwoDigits(digits, 0), TwoDigits(digits, 2))) return false;
  return "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] == compact[10];
}

bool IsNationalInsuranceNumber(std::string_view compact) {
  if (compact.size() != 9 || !std::all_of(compact.begin() + 2, compact.begin() + 8, IsDigit)) return false;
  constexpr std::string_view kNeverFirst = "DFIQUV";
  constexpr std::string_view kNeverGiven[] = {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
  const auto in = [&](char c, std::string_view letters) { return letters.find(c) != std::string_view::npos; };
  const std::string_view prefix = compact.substr(0, 2);
  return IsCapital(prefix[0]) && IsCapital(prefix[1]) && !in(prefix[0], kNeverFirst) && !in(prefix[1], kNeverFirst) &&
         prefix[1] != 'O' &&
         std::find(std::begin(kNeverGiven), std::end(kNeverGiven), prefix) == std::end(kNeverGiven) &&
         compact[8] >= 'A' && compact[8] <= 'D';
}

bool IsCorsicanNir(std::string_view compact) {
  if (compact.size() != 15 || compact[5] != '2' || (compact[6] != 'A' && compact[6] != 'B')) return false;
  if (compact[0] != '1' && compact[0] != '2') return false;
  std::string digits(compact);
  digits[5] = '1';
  digits[6] = compact[6] == 'A' ? '9' : '8';  // As 19 and 18.
  if (!std::all_of(digits.begin(), digits.end(), IsDigit) || !IsDayAndMonth(1, TwoDigits(digits, 3))) return false;
  return 97 - Number(digits.substr(0, 13)) % 97 == TwoDigits(digits, 13);
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
