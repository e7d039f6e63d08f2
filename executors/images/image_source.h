// Finds the bytes of images in calls and in models' answers, and checks them.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGE_SOURCE_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGE_SOURCE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/fibers/wait.h"
#include "executors/images/formats/image_info.h"
#include "executors/images/image_fetcher.h"
#include "executors/models/chat_model.h"
#include "storage/blobs/blob_store.h"

namespace toolgate::executors::images {

// An image that has been checked, without anything behind its end. `bytes` holds what `info` tells of.
struct CheckedImage {
  std::string bytes;
  formats::ImageInfo info;
};

// The image that a call wants to have edited: a data URL, or the address of an image of the same workspace in `store`,
// which may be null. INVALID_PARAMS at /baseImage when it is neither, or the image is none; NOT_FOUND when the store
// has it no more, or never had. Its media type is that of its bytes, whatever is declared.
absl::StatusOr<models::Image> FindBaseImage(std::string_view written, std::string_view workspace_id,
                                            storage::blobs::BlobStore* store, const formats::ImageLimits& limits,
                                            const storage::blobs::Scope& scope);

// The first image of a model's answer. EXECUTION_ERROR when there is none, with the beginning of the text that the
// model wrote instead; when there is only an address and `fetcher` is null; or when the bytes are no image that may be
// kept.
absl::StatusOr<CheckedImage> ExtractImage(const models::ModelAnswer& answer, ImageFetcher* fetcher,
                                          const formats::ImageLimits& limits, fibers::Wait wait);

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGE_SOURCE_H_
