#include "interchange/markdown/file_name.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"

namespace toolgate::interchange::markdown {
namespace {

constexpr std::string_view kReserved = "/\\:*?\"<>|";

// True for characters that a name may contain: no invisible ones, and none that change the direction of text.
bool IsVisible(utf8proc_int32_t rune) {
  switch (utf8proc_category(rune)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

// The title without forbidden characters, and with runs of spaces collapsed.
std::string Allowed(std::string_view title) {
  std::string name;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(title.data());
  for (size_t i = 0; i < title.size();) {
    utf8proc_int32_t rune = 0;
    const utf8proc_ssize_t length = std::max<utf8proc_ssize_t>(
        1, utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(title.size() - i), &rune));
    const std::string_view character = title.substr(i, static_cast<size_t>(length));
    i += static_cast<size_t>(length);
    const bool blank = character == " " || character == "\t" || character == "\n" || character == "\r";
    if (blank) {
      if (!name.empty() && name.back() != ' ') name += ' ';
    } else if (kReserved.find(character) != std::string_view::npos) {
      name += '-';
    } else if (rune >= 0 && IsVisible(rune)) {
      name += character;
    }
  }
  return name;
}

void CutAtCharacter(std::string& name, size_t bytes) { name.resize(text::PrefixOfBytes(name, bytes).size()); }

void TrimEnd(std::string& name) { name.erase(name.find_last_not_of(". ") + 1); }

// Device names of Windows, which it reserves with every extension.
bool IsDevice(std::string_view name) {
  const absl::string_view stem = ToAbsl(name.substr(0, name.find_first_of(". ")));
  for (const char* device : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) {
    if (absl::EqualsIgnoreCase(stem, device)) return true;
  }
  static constexpr std::array kNumbers = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"};
  return std::any_of(kNumbers.begin(), kNumbers.end(), [&](const char* number) {
    return absl::EqualsIgnoreCase(stem, absl::StrCat("COM", number)) ||
           absl::EqualsIgnoreCase(stem, absl::StrCat("LPT", number));
  });
}

// Key that is equal for names which some file system may treat as the same.
std::string Folded(const std::string& name) {
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> folded(
      utf8proc_NFKC_Casefold(reinterpret_cast<const utf8proc_uint8_t*>(name.c_str())), &std::free);
  return folded == nullptr ? name : std::string(reinterpret_cast<const char*>(folded.get()));
}

}  // namespace

std::string SafeFileName(std::string_view title) {
  std::string name = Allowed(title);
  name.erase(0, std::min(name.find_first_not_of(". "), name.size()));
  if (IsDevice(name)) name = absl::StrCat("_", name);
  CutAtCharacter(name, kMaxFileName);
  TrimEnd(name);
  // Otherwise the folder of "a.md" and the file of "a" would have the same name.
  for (const char* ending : {".md", ".markdown"}) {
    if (absl::EndsWithIgnoreCase(name, ending)) name[name.rfind('.')] = '-';
  }
  return name.empty() ? "Untitled" : name;
}

std::string FileNames::Take(std::string_view title) {
  const std::string base = SafeFileName(title);
  std::string name = base;
  int& number = taken_[Folded(base)];
  while (true) {
    if (++number > 1) {
      const std::string suffix = absl::StrCat(" ", number);
      name = base;
      CutAtCharacter(name, kMaxFileName - suffix.size());
      TrimEnd(name);
      name += suffix;
    }
    if (number == 1 || taken_.emplace(Folded(name), 1).second) return name;
  }
}

}  // namespace toolgate::interchange::markdown
