#include "executors/images/generate_image.h"

#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/cut_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/images/image_request.h"
#include "executors/images/image_source.h"
#include "executors/images/store_error.h"
#include "executors/providers/provider.h"
#include "storage/blobs/blob_key.h"

namespace toolgate::executors::images {
namespace {

using Outcome = ImageCounts::Outcome;

constexpr size_t kMaxTextBytes = 4000;  // Of what a model writes beside the image.
constexpr size_t kMaxModelName = 200;
constexpr size_t kMaxShownPrompt = 80;
constexpr int64_t kImageSteps = 3;

// Members of a checkpoint.
constexpr char kKey[] = "key";    // Of the blob that is about to be stored.
constexpr char kData[] = "data";  // The answer.
constexpr char kTokens[] = "tokens";

// Checkpoint before the model is asked. One with a key follows it.
constexpr char kAsking[] = "{}";

Json DataOf(const CheckedImage& image, const models::ModelAnswer& answer) {
  Json data{{"mediaType", image.info.media_type},
            {"width", image.info.width},
            {"height", image.info.height},
            {"bytes", image.info.bytes},
            {"sha256", HexEncode(Sha256(image.bytes))}};
  if (!answer.model.empty()) data["model"] = text::CutText(answer.model, kMaxModelName);
  if (!answer.message.text.empty()) data["text"] = text::CutText(answer.message.text, kMaxTextBytes);
  return data;
}

std::string DescriptionOf(const Json& arguments) {
  const std::string prompt(StringArgument(arguments, "prompt"));
  return absl::StrCat("Made an image: \"", text::CutText(prompt.substr(0, prompt.find('\n')), kMaxShownPrompt), "\"");
}

// From outside also without a text beside the image: a model that sees the picture reads what is written in it.
ToolOutput OutputOf(const Json& arguments, const Json& data, int64_t tokens) {
  ToolOutput output;
  output.data_json = DumpJson(data);
  output.description = DescriptionOf(arguments);
  output.tokens_used = tokens;
  output.reversible = false;
  output.untrusted = true;
  return output;
}

Recovered Lost(std::string_view what) {
  Recovered recovered;
  recovered.outcome = Recovered::Outcome::kPartlyRolledBack;
  recovered.failure = MakeError(
      ErrorCode::kExecutionError,
      absl::StrCat("the service stopped ", ToAbsl(what), "; no image was kept, and the provider may charge for it"));
  return recovered;
}

}  // namespace

// One call, on the stack of its thread.
class GenerateImage::Call {
 public:
  Call(GenerateImage& tool, ToolContext& context, EffectSession& session)
      : tool_(tool), context_(context), session_(session) {}

  absl::StatusOr<Acted> Run() {
    ASSIGN_OR_RETURN(const ImageRequest request, ReadImageRequest(context_.arguments));
    ASSIGN_OR_RETURN(std::optional<models::Image> base, BaseOf(request));
    if (context_.dry_run) return Rehearse();
    ASSIGN_OR_RETURN(const models::ModelAnswer answer, Ask(BuildModelRequest(request, std::move(base))));
    ASSIGN_OR_RETURN(const CheckedImage image, Extract(answer));
    Json data = DataOf(image, answer);
    RETURN_IF_ERROR(tool_.store_ == nullptr ? Inline(image, data) : Store(image, data));
    tool_.counts_.Count(Outcome::kMade);
    Acted acted;
    acted.output = OutputOf(context_.arguments, data, tokens_);
    acted.output.retry_count = retries_;
    return acted;
  }

 private:
  fibers::Wait wait() { return wait_; }
  storage::blobs::Scope BlobScope() { return {wait(), context_.call_span, &retries_}; }

  absl::StatusOr<std::optional<models::Image>> BaseOf(const ImageRequest& request) {
    if (request.base_image.empty()) return std::optional<models::Image>();
    ASSIGN_OR_RETURN(models::Image image, FindBaseImage(request.base_image, context_.caller.workspace_id,
                                                        tool_.store_.get(), tool_.options_.limits, BlobScope()));
    return std::optional(std::move(image));
  }

  Acted Rehearse() const {
    Acted acted;
    acted.output = OutputOf(context_.arguments, Json{{"model", tool_.options_.model}}, 0);
    return acted;
  }

  absl::StatusOr<models::ModelAnswer> Ask(const models::ModelRequest& request) {
    RETURN_IF_ERROR(session_.Checkpoint(kAsking));
    context_.Report({"Asking the image model", 0, kImageSteps});
    providers::Scope scope{wait(), context_.call_span, &retries_};
    absl::StatusOr<models::ModelAnswer> answer = tool_.model_->Complete(request, nullptr, scope);
    if (!answer.ok()) {
      tool_.counts_.Count(Outcome::kModelFailed);
      return answer;
    }
    tokens_ = answer->input_tokens + answer->output_tokens;
    return answer;
  }

  absl::StatusOr<CheckedImage> Extract(const models::ModelAnswer& answer) {
    context_.Report({"Checking the image", 1, kImageSteps});
    absl::StatusOr<CheckedImage> image = ExtractImage(answer, tool_.fetcher_.get(), tool_.options_.limits, wait());
    if (!image.ok()) tool_.counts_.Count(Outcome::kRefused);
    return image;
  }

  absl::Status Inline(const CheckedImage& image, Json& data) {
    if (static_cast<int64_t>(image.bytes.size()) > tool_.options_.max_inline_bytes) {
      tool_.counts_.Count(Outcome::kStoreFailed);
      return BlameRequest(
          MakeError(ErrorCode::kExecutionError,
                    absl::StrCat("the image was generated, but with ", image.bytes.size(),
                                 " bytes it is too large for an answer, and there is no store for images; set "
                                 "images.store.kind")));
    }
    data["imageData"] = absl::Base64Escape(image.bytes);
    return absl::OkStatus();
  }

  absl::Status Store(const CheckedImage& image, Json& data) {
    const std::string key = storage::blobs::ContentKey(context_.caller.workspace_id, image.bytes, image.info.extension);
    data["imageUrl"] = tool_.store_->UrlOf(key);
    RETURN_IF_ERROR(session_.Checkpoint(DumpJson(Json{{kKey, key}, {kData, data}, {kTokens, tokens_}})));
    context_.Report({"Storing the image", 2, kImageSteps});
    absl::Status stored = tool_.store_->Put(key, image.info.media_type, image.bytes, BlobScope());
    if (stored.ok()) return stored;
    tool_.counts_.Count(Outcome::kStoreFailed);
    return StoreError("the image was generated, but could not be stored", stored);
  }

  GenerateImage& tool_;
  ToolContext& context_;
  EffectSession& session_;
  const std::function<absl::StatusOr<bool>(fibers::Event&, absl::Duration)> wait_ =
      [this](fibers::Event& event, absl::Duration timeout) { return session_.Wait(event, timeout); };
  int retries_ = 0;
  int64_t tokens_ = 0;
};

GenerateImage::GenerateImage(std::shared_ptr<models::ChatModel> model, std::shared_ptr<storage::blobs::BlobStore> store,
                             std::unique_ptr<ImageFetcher> fetcher, Options options)
    : model_(std::move(model)), store_(std::move(store)), fetcher_(std::move(fetcher)), options_(std::move(options)) {}

absl::StatusOr<Acted> GenerateImage::Run(ToolContext& context, EffectSession& session) {
  return Call(*this, context, session).Run();
}

absl::StatusOr<Recovered> GenerateImage::Recover(ToolContext& context, EffectSession& session) {
  if (session.checkpoint().empty()) return Recovered{.outcome = Recovered::Outcome::kRolledBack, .acted = {}};
  ASSIGN_OR_RETURN(const Json checkpoint, ParseJson(session.checkpoint()));
  if (!checkpoint.contains(kKey) || store_ == nullptr) return Lost("while the image model worked");
  const auto wait = [&session](fibers::Event& event, absl::Duration timeout) { return session.Wait(event, timeout); };
  ASSIGN_OR_RETURN(const bool stored, store_->Has(checkpoint[kKey].get<std::string>(), {wait, context.call_span}));
  if (!stored) return Lost("before the image was stored");
  Recovered recovered;
  recovered.outcome = Recovered::Outcome::kFinished;
  recovered.acted.output = OutputOf(context.arguments, checkpoint[kData], checkpoint[kTokens].get<int64_t>());
  return recovered;
}

}  // namespace toolgate::executors::images
