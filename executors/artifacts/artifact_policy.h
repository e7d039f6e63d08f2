// Bounds and permissions of artifacts, as the operator sets them.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_POLICY_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_POLICY_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "executors/artifacts/checks/html/html_check.h"
#include "executors/artifacts/checks/react/react_check.h"
#include "executors/artifacts/settings.pb.h"

namespace toolgate::executors::artifacts {

struct ArtifactPolicy {
  int max_fix_rounds = 0;
  absl::Duration last_fix_start;  // Since the call's begin.
  int64_t max_output_tokens = 0;
  size_t max_code_bytes = 0;
  bool reasoning = false;
  checks::html::HtmlPolicy html;
  checks::react::ReactPolicy react;
};

// `settings` has a value for every field.
ArtifactPolicy PolicyOf(const ArtifactSettings& settings);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_ARTIFACT_POLICY_H_
