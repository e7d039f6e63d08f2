// Checks and local fixes of an artifact, by its type.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/artifact_request.h"
#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts {

// `language` is that of the type kCode.
std::vector<checks::Problem> ValidateCode(std::string_view code, ArtifactType type, std::string_view language,
                                          const ArtifactPolicy& policy);

// `code` with what has one right form put into it, without a model: a missing doctype or namespace, entities that only
// HTML knows, a document type that defines nothing, elements of JSX that must be closed. Linear in time.
std::string FixLocally(std::string_view code, ArtifactType type);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_CHECK_H_
