// Images as model services write them.
#ifndef TOOLGATE_EXECUTORS_MODELS_IMAGE_DATA_H_
#define TOOLGATE_EXECUTORS_MODELS_IMAGE_DATA_H_

#include <optional>
#include <string>
#include <string_view>

#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// From a media type ("image/png") and base64, padded or not. Nothing if either is malformed, or the image is empty.
std::optional<Image> ImageFromBase64(std::string_view media_type, std::string_view base64);

// From "data:image/png;base64,…", which is decoded, or an http or https URL, which is kept. Nothing for any other.
std::optional<Image> ImageFromUrl(std::string_view url);

std::string ImageBase64(const Image& image);

// A data URL of the bytes if there are any, else the image's URL.
std::string ImageUrl(const Image& image);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_IMAGE_DATA_H_
