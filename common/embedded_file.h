// Data files compiled into the binary by the CMake function toolgate_embed.
#ifndef TOOLGATE_COMMON_EMBEDDED_FILE_H_
#define TOOLGATE_COMMON_EMBEDDED_FILE_H_

#include <string_view>

namespace toolgate {

struct EmbeddedFile {
  std::string_view path;  // From the root of the source tree.
  std::string_view text;
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_EMBEDDED_FILE_H_
