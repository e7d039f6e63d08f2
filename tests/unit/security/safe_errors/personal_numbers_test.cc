#include "security/safe_errors/personal_numbers.h"

#include <random>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "security/safe_errors/checksums.h"
#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {
namespace {

// ISO 13616's registry, with a national part of each country's form: "n" digits, "a" capitals.
struct Country {
  std::string_view code;
  std::string_view form;
};
constexpr Country kCountries[] = {{"AD", "nnnnnnnnaannnnnnnnnn"},
                                  {"AE", "nnnnnnnnnnnnnnnnnnn"},
                                  {"AL", "nnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"AT", "nnnnnnnnnnnnnnnn"},
                                  {"AZ", "aaaannnnnnnnnnnnnnnnnnnn"},
                                  {"BA", "nnnnnnnnnnnnnnnn"},
                                  {"BE", "nnnnnnnnnnnn"},
                                  {"BG", "aaaannnnnnnnnnnnnn"},
                                  {"BH", "aaaannnnnnnnnnnnnn"},
                                  {"BR", "nnnnnnnnnnnnnnnnnnnnnnnan"},
                                  {"BY", "aaaannnnnnnnnnnnnnnnnnnn"},
                                  {"CH", "nnnnnnnnnnnnnnnnn"},
                                  {"CR", "nnnnnnnnnnnnnnnnnn"},
                                  {"CY", "nnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"CZ", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"DE", "nnnnnnnnnnnnnnnnnn"},
                                  {"DK", "nnnnnnnnnnnnnn"},
                                  {"DO", "aaaannnnnnnnnnnnnnnnnnnn"},
                                  {"EE", "nnnnnnnnnnnnnnnn"},
                                  {"EG", "nnnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"ES", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"FI", "nnnnnnnnnnnnnn"},
                                  {"FR", "nnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"GB", "aaaannnnnnnnnnnnnn"},
                                  {"GE", "aannnnnnnnnnnnnnnn"},
                                  {"GI", "aaaannnnnnnnnnnnnnn"},
                                  {"GR", "nnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"HR", "nnnnnnnnnnnnnnnnn"},
                                  {"HU", "nnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"IE", "aaaannnnnnnnnnnnnn"},
                                  {"IL", "nnnnnnnnnnnnnnnnnnn"},
                                  {"IS", "nnnnnnnnnnnnnnnnnnnnnn"},
                                  {"IT", "annnnnnnnnnnnnnnnnnnnnn"},
                                  {"JO", "aaaannnnnnnnnnnnnnnnnnnnnn"},
                                  {"KW", "aaaannnnnnnnnnnnnnnnnnnnnn"},
                                  {"KZ", "nnnaaannnnnnnnnn"},
                                  {"LT", "nnnnnnnnnnnnnnnn"},
                                  {"LU", "nnnnnnnnnnnnnnnn"},
                                  {"LV", "aaaannnnnnnnnnnnn"},
                                  {"MC", "nnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"MT", "aaaannnnnnnnnnnnnnnnnnnnnnn"},
                                  {"MU", "aaaannnnnnnnnnnnnnnnnnnaaa"},
                                  {"NL", "aaaannnnnnnnnn"},
                                  {"NO", "nnnnnnnnnnn"},
                                  {"PK", "aaaannnnnnnnnnnnnnnn"},
                                  {"PL", "nnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"PT", "nnnnnnnnnnnnnnnnnnnnn"},
                                  {"RO", "aaaannnnnnnnnnnnnnnn"},
                                  {"RS", "nnnnnnnnnnnnnnnnnn"},
                                  {"SA", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"SE", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"SI", "nnnnnnnnnnnnnnn"},
                                  {"SK", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"TN", "nnnnnnnnnnnnnnnnnnnn"},
                                  {"TR", "nnnnnnnnnnnnnnnnnnnnnn"},
                                  {"UA", "nnnnnnnnnnnnnnnnnnnnnnnnn"},
                                  {"VG", "aaaannnnnnnnnnnnnnnn"}};

// One of the country's with the check digits that fit.
std::string Iban(const Country& country) {
  std::minstd_rand random(static_cast<unsigned>(country.code[0] * 256 + country.code[1]));
  std::string national;
  for (const char c : country.form) national += static_cast<char>(c == 'n' ? '0' + random() % 10 : 'A' + random() % 26);
  for (int check = 2; check <= 98; ++check) {
    std::string iban = absl::StrFormat("%c%c%02d%s", country.code[0], country.code[1], check, national);
    if (IsIban(iban)) return iban;
  }
  ADD_FAILURE() << std::string(country.code) << " is not known, or not as long";
  return "";
}

std::string InGroups(const std::string& iban, const std::string& gap) {
  std::string grouped;
  for (size_t i = 0; i < iban.size(); ++i) {
    if (i > 0 && i % 4 == 0) grouped += gap;
    grouped += iban[i];
  }
  return grouped;
}

TEST(FindIbanTest, EveryCountrysIbanIsMaskedWhateverStandsAroundIt) {
  const Masker masker;
  for (const Country& country : kCountries) {
    const std::string iban = Iban(country);
    for (const std::string& form :
         {iban, absl::AsciiStrToLower(iban), InGroups(iban, " "), InGroups(iban, "-"), InGroups(iban, "\u00a0")}) {
      for (const char* before : {"", "IBAN: ", "to ", "konto ", "(", "iban=", "\"", "12 ", "BIC COBADEFF, ", "\n"}) {
        for (const char* after :
             {"", " saknas", " gesperrt", " refused", " invalid BIC", " BIC COBADEFFXXX", " is 12 EUR", " 100",
              " 2024-01-31", " und", " a", ".", ",x", ")", "\"", "\n", "-", " - x", "_x"}) {
          EXPECT_EQ(masker.Mask(absl::StrCat(before, form, after)), absl::StrCat(before, "[masked:iban]", after))
              << form;
        }
      }
    }
  }
}

TEST(FindIbanTest, WhatIsLongerOrShorterOrOfNoCountryIsNone) {
  const Masker masker;
  for (const char* text :
       {"DE8937040044053201300", "DE893704004405320130000", "DE88370400440532013000", "DE89 3704 0044 0532 0130 00x",
        "ZZ89370400440532013000", "DE89  3704 0044 0532 0130 00", "SE45 hours after the first alarm sounded"}) {
    EXPECT_EQ(masker.Mask(text).find("[masked:iban]"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
