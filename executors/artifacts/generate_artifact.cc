#include "executors/artifacts/generate_artifact.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/artifacts/answer_text.h"
#include "executors/artifacts/prompt.h"
#include "executors/artifacts/title.h"

namespace toolgate::executors::artifacts {
namespace {

using checks::Problem;
using checks::Severity;

constexpr size_t kBoundaryDigits = 16;
constexpr int64_t kBytesBetweenReports = 2048;
// Of an answer beyond the artifact itself: prose around it.
constexpr size_t kMaxWrapping = size_t{64} << 10;

// The model answered, and what it wrote, or would not write, depends on what it was asked.
absl::Status NoArtifact(std::string message) {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.blame = Blame::kRequest;
  error.message = std::move(message);
  error.retryable = true;
  return ToStatus(error);
}

std::string_view SeverityName(Severity severity) { return severity < Severity::kError ? "warning" : "error"; }

// Null where no error was found and a part was not checked.
Json ValidOf(const std::vector<Problem>& problems) {
  if (checks::HasErrors(problems)) return false;
  return checks::HasUnchecked(problems) ? Json() : Json(true);
}

Json WarningsOf(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) {
    list.push_back(Json{{"line", problem.line},
                        {"column", problem.column},
                        {"rule", problem.rule},
                        {"severity", SeverityName(problem.severity)},
                        {"message", problem.message}});
  }
  return list;
}

// The messages of what keeps an artifact from being handed out, each rule once.
std::string UnsafeMessages(const std::vector<Problem>& problems) {
  std::vector<std::string> messages;
  absl::flat_hash_set<std::string> rules;
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::kUnsafe || !rules.insert(problem.rule).second) continue;
    messages.push_back(absl::StrCat("line ", problem.line, ": ", problem.message));
  }
  return absl::StrJoin(messages, "; ");
}

// Tells how much has come, and ends an answer that is longer than any artifact.
class AnswerMeter final : public models::DeltaSink {
 public:
  AnswerMeter(const ToolContext& context, Progress progress, size_t max_bytes)
      : context_(context), progress_(std::move(progress)), max_bytes_(max_bytes), activity_(progress_.message) {}

  absl::Status Text(std::string_view piece) override {
    received_ += static_cast<int64_t>(piece.size());
    if (static_cast<size_t>(received_) > max_bytes_) {
      return NoArtifact(
          absl::StrCat("the model's answer is longer than ", max_bytes_, " bytes; ask for something simpler"));
    }
    if (received_ - reported_ < kBytesBetweenReports) return absl::OkStatus();
    reported_ = received_;
    progress_.message = absl::StrCat(activity_, ": ", received_, " bytes so far");
    context_.Report(progress_);
    return absl::OkStatus();
  }
  absl::Status Reasoning(std::string_view) override { return absl::OkStatus(); }

 private:
  const ToolContext& context_;
  Progress progress_;
  const size_t max_bytes_;
  const std::string activity_;
  int64_t received_ = 0;
  int64_t reported_ = 0;
};

}  // namespace

ArtifactGenerator::ArtifactGenerator(std::shared_ptr<models::ChatModel> model, ArtifactPolicy policy,
                                     const Clock& clock)
    : model_(std::move(model)), policy_(std::move(policy)), clock_(clock) {}

// One call, on the stack of its thread.
class ArtifactGenerator::Call {
 public:
  Call(const ArtifactGenerator& generator, ToolContext& context, EffectSession& session)
      : model_(*generator.model_),
        policy_(generator.policy_),
        clock_(generator.clock_),
        context_(context),
        session_(session),
        begin_(clock_.Monotonic()) {}

  absl::StatusOr<Acted> Run() {
    ASSIGN_OR_RETURN(request_, ValidateParams(context_.arguments));
    if (context_.dry_run) return DryRun();
    const std::string boundary =
        absl::StrCat("=== REQUEST ", HexEncode(Sha256(session_.key())).substr(0, kBoundaryDigits), " ===");
    const models::ModelRequest first = BuildPrompt(request_, policy_, boundary);
    ASSIGN_OR_RETURN(Draft best, Ask(first, absl::StrCat("Writing ", ToAbsl(TypeName(request_.type)))));
    RETURN_IF_ERROR(Fix(first, best));
    if (checks::HasUnsafe(best.problems)) {
      return NoArtifact(absl::StrCat("the model gave no artifact that may be used: ", UnsafeMessages(best.problems)));
    }
    return Finish(best);
  }

 private:
  // Asks again until nothing is wrong, or no round is left. `best` becomes the best draft.
  absl::Status Fix(const models::ModelRequest& first, Draft& best) {
    while (checks::HasErrors(best.problems) && fix_rounds_ < policy_.max_fix_rounds) {
      if (clock_.Monotonic() - begin_ > policy_.last_fix_start) break;
      ++fix_rounds_;
      absl::StatusOr<Draft> next = Ask(BuildFixPrompt(first, best.code, best.problems),
                                       absl::StrCat("Mending what checks found, round ", fix_rounds_));
      if (!next.ok()) {
        // The call is over, or there is nothing without this round.
        if (MustStop(next.status()) || checks::HasUnsafe(best.problems)) return next.status();
        Note("fix-failed", "a round of mending failed, so this is the artifact before it");
        break;
      }
      if (IsBetter(*next, best)) best = *std::move(next);
    }
    return absl::OkStatus();
  }

  static bool MustStop(const absl::Status& status) {
    const std::optional<ToolError> error = GetToolError(status);
    return !error.has_value() || error->code == ErrorCode::kCancelled || error->code == ErrorCode::kTimeout;
  }

  absl::StatusOr<Draft> Ask(const models::ModelRequest& question, std::string activity) {
    const Progress progress{std::move(activity), fix_rounds_, policy_.max_fix_rounds + 1};
    context_.Report(progress);
    AnswerMeter meter(context_, progress, policy_.max_code_bytes + kMaxWrapping);
    const auto wait = [this](fibers::Event& event, absl::Duration timeout) { return session_.Wait(event, timeout); };
    providers::Scope scope{wait, context_.call_span, &retries_};
    ASSIGN_OR_RETURN(const models::ModelAnswer answer, model_.Complete(question, &meter, scope));
    tokens_ += answer.input_tokens + answer.output_tokens;
    model_name_ = answer.model;
    if (answer.stop == models::StopReason::kRefusal || IsRefusal(answer.message.text, request_.type)) {
      return NoArtifact("the model declined the request; change what is asked for");
    }
    context_.Report({"Checking the source", fix_rounds_, policy_.max_fix_rounds + 1});
    return MakeDraft(answer, request_, policy_);
  }

  void Note(std::string_view rule, std::string message) {
    notes_.push_back({1, 1, std::string(rule), std::move(message), Severity::kWarning});
  }

  Acted Finish(const Draft& draft) const {
    Json data{{"artifactCode", draft.code},
              {"type", TypeName(request_.type)},
              {"title", TitleOf(request_, draft.code)},
              {"valid", ValidOf(draft.problems)},
              {"warnings", WarningsOf(draft.problems)},
              {"fixRounds", fix_rounds_}};
    for (Json& note : WarningsOf(notes_)) data["warnings"].push_back(std::move(note));
    if (request_.type == ArtifactType::kCode && !draft.language.empty()) data["language"] = draft.language;
    if (!model_name_.empty()) data["model"] = model_name_;
    Acted acted;
    acted.output.data_json = DumpJson(data);
    acted.output.description = absl::StrCat("Generated \"", data["title"].get<std::string>(), "\"");
    acted.output.tokens_used = tokens_;
    acted.output.retry_count = retries_;
    acted.output.reversible = false;
    acted.output.untrusted = true;
    return acted;
  }

  Acted DryRun() const {
    Acted acted;
    acted.output.data_json = DumpJson(Json{{"artifactCode", ""},
                                           {"type", TypeName(request_.type)},
                                           {"title", TitleOf(request_, "")},
                                           {"valid", false},
                                           {"warnings", Json::array({Json{{"line", 1},
                                                                          {"column", 1},
                                                                          {"rule", "dry-run"},
                                                                          {"severity", "warning"},
                                                                          {"message", "The model was not asked."}}})},
                                           {"fixRounds", 0}});
    acted.output.description = absl::StrCat("Generate \"", TitleOf(request_, ""), "\"");
    acted.output.reversible = false;
    return acted;
  }

  models::ChatModel& model_;
  const ArtifactPolicy& policy_;
  const Clock& clock_;
  ToolContext& context_;
  EffectSession& session_;
  const absl::Duration begin_;
  ArtifactRequest request_;
  int fix_rounds_ = 0;
  int retries_ = 0;
  int64_t tokens_ = 0;
  std::string model_name_;
  std::vector<Problem> notes_;
};

absl::StatusOr<Acted> ArtifactGenerator::Generate(ToolContext& context, EffectSession& session) const {
  return Call(*this, context, session).Run();
}

absl::StatusOr<Recovered> ArtifactGenerator::Recover(ToolContext&, EffectSession&) {
  Recovered recovered;
  recovered.outcome = Recovered::Outcome::kRolledBack;
  recovered.failure = NoArtifact(
      "the service stopped while the artifact was made; nothing of it was kept, though the provider may have charged "
      "for it");
  return recovered;
}

}  // namespace toolgate::executors::artifacts
