// The source in a model's answer.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_ANSWER_TEXT_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_ANSWER_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/artifact_request.h"
#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts {

struct ExtractedSource {
  std::string code;      // Lines end with "\n".
  std::string language;  // As a fence named it; empty: none did.
};

// The answer without what models put around a source: code fences and the prose outside of them, tags of artifacts, and
// pages around an image, a diagram or a component. Linear in time.
ExtractedSource StripWrapping(std::string_view answer, ArtifactType type);

// Problems for which the source need not be read: it is empty, too long, or prose instead of an artifact.
std::vector<checks::Problem> PreValidate(std::string_view code, ArtifactType type, size_t max_code_bytes);

// Whether the answer declines the request. Such a one is not asked again.
bool IsRefusal(std::string_view answer, ArtifactType type);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_ANSWER_TEXT_H_
