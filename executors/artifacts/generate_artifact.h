// The tool generate_artifact.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_GENERATE_ARTIFACT_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_GENERATE_ARTIFACT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/artifact_request.h"
#include "executors/artifacts/draft.h"
#include "executors/effect_session.h"
#include "executors/models/chat_model.h"
#include "executors/tool.h"

namespace toolgate::executors::artifacts {

// Asks a model for an artifact, checks the answer, and asks again with what is wrong. Thread-safe.
class ArtifactGenerator {
 public:
  // Borrows the clock, which tells when it is too late for a further round.
  ArtifactGenerator(std::shared_ptr<models::ChatModel> model, ArtifactPolicy policy, const Clock& clock);

  // Stores nothing: the artifact is the result. ToolErrors: INVALID_PARAMS; those of the model; EXECUTION_ERROR,
  // retryable, when the model declines or answers no artifact, or one that may not be handed out.
  absl::StatusOr<Acted> Generate(ToolContext& context, EffectSession& session) const;

  // A call whose process ended has left nothing: rolled back, though the provider may have been asked and paid.
  static absl::StatusOr<Recovered> Recover(ToolContext& context, EffectSession& session);

 private:
  class Call;

  const std::shared_ptr<models::ChatModel> model_;
  const ArtifactPolicy policy_;
  const Clock& clock_;
};

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_GENERATE_ARTIFACT_H_
