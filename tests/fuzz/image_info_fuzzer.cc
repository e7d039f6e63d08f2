// Inspects any bytes as an image. What is accepted must lie within the bytes and the limits, and be accepted again when
// it is cut at its own end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "executors/images/formats/image_info.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace formats = toolgate::executors::images::formats;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const formats::ImageLimits limits{.max_bytes = 4096, .max_pixels = 1 << 20};
  const auto info = formats::InspectImage(bytes, limits);
  if (!info.ok()) return 0;
  if (info->bytes == 0 || info->bytes > size || info->bytes > 4096) std::abort();
  if (info->width < 1 || info->height < 1 || info->width * info->height > limits.max_pixels) std::abort();
  const auto again = formats::InspectImage(bytes.substr(0, info->bytes), limits);
  if (!again.ok() || again->bytes != info->bytes || again->media_type != info->media_type) std::abort();
  return 0;
}
