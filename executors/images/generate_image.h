// The tool generate_image.
#ifndef TOOLGATE_EXECUTORS_IMAGES_GENERATE_IMAGE_H_
#define TOOLGATE_EXECUTORS_IMAGES_GENERATE_IMAGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "executors/effect_session.h"
#include "executors/images/formats/image_info.h"
#include "executors/images/image_counts.h"
#include "executors/images/image_fetcher.h"
#include "executors/models/chat_model.h"
#include "executors/tool.h"
#include "storage/blobs/blob_store.h"

namespace toolgate::executors::images {

// Validates, builds the messages, asks the model, extracts and checks the image, and stores it. The model's work is
// paid for and cannot be taken back; the image in the store stays as well. Checkpoints let a recovery tell an image
// that was stored from one that was lost. Thread-safe.
class GenerateImage {
 public:
  struct Options {
    std::string model;  // As it is asked for, for dry runs.
    formats::ImageLimits limits = {};
    int64_t max_inline_bytes = 0;
  };

  // `store` null: answers contain the image. `fetcher` null: addresses in models' answers are not followed.
  GenerateImage(std::shared_ptr<models::ChatModel> model, std::shared_ptr<storage::blobs::BlobStore> store,
                std::unique_ptr<ImageFetcher> fetcher, Options options);

  // Errors are those of ReadImageRequest, FindBaseImage, ChatModel and ExtractImage; EXECUTION_ERROR when the image
  // could not be stored, or is too large for an answer and there is no store.
  absl::StatusOr<Acted> Run(ToolContext& context, EffectSession& session);

  // Finished, if the image had been stored; otherwise partly rolled back, since the provider may charge for it, or
  // rolled back, if the model had not been asked. An error while the store cannot be asked.
  absl::StatusOr<Recovered> Recover(ToolContext& context, EffectSession& session);

  const ImageCounts& counts() const { return counts_; }

 private:
  class Call;

  const std::shared_ptr<models::ChatModel> model_;
  const std::shared_ptr<storage::blobs::BlobStore> store_;
  const std::unique_ptr<ImageFetcher> fetcher_;
  const Options options_;
  ImageCounts counts_;
};

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_GENERATE_IMAGE_H_
