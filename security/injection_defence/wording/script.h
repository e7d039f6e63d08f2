// The script of a text: models of wording are calibrated for each by itself.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_SCRIPT_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_SCRIPT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace toolgate::security::injection_defence::wording {

// Vietnamese is a script of its own here, since its syllables have little in common with other Latin words. Han without
// kana is Chinese. kOther is any script that is not named.
enum class Script : uint8_t {
  kLatin,
  kVietnamese,
  kCyrillic,
  kGreek,
  kHebrew,
  kArabic,
  kIndic,
  kThai,
  kHangul,
  kKana,
  kHan,
  kOther
};
inline constexpr size_t kScripts = 12;
inline constexpr std::array<std::string_view, kScripts> kScriptNames = {
    "latin", "vietnamese", "cyrillic", "greek", "hebrew", "arabic", "indic", "thai", "hangul", "kana", "han", "other"};

// The scripts to which at least a fifth of the letters of `text` belongs; Latin if it has no letters. Linear.
std::array<bool, kScripts> ScriptsOf(std::string_view text);

}  // namespace toolgate::security::injection_defence::wording

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_SCRIPT_H_
