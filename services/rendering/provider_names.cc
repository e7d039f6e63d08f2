#include "services/rendering/provider_names.h"

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/catalog.h"

namespace toolgate::services::rendering {
namespace {

struct NameRule {
  Provider provider;
  std::string_view who;
  size_t max_length;
  bool dots;
  bool letter_first;  // Or an underscore.
};

// In the order of the enum. Letters, digits, "_" and "-" are allowed everywhere. GLM publishes no rule; it gets
// OpenAI's with dots, which its users rely on.
constexpr std::array<NameRule, 5> kRules = {{
    {Provider::kOpenAi, "OpenAI", 64, false, false},
    {Provider::kAnthropic, "Anthropic", 128, false, false},
    {Provider::kGemini, "Gemini", 64, true, true},
    {Provider::kGlm, "GLM", 64, true, false},
    {Provider::kMcp, "MCP", 128, true, false},
}};

bool IsAllowed(const NameRule& rule, std::string_view name) {
  if (name.empty() || name.size() > rule.max_length) return false;
  if (rule.letter_first && !absl::ascii_isalpha(static_cast<unsigned char>(name[0])) && name[0] != '_') return false;
  return std::all_of(name.begin(), name.end(), [&](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || (c == '.' && rule.dots);
  });
}

}  // namespace

std::string ProviderName(Provider provider, std::string_view tool_id) {
  return kRules[static_cast<size_t>(provider)].dots ? std::string(tool_id) : executors::AliasOf(tool_id);
}

absl::Status CheckProviderNames(const std::vector<executors::Tool>& tools) {
  std::array<std::map<std::string, std::string_view>, kRules.size()> seen;  // Tools by name, for each provider.
  for (const executors::Tool& tool : tools) {
    for (const NameRule& rule : kRules) {
      const std::string name = ProviderName(rule.provider, tool.definition.id);
      const auto [first, is_new] =
          seen[static_cast<size_t>(rule.provider)].emplace(name, std::string_view(tool.definition.id));
      if (!is_new) {
        return absl::InvalidArgumentError(absl::StrCat("tools \"", ToAbsl(first->second), "\" and \"",
                                                       tool.definition.id, "\" have the same name \"", name, "\" for ",
                                                       ToAbsl(rule.who), ": rename one"));
      }
      if (IsAllowed(rule, name)) continue;
      return absl::InvalidArgumentError(absl::StrCat("tool \"", tool.definition.id, "\": ", ToAbsl(rule.who),
                                                     " does not accept the name \"", name, "\": at most ",
                                                     rule.max_length, " of A-Z a-z 0-9 _ -", rule.dots ? " ." : "",
                                                     rule.letter_first ? ", a letter or underscore first" : ""));
    }
  }
  return absl::OkStatus();
}

}  // namespace toolgate::services::rendering
