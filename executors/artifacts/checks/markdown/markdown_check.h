// Check of Markdown.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MARKDOWN_MARKDOWN_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MARKDOWN_MARKDOWN_CHECK_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::markdown {

inline constexpr size_t kMaxBytes = size_t{512} << 10;
// Block quotes and lists inside each other, as the source marks them at the start of a line.
inline constexpr int kMaxDepth = 50;

// Problems of text in GitHub's Markdown that is shown inside a page: its links and images, and the HTML in it, of which
// only formatting may be left. The page that cmark-gfm makes of it is judged as well, so that nothing hides between
// Markdown and HTML. docs/generation.md lists the rules.
std::vector<Problem> CheckMarkdown(std::string_view source);

}  // namespace toolgate::executors::artifacts::checks::markdown

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MARKDOWN_MARKDOWN_CHECK_H_
