// Headlines of artifacts.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_TITLE_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_TITLE_H_

#include <string>
#include <string_view>

#include "executors/artifacts/artifact_request.h"

namespace toolgate::executors::artifacts {

inline constexpr size_t kMaxTitleBytes = 200;

// The title that the caller gave, or that of the page, image, diagram or document, or the component's name; else the
// first line of the prompt. One line of at most kMaxTitleBytes.
std::string TitleOf(const ArtifactRequest& request, std::string_view code);

}  // namespace toolgate::executors::artifacts

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_TITLE_H_
