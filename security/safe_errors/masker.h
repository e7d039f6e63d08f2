// Masks personal data and secrets in texts.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MASKER_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MASKER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"

namespace toolgate::security::safe_errors {

// Kinds of masked text. The mask names the kind: "[masked:email]".
enum class MaskKind : uint8_t {
  kEmail,
  kPhone,
  kCard,
  kIban,
  kNationalId,
  kIpAddress,
  kToken,
  kJwt,
  kPrivateKey,
  kConnectionString,
  kPassword,
  kSecret,  // One that the service was given, by its value.
};
inline constexpr int kMaskKindCount = 12;

// "email", "phone", …
std::string_view MaskKindName(MaskKind kind);

enum class MaskLevel {
  kAll,      // Personal data and secrets: for text that leaves the process or is stored.
  kSecrets,  // Tokens, keys, passwords and connection strings only: for the operator's log.
  kKnown,    // Only the secrets that the service was given.
};

class KnownSecrets;
struct MaskHit;

struct Masked {
  std::string text;
  uint32_t kinds = 0;  // Bit 1 << kind for each kind that was masked.
};

// Finds the kinds above by their form, and by their checksum where there is one (cards: Luhn; IBAN: mod 97; national
// ids of several countries), so that plain numbers, dates, versions, UUIDs and ids of this service stay readable.
// Resolves the escapes of JSON pointers ("~1" for "/", "~0" for "~"), because property names may be secrets. Linear in
// the text; a text with nothing to mask is only read. Masks the service's own secrets by their values, at every level.
// Thread-safe.
class Masker {
 public:
  // Borrows `known`; null: no secret is known by its value.
  explicit Masker(MaskLevel level = MaskLevel::kAll, const KnownSecrets* known = nullptr)
      : level_(level), known_(known) {}

  std::string Mask(std::string_view text) const;
  // Nothing if nothing has to be masked, so that the caller can keep its text.
  std::optional<Masked> MaskIfNeeded(std::string_view text) const;

  // `value` as JSON text with every string, key and integral number inside masked like text, and with the whole value
  // of members whose name is a secret's (password, token, api_key, …) masked. Keys that become equal are numbered.
  std::string MaskJson(const Json& value) const;

  const KnownSecrets* known() const { return known_; }

 private:
  // All parts to mask, in order and without overlaps.
  std::vector<MaskHit> FindHits(std::string_view text) const;
  bool HasHit(std::string_view text) const;
  bool NeedsMask(const Json& value) const;

  MaskLevel level_;
  const KnownSecrets* known_;
};

// Masker(MaskLevel::kSecrets).Mask, for use by logs where no secret is known yet.
std::string MaskSecrets(std::string_view text);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASKER_H_
