#include "executors/models/openai_state.h"

#include <string_view>

#include "executors/models/answer_bounds.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {

std::string OpenAiState::Text() const {
  Json state = Json::object();
  if (!reasoning_member.empty()) state["reasoningMember"] = reasoning_member;
  if (!reasoning_details.empty()) state["reasoningDetails"] = reasoning_details;
  if (!call_extras.empty()) state["callExtras"] = call_extras;
  return state.empty() ? "" : DumpJson({{"openai", std::move(state)}});
}

OpenAiState OpenAiState::Of(const Message& message) {
  OpenAiState state;
  if (message.provider_state.empty()) return state;
  const auto json = ParseJson(message.provider_state, WireJsonLimits());
  const Json* kept = json.ok() ? FindMember(*json, "openai") : nullptr;
  if (kept == nullptr) return state;
  const std::string_view member = TextMember(*kept, "reasoningMember");
  if (member == "reasoning_content" || member == "reasoning") state.reasoning_member = std::string(member);
  state.reasoning_details = ArrayMember(*kept, "reasoningDetails");
  if (const Json* extras = FindMember(*kept, "callExtras"); extras != nullptr && extras->is_object()) {
    state.call_extras = *extras;
  }
  return state;
}

}  // namespace toolgate::executors::models
