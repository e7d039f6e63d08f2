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

// A number of the country with valid check digits.
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

struct Row {
  std::string text;
  std::string masked;  // Empty: unchanged.
};

template <size_t N>
void ExpectMasks(const Row (&rows)[N]) {
  const Masker masker;
  for (const Row& row : rows) {
    const std::string masked = masker.Mask(row.text);
    EXPECT_EQ(masked, row.masked.empty() ? row.text : row.masked);
    EXPECT_EQ(masker.Mask(masked), masked) << "masked once more";
  }
}

TEST(FindGluedNumberTest, ANumberIsMaskedBesideItsCurrencyOrName) {
  const Row rows[] = {
      {"EUR4242424242424242", "EUR[masked:card]"},
      {"paid usd4242424242424242.", "paid usd[masked:card]."},
      {"4242424242424242EUR", "[masked:card]EUR"},
      {"4242 4242 4242 4242EUR, ok", "[masked:card]EUR, ok"},
      {"DE89370400440532013000EUR", "[masked:iban]EUR"},
      {"DE89 3704 0044 0532 0130 00EUR", "[masked:iban]EUR"},
      {"IBANDE89370400440532013000", "IBAN[masked:iban]"},
      {"IbanGB82WEST12345698765432 x", "Iban[masked:iban] x"},
      {"EURDE89 3704 0044 0532 0130 00", "EUR[masked:iban]"},
      {"card4242424242424242", "card[masked:card]"},
      {"VISA4242 4242 4242 4242", "VISA[masked:card]"},
      {"SSN536-90-4399", "SSN[masked:national-id]"},
      {"CPF52998224725", "CPF[masked:national-id]"},
      // Ids, amounts and hashes.
      {"INV4242424242424242", ""},
      {"order4242424242424242", ""},
      {"EUR52998224725", ""},
      {"4242424242424242EURO", ""},
      {"4242424242424242kg", ""},
      {"DE89370400440532013000X", ""},
      {"card2024, visa4, IBAN22", ""},
      {"cardDE8937040044053201300", ""},
  };
  ExpectMasks(rows);
}

TEST(FindNumberTest, AColumnBeforeAnIdIsNotTheIntegralPartOfANumber) {
  const Row rows[] = {
      {"1,52998224725,2", "1,[masked:national-id],2"},
      {"12,536-90-4399", "12,[masked:national-id]"},
      {"7,756.1234.5678.97", "7,[masked:national-id]"},
      {"3,44051401359", "3,[masked:national-id]"},
      {"5,1112.22.333", "5,[masked:national-id]"},
      {"0,52998224725", ""},
      {"3.52998224725", ""},
      {"1,234,567", ""},
  };
  ExpectMasks(rows);
}

TEST(FindNumberTest, IdsOfCanadaAndSouthAfricaAreMaskedWhereTheyAreToldFromOtherNumbers) {
  const Row rows[] = {
      {"SIN: 046-454-286", "SIN: [masked:national-id]"},
      {"social insurance number 046 454 286", "social insurance number [masked:national-id]"},
      {"SIN 046454286", "SIN [masked:national-id]"},
      {"part 046-454-286", ""},
      {"SIN 046454287, SIN 000000000", ""},
      {"8001015009087", "[masked:national-id]"},
      {"south african id: 8001015009087", "south african id: [masked:national-id]"},
      {"ID number 1402295000084", "ID number [masked:national-id]"},
      {"SA ID 140229 5000 08 4", "SA ID [masked:national-id]"},
      {"at 1402295000084", ""},
      {"8001015009088", ""},
  };
  ExpectMasks(rows);
}

TEST(FindNumberTest, AnIdInItsGroupsIsMaskedBehindAMark) {
  const Row rows[] = {
      {"#536-90-4399", "#[masked:national-id]"},
      {"_536-90-4399_", "_[masked:national-id]_"},
      {"ref_529.982.247-25", "ref_[masked:national-id]"},
      {"ref_756.1234.5678.97.pdf", "ref_[masked:national-id].pdf"},
      {"#52998224725, ref_52998224725", ""},
      {"#415-555-2671", ""},
      {"2024-536-90-4399", ""},
      {"img_2024-01-02", ""},
  };
  ExpectMasks(rows);
}

TEST(FindNumberTest, RowsOfZerosAreNoPhone) {
  const Row rows[] = {{"0000 0000 0000 0000", ""}, {"000-000-0000", ""}, {"00000000", ""}};
  ExpectMasks(rows);
}

TEST(FindIpV4Test, AVersionBehindItsProgramOrBeforeItsBuildIsNoAddress) {
  const Row rows[] = {
      {"SQLite 3.40.1.0 build", ""},
      {"built with OpenSSL 1.1.1.2", ""},
      {"Acme 4.2.0.1 build 17", ""},
      {"nginx 10.0.0.5 - -", "nginx [masked:ip] - -"},
      {"connected to 8.8.8.8", "connected to [masked:ip]"},
  };
  ExpectMasks(rows);
}

}  // namespace
}  // namespace toolgate::security::safe_errors
