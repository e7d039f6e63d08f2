// Secrets that only what stands around them gives away: the command that they are given to, the sentence that says
// them, the service that is spoken of. Private to this folder.
//
// All functions look at a bounded number of bytes, or at those of a hit.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// The secret behind the option at text[start], a hyphen, of a command that takes one there: "mysql -phunter2", "sshpass
// -p hunter2", "redis-cli -a hunter2", "curl -u joe:hunter2". The command stands in the same line; without one, "-u
// joe:…" gives what looks random.
MaskHit FindSecretOfCommand(std::string_view text, size_t start);

// The length of the verb at text[start] that may say a secret, "is", "was", "lautet", "ist"; 0 when none is there.
size_t SayingVerbLength(std::string_view text, size_t start);
// The secret that such a verb, which ends at text[start], says: "the password is hunter2". What is only said of one, as
// in "the password is required", is none.
MaskHit FindSaidSecret(std::string_view text, size_t start);

// The length of the word at text[start] when it is one that names of secrets end in, and a blank follows: "key",
// "password"; 0 otherwise.
size_t NamingWordLength(std::string_view text, size_t start);
// The secret that follows on its name, [name, end), with nothing but blanks and quotes between: `api key "3fA9…"`. Only
// what looks random is one, or, after "with password" and the like, what words are not.
MaskHit FindSecretAfterName(std::string_view text, size_t name, size_t end);

// Whether `name` is what a personal identification number is called: "PIN", "cardPin".
bool IsPinName(std::string_view name);
// Four to eight digits, which a PIN has and the number of a pin has not.
bool IsPin(std::string_view value);
// The PIN that begins at text[start], perhaps in quotes.
MaskHit FindPin(std::string_view text, size_t start);
// "PIN 4711": the number behind the word that begins at text[start].
MaskHit FindPinAfterWord(std::string_view text, size_t start);

// A key without a form of its own where its service is named shortly before: Azure's storage keys, older tokens of
// Vault, ngrok's.
MaskHit FindKeyOfService(std::string_view text, size_t start);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_
