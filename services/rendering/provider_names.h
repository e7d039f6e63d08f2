// Names of tools for model providers.
#ifndef TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_
#define TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "executors/tool.h"

namespace toolgate::services::rendering {

enum class Provider { kOpenAi, kAnthropic, kGemini, kGlm, kMcp };

// `tool_id` itself if the provider allows dots (Gemini, GLM, MCP), otherwise its alias. Catalog::Find understands both.
std::string ProviderName(Provider provider, std::string_view tool_id);

// INVALID_ARGUMENT, naming the tool and the provider, unless every provider accepts every tool's name, and no two tools
// have the same one. Checked when the
// process starts: with an invalid name, the provider would refuse every request of its users.
absl::Status CheckProviderNames(const std::vector<executors::Tool>& tools);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_
