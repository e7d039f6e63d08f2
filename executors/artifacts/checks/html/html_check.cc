#include "executors/artifacts/checks/html/html_check.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/html/element_policy.h"
#include "executors/artifacts/checks/html/html_tree.h"

namespace toolgate::executors::artifacts::checks::html {
namespace {

constexpr std::array<std::string_view, 22> kOptionalEnd = {
    "html", "head",  "body",  "p",     "li", "dt", "dd", "option", "optgroup", "caption", "colgroup",
    "col",  "thead", "tbody", "tfoot", "tr", "td", "th", "rb",     "rt",       "rp",      "rtc"};
constexpr std::array<std::string_view, 15> kVoid = {"area", "base",  "br",     "col",    "embed",
                                                    "hr",   "img",   "input",  "keygen", "link",
                                                    "meta", "param", "source", "track",  "wbr"};
constexpr std::array<std::string_view, 14> kFormatting = {"a", "b",     "big",    "code",   "em", "font", "i",
                                                          "s", "small", "strike", "strong", "tt", "u",    "nobr"};

bool HasFlag(const GumboNode& node, GumboParseFlags flag) { return (node.parse_flags & flag) != 0; }

bool IsElement(const GumboNode& node) { return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE; }

// Calls `visit` with each node of the tree, in the order of the source, without recursion.
template <typename Visit>
void ForEachNode(const GumboNode& root, const Visit& visit) {
  std::vector<const GumboNode*> open = {&root};
  while (!open.empty()) {
    const GumboNode& node = *open.back();
    open.pop_back();
    visit(node);
    if (!IsElement(node) && node.type != GUMBO_NODE_DOCUMENT) continue;
    const GumboVector& children = IsElement(node) ? node.v.element.children : node.v.document.children;
    for (unsigned int i = children.length; i > 0; --i)
      open.push_back(static_cast<const GumboNode*>(children.data[i - 1]));
  }
}

// Checks that a page is well formed, as far as the tree and the source tell.
class StructureCheck {
 public:
  StructureCheck(std::string_view source, const HtmlTree& tree, Problems& problems)
      : source_(source), tree_(tree), problems_(problems) {}

  void Check() {
    ForEachNode(*tree_.output().document, [this](const GumboNode& node) {
      if (node.type == GUMBO_NODE_COMMENT) CheckComment(node.v.text);
      if (IsElement(node)) CheckElement(node);
    });
    NoteScript();
    CheckEnd();
    CheckContent();
    CheckDocument();
  }

 private:
  void CheckComment(const GumboText& comment) {
    const std::string_view text(comment.original_text.data, comment.original_text.length);
    if (!absl::StartsWith(ToAbsl(text), "<!--") || absl::EndsWith(ToAbsl(text), ">")) return;
    problems_.Error(tree_.OffsetOf(comment.original_text), "unterminated-comment", "the comment has no end: add -->");
  }

  void CheckElement(const GumboNode& node) {
    const GumboElement& element = node.v.element;
    const size_t offset = tree_.OffsetOf(element.original_tag);
    const std::string name = NameOf(element);
    if (element.tag == GUMBO_TAG_TABLE) CheckBeforeTable(node, offset);
    if (HasFlag(node, GUMBO_INSERTION_BY_PARSER) || HasEnd(node, name)) return;
    if (text::IsOneOf(name, kOptionalEnd) || text::IsOneOf(name, kVoid)) return;
    problems_.Add(
        text::IsOneOf(name, kFormatting) ? Severity::kWarning : Severity::kError, offset, "unclosed-element",
        absl::StrCat("<", name, "> is not closed where it should be: add </", name, ">, or mend the nesting"));
  }

  // Of foreign elements, Gumbo marks every end tag as missing.
  static bool HasEnd(const GumboNode& node, std::string_view name) {
    const GumboElement& element = node.v.element;
    if (element.tag_namespace == GUMBO_NAMESPACE_HTML) return !HasFlag(node, GUMBO_INSERTION_IMPLICIT_END_TAG);
    const std::string_view tag(element.original_tag.data, element.original_tag.length);
    if (absl::EndsWith(ToAbsl(tag), "/>")) return true;
    GumboStringPiece end = element.original_end_tag;
    if (end.data == nullptr || end.length == 0) return false;
    gumbo_tag_from_original_text(&end);
    return absl::EqualsIgnoreCase(absl::string_view(end.data, end.length), ToAbsl(name));
  }

  // The parser moves what may not stand in a table to the place before it.
  void CheckBeforeTable(const GumboNode& table, size_t table_offset) {
    if (table.index_within_parent == 0 || table.parent == nullptr || !IsElement(*table.parent)) return;
    const GumboVector& siblings = table.parent->v.element.children;
    const auto& before = *static_cast<const GumboNode*>(siblings.data[table.index_within_parent - 1]);
    if (!IsElement(before)) return;
    const size_t offset = tree_.OffsetOf(before.v.element.original_tag);
    if (offset < table_offset) return;
    problems_.Warn(offset, "misplaced-in-table",
                   absl::StrCat("<", NameOf(before.v.element), "> may not stand there in a table"));
  }

  // The first script, or attribute with one.
  void NoteScript() {
    bool noted = false;
    ForEachNode(*tree_.output().document, [&](const GumboNode& node) {
      if (noted || !IsElement(node) || !HasScript(node.v.element)) return;
      noted = true;
      problems_.Unchecked(tree_.OffsetOf(node.v.element.original_tag), "not-checked",
                          "scripts are not checked, but for what they load");
    });
  }

  static bool HasScript(const GumboElement& element) {
    for (unsigned int i = 0; i < element.attributes.length; ++i) {
      const auto& attribute = *static_cast<const GumboAttribute*>(element.attributes.data[i]);
      if (absl::StartsWithIgnoreCase(attribute.name, "on")) return true;
    }
    if (NameOf(element) != "script" || element.children.length == 0) return false;
    const GumboAttribute* const type = gumbo_get_attribute(&element.attributes, "type");
    return type == nullptr || IsScriptType(type->value);
  }

  // Scripts of other types are data.
  static bool IsScriptType(absl::string_view type) {
    const std::string name = absl::AsciiStrToLower(type);
    return name.empty() || name == "module" || absl::StrContains(name, "javascript") ||
           absl::StrContains(name, "ecmascript");
  }

  // A tag that the source ends in is not in the tree.
  void CheckEnd() {
    const size_t open = source_.rfind('<');
    if (open == std::string_view::npos || source_.find('>', open) != std::string_view::npos) return;
    const std::string_view rest = source_.substr(open + 1);
    if (rest.empty() || !(absl::ascii_isalpha(static_cast<unsigned char>(rest.front())) || rest.front() == '/')) return;
    problems_.Error(open, "unterminated-tag",
                    absl::StrCat("the source ends inside a tag: ", Quoted(source_.substr(open))));
  }

  // A page that shows nothing: neither text nor an element below <body>.
  void CheckContent() {
    bool shows = false;
    ForEachNode(*tree_.output().document, [&](const GumboNode& node) {
      if (node.parent == nullptr || !IsElement(*node.parent)) return;
      const GumboTag parent = node.parent->v.element.tag;
      if (node.type == GUMBO_NODE_TEXT && parent != GUMBO_TAG_TITLE && parent != GUMBO_TAG_STYLE) shows = true;
      if (IsElement(node) && (parent == GUMBO_TAG_BODY || parent == GUMBO_TAG_FRAMESET)) shows = true;
    });
    if (!shows) problems_.Error(0, "empty-page", "the page shows nothing: its body is empty");
  }

  void CheckDocument() {
    const GumboNode* const root = tree_.output().root;
    if (root != nullptr && HasFlag(*root, GUMBO_INSERTION_BY_PARSER)) {
      problems_.Warn(0, "fragment", "is a fragment: a page begins with <!DOCTYPE html> and <html>");
    } else if (!tree_.output().document->v.document.has_doctype) {
      problems_.Warn(0, "no-doctype", "has no <!DOCTYPE html>, so browsers show it in quirks mode");
    }
  }

  const std::string_view source_;
  const HtmlTree& tree_;
  Problems& problems_;
};

std::vector<Problem> Check(std::string_view source, const std::vector<std::string>& hosts, bool is_page) {
  Problems problems(source);
  const absl::StatusOr<HtmlTree> tree = HtmlTree::Parse(source);
  if (!tree.ok()) {
    problems.Unsafe(0, "too-large", absl::StrCat("The page ", tree.status().message(), ", so it cannot be checked"));
    return problems.Take();
  }
  ElementPolicy policy(*tree, hosts, is_page, problems);
  ForEachNode(*tree->output().document, [&](const GumboNode& node) {
    if (IsElement(node)) policy.Check(node.v.element);
  });
  if (is_page) StructureCheck(source, *tree, problems).Check();
  return problems.Take();
}

}  // namespace

std::vector<Problem> CheckPage(std::string_view source, const HtmlPolicy& policy) {
  return Check(source, policy.hosts, true);
}

std::vector<Problem> CheckEmbedded(std::string_view source) { return Check(source, {}, false); }

}  // namespace toolgate::executors::artifacts::checks::html
