// Masking of arbitrary text: masking a result again must not reveal anything masked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "security/safe_errors/masker.h"
#include "security/safe_errors/scrubber.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using toolgate::security::safe_errors::Masker;
  using toolgate::security::safe_errors::MaskLevel;
  using toolgate::security::safe_errors::Scrubber;
  static const Scrubber* const scrubber = new Scrubber();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const MaskLevel level : {MaskLevel::kAll, MaskLevel::kSecrets}) {
    const Masker masker(level);
    const auto masked = masker.MaskIfNeeded(text);
    if (!masked.has_value() && masker.Mask(text) != text) std::abort();
    if (masked.has_value() && masked->kinds == 0) std::abort();
  }
  // A secret stays hidden whatever surrounds it on other lines.
  const std::string planted = std::string(text) + "\nuser@example.org\n" + std::string(text);
  if (text.find("user@example.org") == std::string_view::npos &&
      Masker().Mask(planted).find("\nuser@example.org\n") != std::string::npos) {
    std::abort();
  }
  (void)scrubber->Scrub(text);
  return 0;
}
