// Generated images as a family of one tool.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGES_TOOLS_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGES_TOOLS_H_

#include "executors/family.h"
#include "executors/images/generate_image.h"
#include "executors/images/settings.pb.h"

namespace toolgate::executors::images {

// "generate_image", with the settings of the section "images". Absent, with the reason, while the model or the store is
// not configured. The folder of a LOCAL store is "blobs" in the data directory; with neither there is no store.
Family ImagesFamily();

// `settings` has a value for every field.
GenerateImage::Options OptionsOf(const ImagesSettings& settings);

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGES_TOOLS_H_
