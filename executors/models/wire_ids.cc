#include "executors/models/wire_ids.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"

namespace toolgate::executors::models {
namespace {

constexpr size_t kPortableSize = 9;
constexpr size_t kMaxOpenAiId = 40;
constexpr size_t kMaxAnthropicId = 64;
constexpr std::string_view kLettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool IsAlphanumeric(unsigned char c) { return absl::ascii_isalnum(c); }
bool IsNameCharacter(unsigned char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; }
bool IsVisible(unsigned char c) { return c > 0x20 && c < 0x7F; }

bool IsPortable(std::string_view id) {
  return id.size() == kPortableSize && std::all_of(id.begin(), id.end(), IsAlphanumeric);
}

bool HasForm(std::string_view id, IdForm form) {
  if (id.empty()) return false;
  switch (form) {
    case IdForm::kOpenAi:
      return id.size() <= kMaxOpenAiId && std::all_of(id.begin(), id.end(), IsVisible);
    case IdForm::kMistral:
      return IsPortable(id);
    case IdForm::kAnthropic:
      return id.size() <= kMaxAnthropicId && std::all_of(id.begin(), id.end(), IsNameCharacter);
    case IdForm::kAny:
      return true;
  }
  return false;
}

std::string IdFrom(std::string_view text) {
  const std::string hash = Sha256(text);
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof(number); ++i) number = number << 8 | static_cast<unsigned char>(hash[i]);
  std::string id;
  for (size_t i = 0; i < kPortableSize; ++i) {
    id += kLettersAndDigits[number % kLettersAndDigits.size()];
    number /= kLettersAndDigits.size();
  }
  return id;
}

// `id` as near to what it is as the form allows.
std::string Fitted(std::string_view id, IdForm form) {
  std::string fitted(id);
  if (form == IdForm::kAnthropic) {
    for (char& c : fitted) c = IsNameCharacter(static_cast<unsigned char>(c)) ? c : '_';
  }
  return HasForm(fitted, form) ? fitted : PortableId(id);
}

using TakenIds = absl::flat_hash_set<std::string>;

// Taken from now on.
std::string FreeId(std::string_view id, IdForm form, TakenIds& taken) {
  std::string free = Fitted(id, form);
  for (int i = 1; !taken.insert(free).second; ++i) free = IdFrom(absl::StrCat(ToAbsl(id), "/", i));
  return free;
}

}  // namespace

IdForm IdFormOf(std::string_view model) {
  // Mistral, Mixtral, Ministral, Magistral, Codestral, Devstral, Pixtral and their like.
  const std::string name = absl::AsciiStrToLower(ToAbsl(model));
  return absl::StrContains(name, "stral") || absl::StrContains(name, "xtral") ? IdForm::kMistral : IdForm::kOpenAi;
}

std::string PortableId(std::string_view id) { return IsPortable(id) ? std::string(id) : IdFrom(id); }

WireIds::WireIds(const std::vector<Message>& messages, IdForm form) : ids_(messages.size()) {
  TakenIds taken;
  std::vector<std::pair<std::string_view, std::string_view>> open;  // Calls without an answer: their id, and that here.
  for (size_t i = 0; i < messages.size(); ++i) {
    std::vector<std::string>& ids = ids_[i];
    if (messages[i].role == Role::kAssistant) {
      open.clear();
      for (const ToolUse& use : messages[i].tool_uses) ids.push_back(FreeId(use.id, form, taken));
      for (size_t j = 0; j < ids.size(); ++j) open.emplace_back(messages[i].tool_uses[j].id, ids[j]);
    }
    for (const ToolAnswer& answer : messages[i].tool_answers) {
      const auto call =
          std::find_if(open.begin(), open.end(), [&](const auto& one) { return one.first == answer.tool_use_id; });
      if (call == open.end()) {
        ids.push_back(Fitted(answer.tool_use_id, form));
        continue;
      }
      ids.emplace_back(call->second);
      open.erase(call);
    }
  }
}

}  // namespace toolgate::executors::models
