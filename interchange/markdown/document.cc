#include "interchange/markdown/document.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/text/utf8.h"
#include "common/text/words.h"
#include "interchange/markdown/front_matter.h"
#include "interchange/markdown/text.h"

namespace toolgate::interchange::markdown {
namespace {

// Limits of a block's data.
constexpr size_t kMaxLine = 500;      // Characters.
constexpr size_t kMaxText = 100'000;  // Characters.
constexpr size_t kMaxTags = 100;
constexpr size_t kMaxLanguage = 64;
constexpr size_t kMaxIcon = 64;
constexpr size_t kMaxUrl = 2'048;
constexpr size_t kMaxAlt = 1'000;
constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxRows = 10'000;
constexpr size_t kMaxTableBytes = 512 << 10;
// Maximum nesting of blocks; deeper ones become text.
constexpr int kMaxDepth = 24;

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
using NodePtr = std::unique_ptr<cmark_node, FreeNode>;

NodePtr Parse(std::string_view text) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  for (const char* name : {"table", "tasklist", "strikethrough"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return NodePtr(cmark_parser_finish(parser.get()));
}

// For the types of extensions, which have no constants.
bool IsA(cmark_node* node, std::string_view type) { return text::OrEmpty(cmark_node_get_type_string(node)) == type; }

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> pieces;
  do {
    const std::string_view piece = text::PrefixOfCharacters(text, kMaxText);
    pieces.emplace_back(piece);
    text.remove_prefix(piece.size());
  } while (!text.empty());
  return pieces;
}

std::string Cut(std::string_view text, size_t characters) {
  return std::string(text::PrefixOfCharacters(text, characters));
}

bool FitsIn(std::string_view text, size_t characters) {
  return text::PrefixOfCharacters(text, characters).size() == text.size();
}

bool IsHtmlLineBreak(std::string_view tag) {
  return absl::EqualsIgnoreCase(ToAbsl(tag), "<br>") || absl::EqualsIgnoreCase(ToAbsl(tag), "<br/>") ||
         absl::EqualsIgnoreCase(ToAbsl(tag), "<br />");
}

// Writes inline content as light Markdown, without the escapes that renderers for documents need, including cmark-gfm's
// own; its plain-text renderer leaves "~" behind and removes tags (cmark_test.cc). Does not recurse, so that no nesting
// is too deep.
class InlineWriter {
 public:
  enum class Style {
    kLight,
    kCell,   // The same, but <br> is the only way to break a line.
    kPlain,  // Without any markup.
  };

  explicit InlineWriter(Style style) : style_(style), plain_(style == Style::kPlain) {}

  std::string Write(cmark_node* root) {
    const std::unique_ptr<cmark_iter, FreeIterator> iterator(cmark_iter_new(root));
    for (cmark_event_type event = cmark_iter_next(iterator.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(iterator.get())) {
      cmark_node* node = cmark_iter_get_node(iterator.get());
      if (node != root) Visit(node, event == CMARK_EVENT_ENTER);
    }
    return CleanText(FromAbsl(absl::StripAsciiWhitespace(text_)));
  }

 private:
  void Visit(cmark_node* node, bool enter) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_CODE_BLOCK ||
        type == CMARK_NODE_HTML_BLOCK) {
      const std::string_view literal = text::OrEmpty(cmark_node_get_literal(node));
      const bool breaks = style_ == Style::kCell && type == CMARK_NODE_HTML_INLINE && IsHtmlLineBreak(literal);
      text_ += breaks ? "\n" : literal;
    } else if (type == CMARK_NODE_CODE) {
      Code(text::OrEmpty(cmark_node_get_literal(node)));
    } else if (type == CMARK_NODE_SOFTBREAK) {
      text_ += ' ';
    } else if (type == CMARK_NODE_LINEBREAK || (!enter && (type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_BLOCK)) {
      text_ += '\n';
    } else if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) {
      Link(node, enter, type == CMARK_NODE_IMAGE);
    } else if (!plain_) {
      if (type == CMARK_NODE_EMPH) text_ += '*';
      if (type == CMARK_NODE_STRONG) text_ += "**";
      if (IsA(node, "strikethrough")) text_ += "~~";
    }
  }

  void Code(std::string_view literal) {
    if (plain_) {
      text_ += literal;
      return;
    }
    // More backticks than the code has in any row.
    size_t longest = 0, run = 0;
    for (const char c : literal) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    const char* pad = longest > 0 ? " " : "";
    absl::StrAppend(&text_, fence, pad, ToAbsl(literal), pad, fence);
  }

  void Link(cmark_node* node, bool enter, bool image) {
    if (plain_) return;
    if (enter) {
      links_.push_back(text_.size());
      text_ += image ? "![" : "[";
      return;
    }
    const size_t begin = links_.back();
    links_.pop_back();
    const std::string_view url = text::OrEmpty(cmark_node_get_url(node));
    const std::string_view title = text::OrEmpty(cmark_node_get_title(node));
    if (!image && title.empty() && !url.empty() && std::string_view(text_).substr(begin + 1) == url) {
      text_.erase(begin, 1);  // An autolink: the address itself.
    } else {
      absl::StrAppend(&text_, "](", LinkTarget(url, title), ")");
    }
  }

  const Style style_;
  const bool plain_;
  std::string text_;
  std::vector<size_t> links_;  // Start of each open link in text_.
};

std::string Inline(cmark_node* node) { return InlineWriter(InlineWriter::Style::kLight).Write(node); }
std::string InlineOfCell(cmark_node* node) { return InlineWriter(InlineWriter::Style::kCell).Write(node); }
std::string Plain(cmark_node* node) { return CleanLine(InlineWriter(InlineWriter::Style::kPlain).Write(node)); }

// The paragraph at the beginning of a container; its text is the container's content.
cmark_node* FirstParagraph(cmark_node* node) {
  cmark_node* first = cmark_node_first_child(node);
  return first != nullptr && cmark_node_get_type(first) == CMARK_NODE_PARAGRAPH ? first : nullptr;
}

// The image, if `paragraph` contains nothing else.
cmark_node* OnlyImage(cmark_node* paragraph) {
  cmark_node* first = cmark_node_first_child(paragraph);
  const bool only = first != nullptr && first == cmark_node_last_child(paragraph);
  return only && cmark_node_get_type(first) == CMARK_NODE_IMAGE ? first : nullptr;
}

// Removes "[!NOTE] " from the text of a callout's quote; returns the name.
std::optional<std::string> TakeCalloutName(std::string& text) {
  const size_t end = text.find_first_of("]\n");
  if (text.compare(0, 2, "[!") != 0 || end == std::string::npos || text[end] != ']' || end == 2) return std::nullopt;
  std::string name = text.substr(2, end - 2);
  const bool alone = end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n';
  if (!alone || !FitsIn(name, kMaxIcon)) return std::nullopt;
  text.erase(0, end + 1);
  absl::StripAsciiWhitespace(&text);
  return name;
}

cmark_node* FirstHeading(cmark_node* document) {
  for (cmark_node* node = cmark_node_first_child(document); node != nullptr; node = cmark_node_next(node)) {
    if (cmark_node_get_type(node) == CMARK_NODE_HEADING) return node;
  }
  return nullptr;
}

// Uses the library's definition of lines: a single carriage return ends one too.
std::vector<size_t> LineBegins(std::string_view text) {
  std::vector<size_t> begins = {0};
  for (size_t i = text.find_first_of("\r\n"); i != std::string_view::npos; i = text.find_first_of("\r\n", i + 1)) {
    if (text[i] == '\r' && text.substr(i + 1, 1) == "\n") ++i;
    begins.push_back(i + 1);
  }
  return begins;
}

class Builder {
 public:
  explicit Builder(const std::function<std::string()>& new_id) : new_id_(new_id) {}

  std::vector<v1::PortableBlock> Build(const MarkdownDocument& document) {
    std::string_view text = document.text;
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    const FrontMatter matter = TakeFrontMatter(text);
    source_ = text;
    lines_ = LineBegins(text);
    const NodePtr root = Parse(text);
    cmark_node* heading = FirstHeading(root.get());
    std::string title = CleanLine(matter.title);
    const std::string heading_text = heading == nullptr ? "" : Plain(heading);
    if (title.empty()) title = heading_text;
    if (title.empty()) title = document.fallback_title;
    title = Cut(title, kMaxLine);
    Json page = {{"title", title}};
    for (const std::string& tag : matter.tags) {
      if (page["tags"].size() < kMaxTags) page["tags"].push_back(Cut(CleanLine(tag), kMaxLine));
    }
    if (const std::string icon = Cut(CleanLine(matter.icon), kMaxIcon); !icon.empty()) page["icon"] = icon;
    if (const std::string about = CleanText(matter.description); !about.empty())
      page["description"] = Cut(about, kMaxText);
    const std::string page_id = Emit("page", document.parent_id, page);
    const bool opens = heading != nullptr && heading == cmark_node_first_child(root.get()) &&
                       cmark_node_get_heading_level(heading) == 1 && heading_text == title;
    if (opens) cmark_node_free(heading);
    Children(root.get(), page_id, 0);
    return std::move(blocks_);
  }

 private:
  // Adds a block and returns its id.
  std::string Emit(std::string_view type, const std::string& parent_id, const Json& data) {
    v1::PortableBlock& block = blocks_.emplace_back();
    block.set_id(new_id_());
    block.set_type(std::string(type));
    block.set_parent_id(parent_id);
    block.set_data_json(DumpJson(data));
    return block.id();
  }

  // Text of a type whose data has "content"; text that is too long for one block is split.
  void EmitText(std::string_view type, const std::string& parent_id, std::string_view text,
                Json data = Json::object()) {
    for (std::string& piece : Split(text)) {
      data["content"] = std::move(piece);
      Emit(type, parent_id, data);
    }
  }

  void Children(cmark_node* parent, const std::string& parent_id, int depth) {
    for (cmark_node* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
      Block(node, parent_id, depth);
    }
  }

  void Block(cmark_node* node, const std::string& parent_id, int depth) {
    if (depth > kMaxDepth) {
      EmitText("paragraph", parent_id, Inline(node));
      return;
    }
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HEADING) {
      Heading(node, parent_id);
    } else if (type == CMARK_NODE_LIST) {
      for (cmark_node* item = cmark_node_first_child(node); item != nullptr; item = cmark_node_next(item)) {
        Item(node, item, parent_id, depth);
      }
    } else if (type == CMARK_NODE_BLOCK_QUOTE) {
      Quote(node, parent_id, depth);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      Code(text::OrEmpty(cmark_node_get_literal(node)), text::OrEmpty(cmark_node_get_fence_info(node)), parent_id);
    } else if (type == CMARK_NODE_HTML_BLOCK) {
      Code(text::OrEmpty(cmark_node_get_literal(node)), "html", parent_id);
    } else if (type == CMARK_NODE_THEMATIC_BREAK) {
      Emit("divider", parent_id, Json::object());
    } else if (IsA(node, "table")) {
      Table(node, parent_id);
    } else if (!Image(OnlyImage(node), parent_id)) {
      EmitText("paragraph", parent_id, Inline(node));
    }
  }

  // Returns whether `image` could become a block.
  bool Image(cmark_node* image, const std::string& parent_id) {
    if (image == nullptr) return false;
    const std::string url = CleanLine(text::OrEmpty(cmark_node_get_url(image)));
    const std::string caption = CleanLine(text::OrEmpty(cmark_node_get_title(image)));
    const std::string alt = Plain(image);
    if (url.empty() || !FitsIn(url, kMaxUrl) || !FitsIn(caption, kMaxLine) || !FitsIn(alt, kMaxAlt)) return false;
    Json data = {{"url", url}};
    if (!caption.empty()) data["caption"] = caption;
    if (!alt.empty()) data["alt"] = alt;
    Emit("image", parent_id, data);
    return true;
  }

  void Heading(cmark_node* node, const std::string& parent_id) {
    const std::string text = CleanLine(Inline(node));
    if (text.empty()) return;
    if (!FitsIn(text, kMaxLine)) {
      EmitText("paragraph", parent_id, text);
    } else {
      Emit("heading", parent_id, {{"content", text}, {"level", cmark_node_get_heading_level(node)}});
    }
  }

  void Item(cmark_node* list, cmark_node* item, const std::string& parent_id, int depth) {
    std::string text = ContentOf(item);
    if (const std::optional<bool> ticked = Box(item); ticked.has_value()) {
      if (!IsA(item, "tasklist")) TakeBox(text);
      Container("todo", item, parent_id, depth, text, {{"completed", *ticked}});
    } else {
      const bool numbered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
      Container(numbered ? "numbered_list_item" : "bulleted_list_item", item, parent_id, depth, text, Json::object());
    }
  }

  void Quote(cmark_node* node, const std::string& parent_id, int depth) {
    std::string text = ContentOf(node);
    cmark_node* paragraph = FirstParagraph(node);
    const bool marked = paragraph != nullptr && SourceAt(paragraph).substr(0, 2) == "[!";  // And not "\\[!".
    const std::optional<std::string> callout = marked ? TakeCalloutName(text) : std::nullopt;
    Json more = Json::object();
    if (callout.has_value() && *callout != kPlainCallout) more["icon"] = CalloutIcon(*callout);
    Container(callout.has_value() ? "callout" : "quote", node, parent_id, depth, text, more);
  }

  // Whether the item's box is ticked; nothing if it has none. The library recognises a box only if there are only
  // blanks before the item (not in a quote, for example), and treats it as ticked if "[x]" occurs anywhere on the line.
  std::optional<bool> Box(cmark_node* item) {
    std::string_view source = SourceAt(item);
    source.remove_prefix(std::min(source.find_first_not_of("-+*.)0123456789"), source.size()));
    source.remove_prefix(std::min(source.find_first_not_of(" \t"), source.size()));
    const bool box = source.size() >= 3 && source[0] == '[' && source[2] == ']' &&
                     (source.size() == 3 || source[3] == ' ' || source[3] == '\t');
    if (box && (source[1] == 'x' || source[1] == 'X')) return true;
    if (box && source[1] == ' ') return false;
    return IsA(item, "tasklist") ? std::optional(cmark_gfm_extensions_get_tasklist_item_checked(item)) : std::nullopt;
  }

  static void TakeBox(std::string& text) {
    text.erase(0, 3);
    absl::StripLeadingAsciiWhitespace(&text);
  }

  // The document's text from the beginning of `node` to the end of that line.
  std::string_view SourceAt(cmark_node* node) {
    const auto line = static_cast<size_t>(cmark_node_get_start_line(node));
    const auto column = static_cast<size_t>(cmark_node_get_start_column(node));
    if (line == 0 || line > lines_.size() || column == 0) return "";
    const std::string_view rest = source_.substr(lines_[line - 1]);
    const std::string_view text = rest.substr(0, rest.find_first_of("\r\n"));
    return text.substr(std::min(column - 1, text.size()));
  }

  static std::string ContentOf(cmark_node* container) {
    cmark_node* paragraph = FirstParagraph(container);
    return paragraph == nullptr ? "" : Inline(paragraph);
  }

  // A block with its first paragraph as content, and everything else below it.
  void Container(std::string_view type, cmark_node* node, const std::string& parent_id, int depth,
                 std::string_view text, const Json& more) {
    std::vector<std::string> pieces = Split(text);
    Json data = {{"content", pieces.front()}};
    data.update(more);
    const std::string id = Emit(type, parent_id, data);
    for (size_t i = 1; i < pieces.size(); ++i) Emit("paragraph", id, {{"content", pieces[i]}});
    cmark_node* paragraph = FirstParagraph(node);
    for (cmark_node* child = paragraph == nullptr ? cmark_node_first_child(node) : cmark_node_next(paragraph);
         child != nullptr; child = cmark_node_next(child)) {
      Block(child, id, depth + 1);
    }
  }

  void Code(std::string_view literal, std::string_view info, const std::string& parent_id) {
    std::string text = CleanText(literal);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    Json data = Json::object();
    const std::string language = Cut(CleanLine(info.substr(0, info.find_first_of(" \t,{"))), kMaxLanguage);
    if (!language.empty()) data["language"] = language;
    EmitText("code", parent_id, text, data);
  }

  static Json Cells(cmark_node* row, bool header) {
    Json cells = Json::array();
    for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr; cell = cmark_node_next(cell)) {
      cells.push_back(Cut(header ? CleanLine(Inline(cell)) : InlineOfCell(cell), kMaxText));
    }
    return cells;
  }

  static bool FitsHeader(const Json& cells) {
    return cells.size() <= kMaxColumns && std::all_of(cells.begin(), cells.end(), [](const Json& cell) {
             const auto& text = cell.get_ref<const std::string&>();
             return FitsIn(text, kMaxLine);
           });
  }

  // Splits long tables into several with the same header.
  void Table(cmark_node* node, const std::string& parent_id) {
    Json header;
    Json rows = Json::array();
    size_t bytes = 0;
    const auto flush = [&] {
      Json data = header.is_null() ? Json::object() : Json{{"header", header}};
      data["rows"] = std::exchange(rows, Json::array());
      bytes = 0;
      Emit("table", parent_id, data);
    };
    for (cmark_node* row = cmark_node_first_child(node); row != nullptr; row = cmark_node_next(row)) {
      const bool is_header = cmark_gfm_extensions_get_table_row_is_header(row) != 0;
      Json cells = Cells(row, is_header);
      // Markdown tables always have a header: one without any text counts as none.
      if (is_header && std::all_of(cells.begin(), cells.end(),
                                   [](const Json& cell) { return cell.get_ref<const std::string&>().empty(); })) {
        continue;
      }
      if (is_header && FitsHeader(cells)) {
        header = std::move(cells);
        continue;
      }
      const size_t size = DumpJson(cells).size();
      if (!rows.empty() && (rows.size() == kMaxRows || bytes + size > kMaxTableBytes)) flush();
      bytes += size;
      rows.push_back(std::move(cells));
    }
    flush();
  }

  const std::function<std::string()>& new_id_;
  std::string_view source_;
  std::vector<size_t> lines_;  // Start of each line in source_.
  std::vector<v1::PortableBlock> blocks_;
};

}  // namespace

std::vector<v1::PortableBlock> BlocksOfMarkdown(const MarkdownDocument& document,
                                                const std::function<std::string()>& new_id) {
  return Builder(new_id).Build(document);
}

}  // namespace toolgate::interchange::markdown
