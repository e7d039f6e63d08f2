#include "executors/artifacts/checks/markdown/markdown_check.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/html/html_check.h"
#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks::markdown {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

constexpr const char* kExtensions[] = {"table", "strikethrough", "autolink", "tasklist"};

// The deepest nesting that a line can open: each container takes a mark of its own.
int MarkedDepth(std::string_view source) {
  int deepest = 0;
  int depth = 0;
  bool in_marks = true;
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    const bool ends_word = i + 1 == source.size() || source[i + 1] == ' ' || source[i + 1] == '\t';
    if (c == '\n') {
      in_marks = true;
      depth = 0;
    } else if (in_marks && (c == '>' || (ends_word && std::string_view("-+*.)").find(c) != std::string_view::npos))) {
      deepest = std::max(deepest, ++depth);
    } else if (in_marks && c != ' ' && c != '\t' && !absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      in_marks = false;
    }
  }
  return deepest;
}

// Walks the tree of one text.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view source) : source_(source), problems_(source) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  std::vector<Problem> Read() && {
    cmark_gfm_core_extensions_ensure_registered();
    const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
    for (const char* name : kExtensions) {
      cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
    }
    cmark_parser_feed(parser.get(), source_.data(), source_.size());
    const std::unique_ptr<cmark_node, FreeNode> document(cmark_parser_finish(parser.get()));
    Walk(*document);
    CheckRendering(*document, *parser);
    if (cmark_node_first_child(document.get()) == nullptr) problems_.Error(0, "empty-text", "the text is empty");
    return problems_.Take();
  }

 private:
  size_t LineOffset(int line) const {
    if (line < 1) return 0;
    return line_starts_[std::min(static_cast<size_t>(line) - 1, line_starts_.size() - 1)];
  }

  void Walk(cmark_node& document) {
    const std::unique_ptr<cmark_iter, FreeIterator> iterator(cmark_iter_new(&document));
    for (cmark_event_type event = cmark_iter_next(iterator.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(iterator.get())) {
      if (event == CMARK_EVENT_ENTER) Visit(*cmark_iter_get_node(iterator.get()));
    }
  }

  void Visit(cmark_node& node) {
    const cmark_node_type type = cmark_node_get_type(&node);
    // Inline nodes without a place of their own are in the block around them.
    if (const int line = cmark_node_get_start_line(&node); line > 0) line_ = line;
    if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) {
      CheckUrl(type == CMARK_NODE_LINK, text::OrEmpty(cmark_node_get_url(&node)));
    } else if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) {
      for (Problem& problem : html::CheckEmbedded(text::OrEmpty(cmark_node_get_literal(&node)))) {
        const int line = line_ + problem.line - 1;
        Add(line, std::move(problem));
      }
    }
  }

  void CheckUrl(bool is_link, std::string_view target) {
    const Url url = ReadUrl(target);
    const size_t offset = LineOffset(line_);
    if (url.kind == UrlKind::kScript || (url.kind == UrlKind::kDataSvg && is_link)) {
      rules_.insert("script-url");
      problems_.Unsafe(offset, "script-url", absl::StrCat("the address ", Quoted(target), " runs a script; remove it"));
    } else if (url.kind == UrlKind::kOther) {
      problems_.Warn(offset, "unusual-scheme", absl::StrCat("the address ", Quoted(target), " is not a web address"));
    } else if (url.kind == UrlKind::kWeb && !is_link) {
      rules_.insert("external-media");
      problems_.Warn(offset, "external-media", absl::StrCat("loads an image from ", Quoted(url.host)));
    }
  }

  void Add(int line, Problem problem) {
    rules_.insert(problem.rule);
    problems_.Add(problem.severity, LineOffset(line), problem.rule, std::move(problem.message));
  }

  // Adds rules that only the page as a whole breaks.
  void CheckRendering(cmark_node& document, cmark_parser& parser) {
    const std::unique_ptr<char, FreeText> page(
        cmark_render_html(&document, CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(&parser)));
    for (Problem& problem : html::CheckEmbedded(text::OrEmpty(page.get()))) {
      if (problem.severity != Severity::kUnsafe || rules_.contains(problem.rule)) continue;
      Add(1, std::move(problem));
    }
  }

  const std::string_view source_;
  Problems problems_;
  std::vector<size_t> line_starts_;
  int line_ = 1;
  absl::flat_hash_set<std::string> rules_;  // That are reported with their place.
};

}  // namespace

std::vector<Problem> CheckMarkdown(std::string_view source) {
  Problems problems(source);
  if (source.size() > kMaxBytes) {
    problems.Unsafe(0, "too-large", absl::StrCat("the text is longer than ", kMaxBytes, " bytes"));
    return problems.Take();
  }
  if (MarkedDepth(source) > kMaxDepth) {
    problems.Unsafe(0, "too-deep", "block quotes and lists lie too deep inside each other");
    return problems.Take();
  }
  return MarkdownReader(source).Read();
}

}  // namespace toolgate::executors::artifacts::checks::markdown
