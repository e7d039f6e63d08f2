// What a model provider calls a tool.
#ifndef TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_
#define TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "executors/tool.h"

namespace toolgate::services::rendering {

enum class Provider { kOpenAi, kAnthropic, kGemini, kGlm, kMcp };

// `tool_id` itself where the provider allows dots (Gemini, GLM, MCP), its alias otherwise. Catalog::Find understands
// both.
std::string ProviderName(Provider provider, std::string_view tool_id);

// INVALID_ARGUMENT, naming the tool and the provider, unless every tool's name is one that every provider accepts. For
// the start of the process: a name that a provider refuses would make its users' every request fail.
absl::Status CheckProviderNames(const std::vector<executors::Tool>& tools);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_PROVIDER_NAMES_H_
