#include "executors/memory/prompt.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::memory {
namespace {

constexpr std::string_view kNoMemory = "No memories stored yet.";
constexpr std::string_view kNoSchema = "No tables created yet.";

// White space of Unicode beyond ASCII, and the byte order mark, with which a pasted text may begin.
constexpr auto kWideBlanks = std::to_array<std::string_view>(
    {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
     "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000", "\uFEFF"});

bool IsBlank(std::string_view text) {
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(ToAbsl(text));
  while (!rest.empty()) {
    const bool blank = std::any_of(kWideBlanks.begin(), kWideBlanks.end(),
                                   [&](std::string_view wide) { return absl::ConsumePrefix(&rest, ToAbsl(wide)); });
    if (!blank) return false;
    rest = absl::StripLeadingAsciiWhitespace(rest);
  }
  return true;
}

}  // namespace

std::optional<std::string> BuildPrompt(const Instruction& instruction) {
  if (IsBlank(instruction.core_instruction)) return std::nullopt;
  const std::string_view memory = instruction.memory.empty() ? kNoMemory : std::string_view(instruction.memory);
  const std::string_view schema = instruction.db_schema.empty() ? kNoSchema : std::string_view(instruction.db_schema);
  return absl::StrCat(instruction.core_instruction, "\n\n---\n\n## Your Memory\n", ToAbsl(memory),
                      "\n\n## Your Database\n", ToAbsl(schema));
}

}  // namespace toolgate::executors::memory
