// Numbers that identify or locate people: phones, cards, accounts, identity numbers and network addresses. Private to
// this folder.
//
// Each function examines the number that begins at text[start], where the caller has checked that no word continues,
// and returns no hit if there is none. All examine a bounded number of bytes.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_PERSONAL_NUMBERS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_PERSONAL_NUMBERS_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// A phone, card or identity number with the marks that people write between its digits; `start` is at a digit, "+" or
// "(". If more digits follow (a date of expiry, an amount, the next number), it ends before them.
MaskHit FindNumber(std::string_view text, size_t start);

// "203.0.113.7", also before a port, a path or a prefix length; not versions or section numbers.
MaskHit FindIpV4(std::string_view text, size_t start);

// All eight groups, or "::" with at least two; the last two may be written as an IPv4 address (RFC 4291 §2.2).
MaskHit FindIpV6(std::string_view text, size_t start);

// `start` is at its country's letters; groups of four may be separated by blanks or hyphens.
MaskHit FindIban(std::string_view text, size_t start);

// The number or IBAN in a word that begins at text[start] with its currency or its name, "EUR4111111111111111",
// "IBANDE89370400440532013000". Currency and name are not masked.
MaskHit FindGluedNumber(std::string_view text, size_t start);

// An identity number of capitals and digits: Spain's, Italy's, Singapore's, Corsica's, Finland's, which may have a
// hyphen, and the United Kingdom's, which may have blanks.
MaskHit FindIdWord(std::string_view text, size_t start);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_PERSONAL_NUMBERS_H_
