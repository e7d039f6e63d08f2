#include "executors/images/image_request.h"

#include <utility>

#include "executors/arguments.h"

namespace toolgate::executors::images {
namespace {

constexpr char kDefaultRatio[] = "1:1";

}  // namespace

absl::StatusOr<ImageRequest> ReadImageRequest(const Json& arguments) {
  ImageRequest request;
  request.prompt = StringArgument(arguments, "prompt");
  request.aspect_ratio = StringArgument(arguments, "aspectRatio");
  request.base_image = StringArgument(arguments, "baseImage");
  if (StringArgument(arguments, "mode") == "edit") {
    request.mode = ImageRequest::Mode::kEdit;
    if (request.base_image.empty()) return MissingArgument("/baseImage", "names the image that is to be edited");
    return request;
  }
  if (!request.base_image.empty()) {
    return InvalidArgument("/baseImage", "mode", "needs the mode \"edit\"", "no base image in the mode \"generate\"");
  }
  if (request.aspect_ratio.empty()) request.aspect_ratio = kDefaultRatio;
  return request;
}

models::ModelRequest BuildModelRequest(const ImageRequest& request, std::optional<models::Image> base) {
  models::Message message;
  message.text = request.prompt;
  if (base.has_value()) message.images.push_back(*std::move(base));
  models::ModelRequest model_request;
  model_request.messages.push_back(std::move(message));
  model_request.extra["modalities"] = {"image", "text"};
  if (!request.aspect_ratio.empty()) model_request.extra["image_config"] = {{"aspect_ratio", request.aspect_ratio}};
  return model_request;
}

}  // namespace toolgate::executors::images
