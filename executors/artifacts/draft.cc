#include "executors/artifacts/draft.h"

#include <algorithm>
#include <utility>

#include "executors/artifacts/answer_text.h"
#include "executors/artifacts/artifact_check.h"

namespace toolgate::executors::artifacts {
namespace {

using checks::Problem;
using checks::Severity;

std::pair<size_t, size_t> Score(const std::vector<Problem>& problems) {
  const auto count = [&](Severity severity) {
    return static_cast<size_t>(std::count_if(problems.begin(), problems.end(),
                                             [&](const Problem& problem) { return problem.severity == severity; }));
  };
  return {count(Severity::kUnsafe), count(Severity::kError)};
}

}  // namespace

Draft MakeDraft(const models::ModelAnswer& answer, const ArtifactRequest& request, const ArtifactPolicy& policy) {
  ExtractedSource source = StripWrapping(answer.message.text, request.type);
  Draft draft;
  draft.language = source.language.empty() ? request.language : source.language;
  draft.code = std::move(source.code);
  draft.problems = PreValidate(draft.code, request.type, policy.max_code_bytes);
  if (!draft.problems.empty()) return draft;
  draft.problems = ValidateCode(draft.code, request.type, draft.language, policy);
  std::string fixed = draft.problems.empty() ? draft.code : FixLocally(draft.code, request.type);
  if (fixed != draft.code) {
    std::vector<Problem> left = ValidateCode(fixed, request.type, draft.language, policy);
    if (Score(left) <= Score(draft.problems)) {
      draft.code = std::move(fixed);
      draft.problems = std::move(left);
    }
  }
  if (answer.stop == models::StopReason::kLength) {
    checks::Problems broken(draft.code);
    broken.Error(draft.code.size(), "broke-off", "the source breaks off here; make it shorter and complete");
    for (Problem& problem : broken.Take()) draft.problems.push_back(std::move(problem));
  }
  return draft;
}

bool IsBetter(const Draft& left, const Draft& right) { return Score(left.problems) < Score(right.problems); }

}  // namespace toolgate::executors::artifacts
