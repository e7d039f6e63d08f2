#include "security/safe_errors/inspect_redact.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;

}  // namespace

absl::StatusOr<std::string> InspectRedact(const Masker& masker, std::string_view line) {
  JsonLimits limits;
  limits.max_bytes = kMaxLineBytes;
  ASSIGN_OR_RETURN(const Json input, ParseJson(line, limits));
  if (!input.is_object() || !input.contains("text") || !input["text"].is_string()) {
    return absl::InvalidArgumentError("expected an object with a string \"text\"");
  }
  const std::string& text = input["text"].get_ref<const std::string&>();
  const std::optional<Masked> masked = masker.MaskIfNeeded(text);
  Json kinds = Json::array();
  for (int kind = 0; masked.has_value() && kind < kMaskKindCount; ++kind) {
    if ((masked->kinds >> kind & 1) != 0) kinds.push_back(std::string(MaskKindName(static_cast<MaskKind>(kind))));
  }
  Json output = Json::object();
  output["text"] = masked.has_value() ? masked->text : text;
  output["masked"] = masked.has_value();
  output["kinds"] = std::move(kinds);
  return DumpJson(output);
}

}  // namespace toolgate::security::safe_errors
