// Questions to the model.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_PROMPT_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_PROMPT_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/artifact_request.h"
#include "executors/artifacts/checks/problem.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::artifacts {

// Asks for the artifact: rules of its type as the system's text, the user's prompt between two lines with `boundary`,
// which the user does not know, so that the prompt cannot end them.
models::ModelRequest BuildPrompt(const ArtifactRequest& request, const ArtifactPolicy& policy,
                                 std::string_view boundary);

// Asks to mend `code`, the answer to `first`, which has `problems`.
models::ModelRequest BuildFixPrompt(const models::ModelRequest& first, std::string_view code,
                                    const std::vector<checks::Problem>& problems);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_PROMPT_H_
