#include "security/param_validation/a_label.h"

#include <unicode/idna.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "common/absl_bridge.h"

namespace toolgate::security::param_validation {
namespace {

constexpr std::string_view kPrefix = "xn--";

// RFC 5892, section 2.6: disallowed, although UTS #46 lets them pass.
constexpr UChar32 kDisallowed[] = {0x0640, 0x07FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B};

const icu::IDNA* Decoder() {
  static const icu::IDNA* const decoder = [] {
    UErrorCode error = U_ZERO_ERROR;
    const icu::IDNA* made = icu::IDNA::createUTS46Instance(
        UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_CHECK_CONTEXTO |
            UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
        error);
    return U_SUCCESS(error) ? made : nullptr;
  }();
  return decoder;
}

}  // namespace

bool LooksLikeALabel(std::string_view label) { return absl::StartsWithIgnoreCase(ToAbsl(label), ToAbsl(kPrefix)); }

bool IsSoundALabel(std::string_view label) {
  if (Decoder() == nullptr) return false;
  icu::UnicodeString decoded;
  icu::IDNAInfo info;
  UErrorCode error = U_ZERO_ERROR;
  const icu::StringPiece text(label.data(), static_cast<int32_t>(label.size()));
  Decoder()->labelToUnicode(icu::UnicodeString::fromUTF8(text), decoded, info, error);
  if (U_FAILURE(error) || info.hasErrors()) return false;
  return std::none_of(std::begin(kDisallowed), std::end(kDisallowed),
                      [&](UChar32 character) { return decoded.indexOf(character) >= 0; });
}

}  // namespace toolgate::security::param_validation
