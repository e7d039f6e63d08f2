#include "executors/images/image_source.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/cut_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/images/store_error.h"
#include "executors/models/image_data.h"
#include "executors/outside_quote.h"
#include "storage/blobs/blob_key.h"

namespace toolgate::executors::images {
namespace {

constexpr size_t kMaxQuoteBytes = 300;
constexpr char kExpectedBase[] = "a data URL, or the imageUrl of an earlier image of this workspace";

absl::Status WrongBase(std::string_view problem) {
  return InvalidArgument("/baseImage", "image", problem, kExpectedBase);
}

absl::Status NoSuchImage() {
  return MakeError(ErrorCode::kNotFound, "there is no such image in this workspace; it may have been deleted");
}

absl::Status NoImage(const models::ModelAnswer& answer) {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message = "the model answered without an image";
  error.blame = Blame::kRequest;
  if (!answer.message.text.empty()) {
    absl::StrAppend(&error.message, "; it wrote: ", text::CutText(answer.message.text, kMaxQuoteBytes));
    MarkQuotesOutside(error);
  }
  return ToStatus(error);
}

absl::StatusOr<std::string> BytesOf(const models::Image& image, ImageFetcher* fetcher, int64_t max_bytes,
                                    fibers::Wait wait) {
  if (!image.bytes.empty()) return image.bytes;
  if (fetcher != nullptr) return fetcher->Fetch(image.url, max_bytes, wait);
  return BlameRequest(
      MakeError(ErrorCode::kExecutionError,
                "the model answered with the address of an image instead of the image; set images.fetch_urls to have "
                "such images fetched"));
}

}  // namespace

absl::StatusOr<models::Image> FindBaseImage(std::string_view written, std::string_view workspace_id,
                                            storage::blobs::BlobStore* store, const formats::ImageLimits& limits,
                                            const storage::blobs::Scope& scope) {
  models::Image image;
  const std::optional<std::string> key = store == nullptr ? std::nullopt : store->KeyOf(written);
  if (key.has_value()) {
    // The same answer as to a name that no image has: nobody learns of other workspaces.
    if (!key->starts_with(storage::blobs::ScopePrefix(workspace_id))) return NoSuchImage();
    absl::StatusOr<std::string> bytes = store->Get(*key, limits.max_bytes, scope);
    if (absl::IsNotFound(bytes.status())) return NoSuchImage();
    if (!bytes.ok()) return StoreError("the image to edit could not be read", bytes.status());
    image.bytes = *std::move(bytes);
  } else {
    std::optional<models::Image> data = models::ImageFromUrl(written);
    if (!data.has_value() || data->bytes.empty()) return WrongBase("must be a data URL with base64, or an imageUrl");
    image = *std::move(data);
  }
  const absl::StatusOr<formats::ImageInfo> info = formats::InspectImage(image.bytes, limits);
  if (!info.ok()) return WrongBase(FromAbsl(info.status().message()));
  image.bytes.resize(info->bytes);
  image.media_type = info->media_type;
  return image;
}

absl::StatusOr<CheckedImage> ExtractImage(const models::ModelAnswer& answer, ImageFetcher* fetcher,
                                          const formats::ImageLimits& limits, fibers::Wait wait) {
  if (answer.message.images.empty()) return NoImage(answer);
  CheckedImage image;
  ASSIGN_OR_RETURN(image.bytes, BytesOf(answer.message.images.front(), fetcher, limits.max_bytes, wait));
  const absl::StatusOr<formats::ImageInfo> info = formats::InspectImage(image.bytes, limits);
  if (!info.ok()) {
    return BlameRequest(
        MakeError(ErrorCode::kExecutionError, absl::StrCat("the model's image ", info.status().message())));
  }
  image.info = *info;
  image.bytes.resize(info->bytes);
  return image;
}

}  // namespace toolgate::executors::images
