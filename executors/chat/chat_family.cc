#include "executors/chat/chat_family.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "executors/chat/chat_defaults.h"
#include "executors/chat/make_chat_models.h"
#include "executors/chat/settings.pb.h"
#include "executors/providers/check_provider.h"

namespace toolgate::executors::chat {
namespace {

constexpr size_t kMaxNameBytes = 64;

bool IsModelName(std::string_view name) {
  constexpr std::string_view kOthers = "._:/-";
  return !name.empty() && name.size() <= kMaxNameBytes && std::all_of(name.begin(), name.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kOthers.find(c) != std::string_view::npos;
  });
}

void CheckModel(const ChatSettings& settings, int index, yaml::ReportProblem report) {
  const ChatModelSettings& model = settings.models(index);
  const std::string path = absl::StrCat("chat.models[", index, "]");
  if (!IsModelName(model.name())) {
    report(absl::StrCat(path, ".name"), "must be 1 to 64 characters of A-Z a-z 0-9 . _ : / -");
  }
  if (model.api() == CHAT_API_UNSPECIFIED) {
    report(absl::StrCat(path, ".api"), "must be OPENAI, GLM, ANTHROPIC or GEMINI");
  }
  if (SettingsOfModel(settings, model).base_url().empty()) {
    report(absl::StrCat(path, ".base_url"), "must be an http or https URL, for example https://api.openai.com/v1");
  }
  // Those that it shares are checked once, as chat.provider.
  providers::CheckProvider(path, model.provider(), report);
  if (model.extra_json().empty()) return;
  const absl::StatusOr<Json> extra = ParseJson(model.extra_json());
  if (!extra.ok() || !extra->is_object()) report(absl::StrCat(path, ".extra_json"), "must be a JSON object, or empty");
}

void CheckChat(const google::protobuf::Message& section, yaml::ReportProblem report) {
  ChatSettings settings;
  settings.CopyFrom(section);
  std::set<std::string> names;
  for (int i = 0; i < settings.models_size(); ++i) {
    CheckModel(settings, i, report);
    if (names.insert(settings.models(i).name()).second) continue;
    report(absl::StrCat("chat.models[", i, "].name"), "is the name of an earlier model; each needs its own");
  }
  providers::CheckProvider("chat.provider", settings.provider(), report);
  if (settings.default_model().empty() || names.count(settings.default_model()) > 0) return;
  report("chat.default_model", "names none of chat.models; must be one of their names, or empty for the first");
}

const std::vector<EmbeddedFile>& NoDefinitions() {
  static const auto* const kNone = new std::vector<EmbeddedFile>();
  return *kNone;
}

}  // namespace

Family ChatFamily() {
  FamilySettings settings = SettingsOf<ChatSettings>(DefaultFiles().front());
  settings.check = CheckChat;
  return {"chat", &NoDefinitions(), [](const FamilyContext&) { return FamilyTools(); }, settings};
}

}  // namespace toolgate::executors::chat
