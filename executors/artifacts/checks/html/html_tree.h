// HTML as a browser reads it.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_TREE_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_TREE_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "gumbo.h"

namespace toolgate::executors::artifacts::checks::html {

// The tree of one page or fragment, by Gumbo, which implements the parsing algorithm of the HTML standard. That
// algorithm takes time that grows with the depth of the tree, and may copy formatting elements many times; so the
// numbers of bytes and tags and the memory of the tree are bounded.
class HtmlTree {
 public:
  static constexpr size_t kMaxBytes = size_t{512} << 10;
  static constexpr size_t kMaxTags = 5000;
  static constexpr size_t kMaxMemory = size_t{64} << 20;

  // Borrows `source`. RESOURCE_EXHAUSTED beyond a bound; the message completes "The page …".
  static absl::StatusOr<HtmlTree> Parse(std::string_view source);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  const GumboOutput& output() const { return *output_; }
  // Bytes before `piece`, a piece of the source; 0 for elements that the parser has added.
  size_t OffsetOf(const GumboStringPiece& piece) const;

 private:
  class Arena;
  HtmlTree(std::string_view source, std::unique_ptr<Arena> arena, const GumboOutput* output);

  std::string_view source_;
  std::unique_ptr<Arena> arena_;  // Holds the whole tree.
  const GumboOutput* output_;
};

}  // namespace toolgate::executors::artifacts::checks::html

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_HTML_TREE_H_
