// Arguments of generate_artifact.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_REQUEST_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"

namespace toolgate::executors::artifacts {

enum class ArtifactType { kReact, kHtml, kSvg, kCode, kMermaid, kMarkdown };

// As in arguments and results: "react".
std::string_view TypeName(ArtifactType type);
std::optional<ArtifactType> TypeFromName(std::string_view name);

struct ArtifactRequest {
  ArtifactType type = ArtifactType::kCode;
  std::string prompt;
  std::string title;     // Empty: it is taken from the artifact.
  std::string language;  // Of kCode; empty: the model's choice.
};

// Reads arguments that have passed the tool's schema. INVALID_PARAMS for what the schema cannot say: a prompt of blanks
// only, a language for an artifact that is no code.
absl::StatusOr<ArtifactRequest> ValidateParams(const Json& arguments);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_REQUEST_H_
