#include "interchange/markdown/spelling.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/stored_json.h"
#include "interchange/markdown/document.h"
#include "interchange/markdown/text.h"

namespace toolgate::interchange::markdown {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

// Extent of a text's escaping; each level includes those before it.
enum class Care {
  kAsIs,      // Only characters that would begin another block.
  kTags,      // Also a tag at the beginning of a line: it could begin a block of HTML.
  kMarkup,    // Also characters that reading removes: escapes, entities, angle brackets around addresses.
  kLiterally  // Everything that could be markup.
};
constexpr std::array kCares = {Care::kAsIs, Care::kTags, Care::kMarkup, Care::kLiterally};

enum class Place {
  kBlock,   // On separate lines.
  kInline,  // After a mark that makes other blocks impossible.
};

bool IsPunctuation(char c) { return absl::ascii_ispunct(static_cast<unsigned char>(c)); }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool IsOnly(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == kNowhere;
}

// "[ ]" or "[x]", as in front of a task.
bool IsBox(std::string_view line) {
  const bool box = line.size() >= 3 && line[0] == '[' && line[2] == ']' && (line.size() == 3 || IsBlank(line[3]));
  return box && std::string_view(" xX").find(line[1]) != kNowhere;
}

// The character to escape so that `line`, which begins with no blank, can only begin a paragraph; kNowhere if that is
// so already.
size_t BlockOpener(std::string_view line) {
  if (line.empty()) return kNowhere;
  const auto ends_at = [&](size_t i) { return i >= line.size() || IsBlank(line[i]); };
  const auto where = [](bool opens, size_t i) { return opens ? i : kNowhere; };
  switch (line[0]) {
    case '>':
    case '|':
      return 0;
    case '#':
      return where(ends_at(std::min(line.find_first_not_of('#'), line.size())), 0);
    case '-':
    case '+':
    case '*':
      return where(ends_at(1) || IsOnly(line, "-+*:| \t"), 0);
    case '_':
    case '=':
    case ':':
      return where(IsOnly(line, "_=-:| \t"), 0);
    case '~':
      return where(line.substr(0, 3) == "~~~", 0);
    case '`':
      return where(line.substr(0, 3) == "```" && line.find('`', line.find_first_not_of('`')) == kNowhere, 0);
    case '[':
      // A box to tick, or the definition of a link.
      return where(IsBox(line) || line.find("]:") != kNowhere, 0);
    default:
      break;
  }
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const bool numbered = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  return where(numbered && ends_at(digits + 1), digits);
}

// One line of a text, spelled character by character.
class LineSpeller {
 public:
  LineSpeller(std::string_view line, Care care, Place place, bool last) : line_(line), care_(care) {
    if (place == Place::kBlock) {
      begin_ = std::min(line.find_first_not_of(" \t"), line.size());
      // Leading blanks are written as entities, after which no block can begin.
      opener_ = begin_ > 0 ? kNowhere : BlockOpener(line);
    }
    // The last line ends with the text; the others with a backslash, before which every backslash matters.
    trailing_ = last ? line.size() : line.find_last_not_of('\\') + 1;
  }

  std::string Spell() {
    for (size_t i = 0; i < line_.size(); ++i) {
      if (i == 0 && begin_ > 0) {
        text_ += line_[i] == ' ' ? "&#32;" : "&#9;";
        continue;
      }
      if (NeedsEscape(i)) text_ += '\\';
      text_ += line_[i];
    }
    return text_;
  }

 private:
  bool NeedsEscape(size_t i) const {
    const char c = line_[i];
    if (i == opener_ || (c == '\\' && i >= trailing_)) return true;
    if (care_ >= Care::kTags && i == 0 && c == '<') return true;
    if (care_ == Care::kMarkup) return IsConsumed(i);
    return care_ == Care::kLiterally && std::string_view("\\`*_~[]<>&!#").find(c) != kNowhere;
  }

  // Whether a reader would consume this character.
  bool IsConsumed(size_t i) const {
    const char c = line_[i];
    const char next = i + 1 < line_.size() ? line_[i + 1] : '\n';
    if (i > 0 && line_[i - 1] == '\\' && IsPunctuation(c)) return true;
    if (c == '\\') return IsPunctuation(next) || next == '\n';
    if (c == '&') return BeginsEntity(line_.substr(i));
    if (c != '<') return false;
    const std::string_view inside = line_.substr(i + 1, line_.find('>', i) - i - 1);
    return inside.find_first_of(":@") < inside.find_first_of(" \t\"");
  }

  const std::string_view line_;
  const Care care_;
  size_t begin_ = 0;            // Position after the blanks.
  size_t opener_ = kNowhere;    // Would begin another block.
  size_t trailing_ = kNowhere;  // Start of the backslashes at the end.
  std::string text_;
};

std::string SpellWith(std::string_view text, Care care, Place place) {
  std::string spelled;
  const std::vector<std::string> lines = absl::StrSplit(ToAbsl(text), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool last = i + 1 == lines.size();
    spelled += LineSpeller(lines[i], care, place, last).Spell();
    if (!last) spelled += "\\\n";
  }
  return spelled;
}

// True for texts that need no escaping: letters, digits and marks without a meaning in Markdown, on one line.
bool IsPlain(std::string_view text) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view(" .,;:'\"()/%=@?").find(c) != kNowhere;
  };
  return !text.empty() && (absl::ascii_isalpha(static_cast<unsigned char>(text[0])) || (text[0] & 0x80) != 0) &&
         std::all_of(text.begin(), text.end(), is_plain);
}

// Equal except for the mark of emphasis.
bool IsSame(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return x == y || ((x == '_' || x == '*') && (y == '_' || y == '*')); });
}

// Result of reading a spelling back; nothing unless it becomes a single block of the type.
using Reader = std::function<std::optional<std::string>(const std::string& spelled)>;
using Speller = std::function<std::string(std::string_view text, Care care)>;

std::string FirstThatReads(std::string_view text, const Speller& spell, const Reader& read) {
  std::string spelled;
  for (const Care care : kCares) {
    spelled = spell(text, care);
    const std::optional<std::string> again = read(spelled);
    if (again.has_value() && IsSame(*again, text)) break;
  }
  return spelled;
}

std::vector<v1::PortableBlock> Read(std::string_view document) {
  return BlocksOfMarkdown({document, "-", ""}, [] { return std::string("-"); });
}

Json DataOf(const v1::PortableBlock& block) {
  absl::StatusOr<Json> data = ParseJson(block.data_json(), kStoredJson);
  return data.ok() ? *std::move(data) : Json::object();
}

std::string Unified(std::string_view text) {
  const std::string clean = CleanText(absl::StrReplaceAll(ToAbsl(text), {{"\r\n", "\n"}, {"\r", "\n"}}));
  return std::string(FromAbsl(absl::StripAsciiWhitespace(clean)));
}

}  // namespace

LineMarks MarksOf(std::string_view type) {
  if (type == "heading") return {"## ", ""};
  if (type == "todo") return {"- [ ] ", "  "};
  if (type == "bulleted_list_item") return {"- ", "  "};
  if (type == "numbered_list_item") return {"1. ", "   "};
  if (type == "quote") return {"> ", "> "};
  if (type == "callout") return {"> [!NOTE]\n> ", "> "};
  return {"", ""};
}

std::string SpellContent(std::string_view type, std::string_view content) {
  const bool heading = type == "heading";
  std::string text = heading ? CleanLine(content) : Unified(content);
  if (IsPlain(text) || text.empty()) return text;
  const LineMarks marks = MarksOf(type);
  const auto read = [&](const std::string& spelled) -> std::optional<std::string> {
    const std::string lines = absl::StrReplaceAll(spelled, {{"\n", absl::StrCat("\n", ToAbsl(marks.rest))}});
    const std::vector<v1::PortableBlock> blocks = Read(absl::StrCat("# -\n\n", ToAbsl(marks.first), lines, "\n"));
    if (blocks.size() != 2) return std::nullopt;
    // A paragraph that contains only an image may become one.
    if (type == "paragraph" && blocks[1].type() == "image") return text;
    if (blocks[1].type() != type) return std::nullopt;
    return DataOf(blocks[1]).value("content", "");
  };
  const auto spell = [&](std::string_view all, Care care) {
    return SpellWith(all, care, heading ? Place::kInline : Place::kBlock);
  };
  return FirstThatReads(text, spell, read);
}

std::string SpellTitle(std::string_view title) {
  std::string text = CleanLine(title);
  if (IsPlain(text)) return text;
  const auto read = [](const std::string& spelled) -> std::optional<std::string> {
    const std::vector<v1::PortableBlock> blocks = Read(absl::StrCat("# ", spelled, "\n"));
    if (blocks.size() != 1) return std::nullopt;
    return DataOf(blocks[0]).value("title", "");
  };
  return FirstThatReads(
      text, [](std::string_view all, Care care) { return SpellWith(all, care, Place::kInline); }, read);
}

std::string SpellCell(std::string_view cell) {
  std::string text = Unified(cell);
  if (IsPlain(text) || text.empty()) return text;
  const auto read = [](const std::string& spelled) -> std::optional<std::string> {
    const std::vector<v1::PortableBlock> blocks = Read(absl::StrCat("# -\n\n| - |\n| --- |\n| ", spelled, " |\n"));
    if (blocks.size() != 2 || blocks[1].type() != "table") return std::nullopt;
    const Json rows = DataOf(blocks[1])["rows"];
    if (rows.size() != 1) return std::nullopt;
    return rows[0][0].get<std::string>();
  };
  const auto spell = [](std::string_view all, Care care) {
    return absl::StrReplaceAll(SpellWith(all, care, Place::kInline), {{"\\\n", "<br>"}, {"|", "\\|"}});
  };
  return FirstThatReads(text, spell, read);
}

std::string SpellLiterally(std::string_view text) {
  return SpellWith(CleanLine(text), Care::kLiterally, Place::kInline);
}

}  // namespace toolgate::interchange::markdown
