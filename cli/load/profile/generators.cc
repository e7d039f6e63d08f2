#include "cli/load/profile/generators.h"

#include <array>
#include <string_view>

#include "absl/strings/str_format.h"

namespace toolgate::cli::load::profile {
namespace {

// Plain words without instructions or personal data, so that layers 1 and 5 find nothing in them.
constexpr std::array<std::string_view, 64> kWords = {
    "harbour", "window",  "copper", "garden",  "river",   "letter",  "basket", "winter", "orange", "market", "bridge",
    "yellow",  "carpet",  "planet", "silver",  "forest",  "ticket",  "mirror", "engine", "castle", "meadow", "pepper",
    "signal",  "cotton",  "velvet", "marble",  "candle",  "island",  "summer", "pocket", "ladder", "button", "thunder",
    "valley",  "lantern", "cabin",  "compass", "feather", "granite", "hammer", "jacket", "kettle", "lemon",  "maple",
    "needle",  "olive",   "paper",  "quartz",  "rocket",  "saddle",  "timber", "urchin", "violin", "walnut", "anchor",
    "barley",  "cellar",  "dragon", "ember",   "falcon",  "glacier", "hazel",  "ivory",  "juniper"};

}  // namespace

void AppendWords(size_t count, schedule::Random& random, std::string& out) {
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ' ';
    out += kWords[random.Below(kWords.size())];
  }
}

void AppendText(size_t bytes, schedule::Random& random, std::string& out) {
  const size_t end = out.size() + bytes;
  while (out.size() < end) {
    out += kWords[random.Below(kWords.size())];
    out += ' ';
  }
  out.resize(end);
  if (bytes > 0 && out.back() == ' ') out.back() = '.';
}

void AppendUuid(schedule::Random& random, std::string& out) {
  const uint64_t high = random.Next();
  const uint64_t low = random.Next();
  absl::StrAppendFormat(&out, "%08x-%04x-4%03x-%04x-%012x", high >> 32, high >> 16 & 0xffff, high & 0xfff,
                        (low >> 48 & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

}  // namespace toolgate::cli::load::profile
