// One Markdown document (CommonMark with GitHub's tables, task lists and strikethrough) as blocks.
//
// Any text is read without a fault, but not in any case in little time: Debian's cmark-gfm 0.29.0.gfm.6 lacks later
// bounds, and some texts made for it take time and memory by the square of their length (54 KB of a wide table with
// short rows: a minute). A service that takes documents of strangers must bound them far below Import::kMaxBytes, or
// read them in a process of their own.
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
  std::string fallback_title;  // For a document that neither front matter nor a heading names.
  std::string parent_id;       // Of the page; may be empty.
};

// The page first, then what is on it, in order. The page's title is the front matter's, or the first heading's, or the
// fallback; a heading of level 1 that opens the document and is the title is not repeated below it. What is longer than
// a block may hold is split into several. `new_id` is asked for every block that can have children. Same input, same
// ids: same output.
std::vector<v1::PortableBlock> BlocksOfMarkdown(const MarkdownDocument& document,
                                                const std::function<std::string()>& new_id);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_DOCUMENT_H_
