#include "executors/artifacts/artifact_request.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/arguments.h"

namespace toolgate::executors::artifacts {
namespace {

constexpr std::array<std::pair<ArtifactType, std::string_view>, 6> kNames = {{{ArtifactType::kReact, "react"},
                                                                              {ArtifactType::kHtml, "html"},
                                                                              {ArtifactType::kSvg, "svg"},
                                                                              {ArtifactType::kCode, "code"},
                                                                              {ArtifactType::kMermaid, "mermaid"},
                                                                              {ArtifactType::kMarkdown, "markdown"}}};

}  // namespace

std::string_view TypeName(ArtifactType type) {
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "";
}

std::optional<ArtifactType> TypeFromName(std::string_view name) {
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

absl::StatusOr<ArtifactRequest> ValidateParams(const Json& arguments) {
  const std::optional<ArtifactType> type = TypeFromName(StringArgument(arguments, "type"));
  if (!type.has_value()) return InvalidArgument("/type", "enum", "is no type of artifact");
  ArtifactRequest request;
  request.type = *type;
  request.prompt = std::string(absl::StripAsciiWhitespace(ToAbsl(StringArgument(arguments, "prompt"))));
  request.title = std::string(StringArgument(arguments, "title"));
  request.language = std::string(StringArgument(arguments, "language"));
  if (request.prompt.empty()) {
    return InvalidArgument("/prompt", "minLength", "has nothing but blanks; describe what to make");
  }
  if (!request.language.empty() && request.type != ArtifactType::kCode) {
    return InvalidArgument(
        "/language", "dependentSchemas",
        absl::StrCat("belongs to the type \"code\"; leave it out for \"", ToAbsl(TypeName(*type)), "\""));
  }
  return request;
}

}  // namespace toolgate::executors::artifacts
