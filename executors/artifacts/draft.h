// A model's answer as an artifact, with what is wrong with it.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_DRAFT_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_DRAFT_H_

#include <string>
#include <vector>

#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/artifact_request.h"
#include "executors/artifacts/checks/problem.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::artifacts {

struct Draft {
  std::string code;
  std::string language;
  std::vector<checks::Problem> problems;
};

// Strips, checks, and fixes locally what can be.
Draft MakeDraft(const models::ModelAnswer& answer, const ArtifactRequest& request, const ArtifactPolicy& policy);

// Whether `left` is nearer to an artifact: fewer unsafe problems, then fewer errors.
bool IsBetter(const Draft& left, const Draft& right);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_DRAFT_H_
