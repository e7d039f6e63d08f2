// A call of generate_image as a request to a model.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGE_REQUEST_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGE_REQUEST_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::images {

struct ImageRequest {
  enum class Mode { kGenerate, kEdit };
  Mode mode = Mode::kGenerate;
  std::string prompt = {};
  std::string aspect_ratio = {};  // "16:9". Empty: that of the image to edit.
  std::string base_image = {};    // As written: a data URL, or an address. Empty unless an image is to be edited.
};

// The validated arguments. MISSING_REQUIRED without an image to edit; INVALID_PARAMS at /baseImage when there is one to
// be generated.
absl::StatusOr<ImageRequest> ReadImageRequest(const Json& arguments);

// The messages for a model, with the members by which OpenRouter asks for an image. `base` is the image to edit.
models::ModelRequest BuildModelRequest(const ImageRequest& request, std::optional<models::Image> base);

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGE_REQUEST_H_
