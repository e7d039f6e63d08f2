// Check digits of numbers that identify people and accounts. All functions are pure.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_

#include <string_view>

namespace toolgate::security::safe_errors {

// `digits` holds only decimal digits in these.
bool PassesLuhn(std::string_view digits);

// A payment card number: length, issuer range and Luhn.
bool IsCardNumber(std::string_view digits);

// A US social security number's rules on its three groups, 9 digits.
bool IsSsn(std::string_view digits);

// A national id with a check digit, by its length: Brazil's CPF and Poland's PESEL (11), Germany's tax id (11), India's
// Aadhaar (12), South Africa's id (13), France's NIR (15), China's (18, the last may be X).
bool IsNationalId(std::string_view digits);

// `compact` has no blanks: two letters, two digits, up to 30 letters or digits of the country's length; ISO 7064
// mod 97-10.
bool IsIban(std::string_view compact);

// Spain's DNI and NIE: eight digits (or X, Y, Z and seven) and a check letter.
bool IsSpanishId(std::string_view compact);

// Italy's codice fiscale: sixteen letters and digits, the last a check letter.
bool IsItalianTaxCode(std::string_view compact);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_
