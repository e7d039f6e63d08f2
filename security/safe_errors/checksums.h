// Check digits of numbers that identify people and accounts. All functions are pure.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_

#include <cstddef>
#include <string_view>

namespace toolgate::security::safe_errors {

// `digits` holds only decimal digits in these.
bool PassesLuhn(std::string_view digits);

// A payment card number: length, issuer range and Luhn.
bool IsCardNumber(std::string_view digits);

// A US social security number's rules on its three groups, 9 digits.
bool IsSsn(std::string_view digits);

// A national id with a check digit, by its length: Brazil's CPF, Poland's PESEL, Germany's tax id, Belgium's and
// Norway's numbers (11), India's Aadhaar (12), South Africa's id and Switzerland's insurance number (13), France's NIR
// (15), China's (18, the last may be X).
bool IsNationalId(std::string_view digits);

// Ids whose check digit alone is too weak to distinguish them from other numbers: used only if their form or a word
// before them shows what they are.
bool IsBsn(std::string_view digits);           // The Netherlands, 9 digits.
bool IsSin(std::string_view digits);           // Canada, 9 digits.
bool IsSwedishId(std::string_view digits);     // 10 digits, or 12 with the century.
bool IsDanishNumber(std::string_view digits);  // 10 digits that begin with a date; newer ones have no check digit.

// Length of the IBANs of a country, given by its two letters; 0 if it has none.
size_t IbanLength(std::string_view country);

// `compact` has no blanks: two letters, two digits, letters and digits up to the country's length; ISO 7064 mod 97-10.
bool IsIban(std::string_view compact);

// Spain's DNI and NIE: eight digits (or X, Y, Z and seven) and a check letter.
bool IsSpanishId(std::string_view compact);

// Singapore's NRIC and FIN: a letter, seven digits and a check letter.
bool IsSingaporeanId(std::string_view compact);

// Finland's: date of birth, a sign of the century, three digits and a check letter or digit; eleven characters.
bool IsFinnishId(std::string_view compact);

// The United Kingdom's national insurance number: two letters of those in use, six digits, A to D.
bool IsNationalInsuranceNumber(std::string_view compact);

// France's NIR of people born in Corsica, with 2A or 2B in the sixth and seventh places; fifteen characters.
bool IsCorsicanNir(std::string_view compact);

// Italy's codice fiscale: sixteen letters and digits, the last a check letter.
bool IsItalianTaxCode(std::string_view compact);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_CHECKSUMS_H_
