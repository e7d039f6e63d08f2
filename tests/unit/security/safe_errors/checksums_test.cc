#include "security/safe_errors/checksums.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

TEST(ChecksumsTest, OneWrongDigitIsNoticed) {
  const std::string valid[] = {"52998224725", "44051401359", "36574261809", "110105194912310027"};
  int accepted = 0;
  for (const std::string& id : {valid[0], valid[1], valid[2]}) {
    EXPECT_TRUE(IsNationalId(id)) << id;
    for (size_t i = 0; i < id.size(); ++i) {
      std::string wrong = id;
      wrong[i] = static_cast<char>('0' + (wrong[i] - '0' + 1) % 10);
      accepted += IsNationalId(wrong) ? 1 : 0;
    }
  }
  // Another country's check digit may match by chance.
  EXPECT_LE(accepted, 3);
}

TEST(ChecksumsTest, IbansOfSeveralCountries) {
  for (const char* iban : {"DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606",
                           "NL91ABNA0417164300", "CH9300762011623852957", "no9386011117947"}) {
    EXPECT_TRUE(IsIban(iban)) << iban;
  }
  EXPECT_FALSE(IsIban("DE89370400440532013001"));
  EXPECT_FALSE(IsIban("XX"));
}

TEST(ChecksumsTest, CardsByIssuerAndLuhn) {
  for (const char* card : {"4111111111111111", "5555555555554444", "378282246310005", "6011111111111117",
                           "3530111333300000", "30569309025904", "2223003122003222"}) {
    EXPECT_TRUE(IsCardNumber(card)) << card;
  }
  EXPECT_FALSE(IsCardNumber("4111111111111112"));
  EXPECT_FALSE(IsCardNumber("0000000000000000"));
  EXPECT_FALSE(IsCardNumber("1234567812345670"));
}

TEST(ChecksumsTest, AadhaarAndOthers) {
  EXPECT_TRUE(IsNationalId("234123412346"));
  EXPECT_FALSE(IsNationalId("234123412347"));
  EXPECT_TRUE(IsNationalId("8001015009087"));
  EXPECT_TRUE(IsNationalId("255081416802538"));
  EXPECT_TRUE(IsSsn("536904399"));
  EXPECT_FALSE(IsSsn("666904399"));
  EXPECT_TRUE(IsSpanishId("X1234567L"));
  EXPECT_FALSE(IsSpanishId("X1234567M"));
}

}  // namespace
}  // namespace toolgate::security::safe_errors
