// Secrets that are recognised only by their context: the command that takes them, the sentence that gives them, the
// service that is mentioned. Private to this folder.
//
// All functions examine a bounded number of bytes, or those of a hit.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// The secret after the option at text[start], a hyphen, of a command that takes one there: "mysql -phunter2", "sshpass
// -p hunter2", "redis-cli -a hunter2", "curl -u joe:hunter2". The command must be on the same line; without one, "-u
// joe:…" matches only random-looking values.
MaskHit FindSecretOfCommand(std::string_view text, size_t start);

// The length of the verb at text[start] that may introduce a secret, "is", "was", "lautet", "ist"; 0 if there is none.
size_t SayingVerbLength(std::string_view text, size_t start);
// The secret after such a verb, which ends at text[start]: "the password is hunter2". A description, as in "the
// password is required", is not a secret.
MaskHit FindSaidSecret(std::string_view text, size_t start);

// The length of the word at text[start] if names of secrets end in it and a blank follows: "key", "password"; 0
// otherwise.
size_t NamingWordLength(std::string_view text, size_t start);
// The secret that follows its name, [name, end), with only blanks and quotes between: `api key "3fA9…"`. It must look
// random, or, after "with password" and the like, must not be a word.
MaskHit FindSecretAfterName(std::string_view text, size_t name, size_t end);

// Whether `name` is a name of a personal identification number: "PIN", "cardPin".
bool IsPinName(std::string_view name);
// Four to eight digits, as in a PIN but not in the number of a pin.
bool IsPin(std::string_view value);
// The PIN that begins at text[start], perhaps in quotes.
MaskHit FindPin(std::string_view text, size_t start);
// "PIN 4711": the number after the word that begins at text[start].
MaskHit FindPinAfterWord(std::string_view text, size_t start);

// A key without a form of its own whose service is named shortly before: Azure's storage keys, older tokens of Vault,
// ngrok's.
MaskHit FindKeyOfService(std::string_view text, size_t start);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_CONTEXTS_H_
