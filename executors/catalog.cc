#include "executors/catalog.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::executors {
namespace {

constexpr size_t kVersionBytes = 8;

absl::Status Invalid(std::string_view id, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("tool \"", ToAbsl(id), "\" ", ToAbsl(problem)));
}

// The format defines more kinds of executors than this build can run.
absl::Status CheckRunnable(const ToolDefinition& definition) {
  if (definition.kind == ExecutorKind::kNative) return absl::OkStatus();
  return Invalid(definition.id,
                 absl::StrCat("has an executor of the kind \"", ToAbsl(ExecutorKindName(definition.kind)),
                              "\", which this build cannot run yet; it runs \"native\" ones only, so take the "
                              "definition out"));
}

template <typename Handler>
bool IsThere(const Handler& handler) {
  return handler != nullptr;
}
bool IsThere(const FlexibleHandler& handler) {
  return handler.in_transaction != nullptr && handler.as_effect != nullptr;
}

bool IsThere(const PreviewHandler& preview) {
  if (const auto* in_workspace = std::get_if<WorkspacePreview>(&preview)) return *in_workspace != nullptr;
  if (const auto* effect = std::get_if<EffectPreview>(&preview)) return *effect != nullptr;
  return false;
}

absl::Status CheckPreview(const Tool& tool) {
  const ToolDefinition& definition = tool.definition;
  const PreviewHandler& preview = tool.handlers.preview;
  if (!tool.handlers.has_preview()) {
    if (definition.confirmation == ConfirmationRule::kNever) return absl::OkStatus();
    return Invalid(definition.id, "asks for confirmation but has no preview");
  }
  if (!IsThere(preview)) return Invalid(definition.id, "has an empty preview");
  const bool is_effect = std::holds_alternative<EffectHandler>(tool.handlers.run);
  if (is_effect == std::holds_alternative<EffectPreview>(preview)) return absl::OkStatus();
  return Invalid(definition.id, is_effect
                                    ? "acts outside of the workspace but has a preview that would hold a snapshot "
                                      "or the store's commit meanwhile; make it an EffectPreview"
                                    : "stays in the workspace but has the preview of an effect; make it a "
                                      "WorkspacePreview");
}

absl::Status CheckTool(const Tool& tool) {
  const ToolDefinition& definition = tool.definition;
  RETURN_IF_ERROR(CheckPreview(tool));
  const bool effect = std::holds_alternative<EffectHandler>(tool.handlers.run);
  if (!effect && definition.annotations.read_only != std::holds_alternative<ReadHandler>(tool.handlers.run)) {
    return Invalid(definition.id, "is annotated readOnly but has a handler that writes, or the other way round");
  }
  if (!std::visit([](const auto& handler) { return IsThere(handler); }, tool.handlers.run)) {
    return Invalid(definition.id, "has an empty handler");
  }
  const bool flexible = std::holds_alternative<FlexibleHandler>(tool.handlers.run);
  if ((flexible || (effect && !definition.annotations.read_only)) && tool.handlers.recover == nullptr) {
    return Invalid(definition.id, "acts outside of the workspace but has no recoverer for calls that are interrupted");
  }
  return absl::OkStatus();
}

absl::Status FindSwitch(const std::vector<ToolSwitch>& switches, Tool& tool) {
  const ToolDefinition& definition = tool.definition;
  if (definition.switch_name.empty()) return absl::OkStatus();
  for (const ToolSwitch& candidate : switches) {
    if (candidate.name == definition.switch_name) tool.is_on = candidate.is_on;
  }
  if (tool.is_on != nullptr) return absl::OkStatus();
  // Such a tool would be available to everybody, or to nobody.
  return Invalid(definition.id, absl::StrCat("names the switch \"", definition.switch_name,
                                             "\", which nothing turns on or off; switches are registered beside the "
                                             "handlers"));
}

// Everything that a client or a layer may rely on, field by field, each with its length.
void AppendField(std::string& out, std::string_view field) { absl::StrAppend(&out, field.size(), ":", ToAbsl(field)); }

void AppendFingerprint(std::string& out, const ToolDefinition& definition) {
  AppendField(out, definition.id);
  AppendField(out, definition.display_name);
  AppendField(out, definition.description);
  AppendField(out, CategoryName(definition.category));
  AppendField(out, definition.module);
  AppendField(out, definition.switch_name);
  AppendField(out, DumpJson(definition.argument_schema));
  AppendField(out, DumpJson(definition.result_schema));
  AppendField(out, DumpJson(definition.executor));
  AppendField(out, ResultEventName(definition.result_event));
  for (const std::string& permission : definition.permissions) AppendField(out, permission);
  for (const std::string& mode : definition.modes) AppendField(out, mode);
  const Annotations& annotations = definition.annotations;
  AppendField(
      out, absl::StrCat(static_cast<int>(definition.confirmation), annotations.read_only, annotations.destructive,
                        annotations.idempotent, annotations.open_world, annotations.reversible, annotations.remembered,
                        absl::ToInt64Nanoseconds(definition.timeout)));
  for (const RateLimit& limit : definition.limits) {
    AppendField(out, absl::StrCat(static_cast<int>(limit.audience), " ", limit.max_calls, " ",
                                  absl::ToInt64Nanoseconds(limit.window)));
  }
  for (const Example& example : definition.examples) {
    AppendField(out, example.description);
    AppendField(out, DumpJson(example.arguments));
    AppendField(out, DumpJson(example.result));
  }
}

std::vector<std::string> NamedPermissions(const std::vector<Tool>& tools) {
  std::set<std::string> names;
  for (const Tool& tool : tools) names.insert(tool.definition.permissions.begin(), tool.definition.permissions.end());
  return {names.begin(), names.end()};
}

std::string Digest(const std::vector<Tool>& tools) {
  std::string text;
  for (const Tool& tool : tools) AppendFingerprint(text, tool.definition);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(hash.data()), kVersionBytes));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Catalog>> Catalog::Create(std::vector<ToolDefinition> definitions,
                                                               const std::vector<ToolHandlers>& handlers,
                                                               const std::vector<ToolSwitch>& switches,
                                                               std::optional<std::vector<std::string>> permissions) {
  std::sort(definitions.begin(), definitions.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  absl::flat_hash_map<std::string, ToolHandlers> handlers_by_id;
  for (const ToolHandlers& row : handlers) {
    const std::string id(row.id);
    if (!handlers_by_id.emplace(id, row).second) return Invalid(id, "has two handlers");
  }
  std::shared_ptr<Catalog> catalog(new Catalog);
  for (ToolDefinition& definition : definitions) {
    RETURN_IF_ERROR(CheckRunnable(definition));
    auto row = handlers_by_id.extract(definition.id);
    if (row.empty()) {
      const bool twice = !catalog->tools_.empty() && catalog->tools_.back().definition.id == definition.id;
      return Invalid(definition.id, twice ? "has two definitions" : "has a definition but no handler");
    }
    catalog->tools_.push_back({std::move(definition), std::move(row.mapped()), catalog->tools_.size()});
    RETURN_IF_ERROR(CheckTool(catalog->tools_.back()));
    RETURN_IF_ERROR(FindSwitch(switches, catalog->tools_.back()));
  }
  if (!handlers_by_id.empty()) return Invalid(handlers_by_id.begin()->first, "has a handler but no definition");
  for (Tool& tool : catalog->tools_) {
    tool.handlers.id = tool.definition.id;
    catalog->by_name_.emplace(tool.definition.id, tool.index);
  }
  for (const Tool& tool : catalog->tools_) {
    const auto [place, added] = catalog->by_name_.emplace(AliasOf(tool.definition.id), tool.index);
    if (added || place->second == tool.index) continue;
    return Invalid(tool.definition.id,
                   absl::StrCat("has the same alias as tool \"", catalog->tools_[place->second].definition.id, "\""));
  }
  catalog->permissions_ = permissions.has_value() ? *std::move(permissions) : NamedPermissions(catalog->tools_);
  catalog->version_ = Digest(catalog->tools_);
  return catalog;
}

const Tool* Catalog::Find(std::string_view id_or_alias) const {
  const auto found = by_name_.find(ToAbsl(id_or_alias));
  return found == by_name_.end() ? nullptr : &tools_[found->second];
}

std::vector<std::string> Catalog::ids() const {
  std::vector<std::string> ids;
  for (const Tool& tool : tools_) ids.push_back(tool.definition.id);
  return ids;
}

std::string AliasOf(std::string_view id) {
  std::string alias(id);
  for (char& c : alias) {
    const bool legal =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!legal) c = '_';
  }
  return alias;
}

}  // namespace toolgate::executors
