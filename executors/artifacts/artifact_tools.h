// Artifacts as a family of one tool.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_TOOLS_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::artifacts {

// "generate_artifact", with the settings of the section "artifacts". Absent, with the reason, when its model is not
// configured.
Family ArtifactFamily();

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_TOOLS_H_
