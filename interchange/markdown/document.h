// One Markdown document (CommonMark with GitHub's tables, task lists and strikethrough) as blocks.
//
// Any text can be parsed safely, but not always quickly: Debian's cmark-gfm 0.29.0.gfm.6 lacks later limits, and
// hostile texts take time and memory quadratic in their length (54 KB of a wide table with short rows: a minute). A
// service that accepts documents of strangers must limit them far below Import::kMaxBytes, or parse them in a separate
// process.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/v1/data_service.pb.h"

namespace toolgate::interchange::markdown {

struct MarkdownDocument {
  std::string_view text;       // Well-formed UTF-8.
  std::string fallback_title;  // For a document without a title in front matter or a heading.
  std::string parent_id;       // Of the page; may be empty.
};

// The page first, then its blocks, in order. The page's title is the front matter's, or the first heading's, or the
// fallback; a heading of level 1 that begins the document and is the title is not repeated below it. Content that is
// too long for a block is split into several. `new_id` is called for every block that can have children. Same input,
// same ids: same output.
std::vector<v1::PortableBlock> BlocksOfMarkdown(const MarkdownDocument& document,
                                                const std::function<std::string()>& new_id);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_H_
