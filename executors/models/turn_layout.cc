#include "executors/models/turn_layout.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "executors/models/answer_bounds.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

using Kind = TurnPart::Kind;

std::vector<TurnPart> DefaultParts(const Message& message) {
  std::vector<TurnPart> parts;
  if (!message.text.empty()) parts.push_back({.kind = Kind::kText, .size = message.text.size()});
  for (size_t i = 0; i < message.images.size(); ++i) parts.push_back({.kind = Kind::kImage, .index = i});
  for (size_t i = 0; i < message.tool_uses.size(); ++i) parts.push_back({.kind = Kind::kToolUse, .index = i});
  return parts;
}

// {"text": bytes}, {"image": index}, {"toolUse": id} with an optional "extra", or {"opaque": part}.
Json PartState(const TurnPart& part, const Message& message) {
  Json state = Json::object();
  switch (part.kind) {
    case Kind::kText:
      state["text"] = part.size;
      break;
    case Kind::kImage:
      state["image"] = part.index;
      break;
    case Kind::kToolUse:
      state["toolUse"] = message.tool_uses[part.index].id;
      break;
    case Kind::kOpaque:
      return {{"opaque", part.extra}};
  }
  if (!part.extra.empty()) state["extra"] = part.extra;
  return state;
}

std::optional<TurnPart> ToolUsePart(std::string_view id, const Message& message) {
  for (size_t i = 0; i < message.tool_uses.size(); ++i) {
    if (message.tool_uses[i].id == id) return TurnPart{.kind = Kind::kToolUse, .index = i};
  }
  return std::nullopt;
}

std::optional<TurnPart> ReadPart(const Json& state, const Message& message) {
  if (const Json* opaque = FindMember(state, "opaque"); opaque != nullptr) {
    return TurnPart{.kind = Kind::kOpaque, .extra = *opaque};
  }
  std::optional<TurnPart> part;
  if (const Json* size = FindMember(state, "text"); size != nullptr) {
    part = TurnPart{.kind = Kind::kText, .size = static_cast<size_t>(CountMember(state, "text"))};
  } else if (const Json* index = FindMember(state, "image"); index != nullptr) {
    part = TurnPart{.kind = Kind::kImage, .index = static_cast<size_t>(CountMember(state, "image"))};
  } else {
    part = ToolUsePart(TextMember(state, "toolUse"), message);
  }
  if (const Json* extra = FindMember(state, "extra"); part.has_value() && extra != nullptr && extra->is_object()) {
    part->extra = *extra;
  }
  return part;
}

// Whether `parts` are exactly those of `message`.
bool Fits(const std::vector<TurnPart>& parts, const Message& message) {
  size_t text = 0;
  std::vector<int> images(message.images.size());
  std::vector<int> tool_uses(message.tool_uses.size());
  for (const TurnPart& part : parts) {
    if (part.kind == Kind::kText && part.size > message.text.size() - text) return false;
    if (part.kind == Kind::kText) text += part.size;
    if (part.kind == Kind::kImage && part.index >= images.size()) return false;
    if (part.kind == Kind::kImage) ++images[part.index];
    if (part.kind == Kind::kToolUse) ++tool_uses[part.index];
  }
  const auto once = [](int count) { return count == 1; };
  return text == message.text.size() && std::all_of(images.begin(), images.end(), once) &&
         std::all_of(tool_uses.begin(), tool_uses.end(), once);
}

}  // namespace

void TurnLayout::AddText(size_t size, Json extra) {
  if (size == 0 && extra.empty()) return;
  if (extra.empty() && !parts_.empty() && parts_.back().kind == Kind::kText && parts_.back().extra.empty()) {
    parts_.back().size += size;
    return;
  }
  parts_.push_back({.kind = Kind::kText, .size = size, .extra = std::move(extra)});
}

void TurnLayout::AddImage(size_t index, Json extra) {
  parts_.push_back({.kind = Kind::kImage, .index = index, .extra = std::move(extra)});
}

void TurnLayout::AddToolUse(size_t index, Json extra) {
  parts_.push_back({.kind = Kind::kToolUse, .index = index, .extra = std::move(extra)});
}

void TurnLayout::AddOpaque(Json part) { parts_.push_back({.kind = Kind::kOpaque, .extra = std::move(part)}); }

std::string TurnLayout::State(std::string_view provider, const Message& message) const {
  const bool needed = std::any_of(parts_.begin(), parts_.end(), [](const TurnPart& part) {
    return part.kind == Kind::kOpaque || !part.extra.empty();
  });
  if (!needed) return "";
  Json states = Json::array();
  for (const TurnPart& part : parts_) states.push_back(PartState(part, message));
  return DumpJson({{std::string(provider), std::move(states)}});
}

bool TurnLayout::IsIn(std::string_view provider_state) {
  if (provider_state.empty()) return false;
  const auto state = ParseJson(provider_state, WireJsonLimits());
  return state.ok() && state->is_object() &&
         std::any_of(state->begin(), state->end(), [](const Json& member) { return member.is_array(); });
}

std::vector<TurnPart> TurnLayout::Parts(std::string_view provider, const Message& message) {
  if (message.provider_state.empty()) return DefaultParts(message);
  const auto state = ParseJson(message.provider_state, WireJsonLimits());
  if (!state.ok()) return DefaultParts(message);
  std::vector<TurnPart> parts;
  for (const Json& row : ArrayMember(*state, provider)) {
    std::optional<TurnPart> part = ReadPart(row, message);
    if (!part.has_value()) return DefaultParts(message);
    parts.push_back(*std::move(part));
  }
  return Fits(parts, message) ? parts : DefaultParts(message);
}

}  // namespace toolgate::executors::models
