#include "executors/artifacts/answer_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts {
namespace {

constexpr size_t kMinFence = 3;
constexpr size_t kMaxFenceIndent = 3;
// A refusal is short; an artifact that begins with such words is not.
constexpr size_t kMaxRefusal = 1000;
// The words that decline stand in its first bytes.
constexpr size_t kRefusalStart = 200;

bool StartsWithIgnoringCase(std::string_view text, std::string_view start) {
  return absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(start));
}

size_t FindIgnoringCase(std::string_view text, std::string_view piece, size_t from = 0) {
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(),
                                 piece.begin(), piece.end(), [](char a, char b) {
                                   return absl::ascii_tolower(static_cast<unsigned char>(a)) ==
                                          absl::ascii_tolower(static_cast<unsigned char>(b));
                                 });
  return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

struct Fence {
  std::string_view info;
  std::string_view content;
  bool closed = false;
};

// The run of fence characters that a line begins with; empty: the line is no fence.
std::string_view FenceRun(std::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > kMaxFenceIndent || indent == line.size()) return "";
  const char mark = line[indent];
  if (mark != '`' && mark != '~') return "";
  size_t end = indent;
  while (end < line.size() && line[end] == mark) ++end;
  return end - indent < kMinFence ? std::string_view() : line.substr(indent, end - indent);
}

// All fenced blocks of the outermost level, as CommonMark has them.
std::vector<Fence> FindFences(std::string_view text) {
  std::vector<Fence> fences;
  std::string_view open;
  size_t content = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view run = FenceRun(line);
    const std::string_view rest =
        run.empty() ? std::string_view()
                    : text::Trim(line.substr(static_cast<size_t>(run.data() - line.data()) + run.size()));
    if (open.empty() && !run.empty() && rest.find('`') == std::string_view::npos) {
      open = run;
      content = std::min(end + 1, text.size());
      fences.push_back({rest, text.substr(content)});
    } else if (!open.empty() && !run.empty() && run.front() == open.front() && run.size() >= open.size() &&
               rest.empty()) {
      fences.back().content = text.substr(content, at - content);
      fences.back().closed = true;
      open = {};
    }
    at = end + 1;
  }
  return fences;
}

std::string_view FirstWord(std::string_view info) { return info.substr(0, info.find_first_of(" \t{")); }

bool IsOfType(std::string_view info, ArtifactType type) {
  static constexpr std::array<std::pair<ArtifactType, std::string_view>, 15> kInfos = {
      {{ArtifactType::kReact, "jsx"},
       {ArtifactType::kReact, "tsx"},
       {ArtifactType::kReact, "react"},
       {ArtifactType::kReact, "javascript"},
       {ArtifactType::kReact, "js"},
       {ArtifactType::kReact, "typescript"},
       {ArtifactType::kReact, "ts"},
       {ArtifactType::kHtml, "html"},
       {ArtifactType::kHtml, "htm"},
       {ArtifactType::kSvg, "svg"},
       {ArtifactType::kSvg, "xml"},
       {ArtifactType::kMermaid, "mermaid"},
       {ArtifactType::kMermaid, "mmd"},
       {ArtifactType::kMarkdown, "markdown"},
       {ArtifactType::kMarkdown, "md"}}};
  const std::string word = absl::AsciiStrToLower(ToAbsl(FirstWord(info)));
  return std::any_of(kInfos.begin(), kInfos.end(),
                     [&](const auto& known) { return known.first == type && known.second == word; });
}

// Whether the text itself is the artifact, so that fences in it are its own.
bool BeginsAsArtifact(std::string_view text, ArtifactType type) {
  switch (type) {
    case ArtifactType::kHtml:
    case ArtifactType::kSvg:
      return StartsWithIgnoringCase(text, "<");
    case ArtifactType::kReact:
      return StartsWithIgnoringCase(text, "import ") || StartsWithIgnoringCase(text, "export ");
    default:
      return false;
  }
}

std::optional<Fence> ChooseFence(std::string_view text, ArtifactType type) {
  if (BeginsAsArtifact(text, type)) return std::nullopt;
  const std::vector<Fence> fences = FindFences(text);
  if (type == ArtifactType::kMarkdown) {
    // A document may have fences of its own. One that is all of it, or says that it is Markdown, wraps it.
    const bool wraps = !fences.empty() && IsOfType(fences.front().info, type) && !FenceRun(text).empty();
    return wraps ? std::optional<Fence>(fences.front()) : std::nullopt;
  }
  std::optional<Fence> best;
  for (const Fence& fence : fences) {
    if (!best.has_value()) {
      best = fence;
      continue;
    }
    const bool fits = IsOfType(fence.info, type);
    const bool best_fits = IsOfType(best->info, type);
    if (fits != best_fits ? fits : fence.content.size() > best->content.size()) best = fence;
  }
  return best;
}

// A Markdown document in a fence may itself have fences: then the last fence line is its end.
std::string_view WholeMarkdown(std::string_view text) {
  const size_t begin = std::min(text.find('\n'), text.size());
  std::string_view content = text.substr(std::min(begin + 1, text.size()));
  const size_t last = content.rfind('\n');
  if (last != std::string_view::npos && !FenceRun(content.substr(last + 1)).empty()) return content.substr(0, last + 1);
  return content;
}

// <artifact …> … </artifact> and the like, which some models write around an artifact.
std::string_view StripArtifactTag(std::string_view text) {
  for (const std::string_view name : {"artifact", "antartifact", "boltartifact"}) {
    if (!StartsWithIgnoringCase(text, std::string("<").append(name))) continue;
    const size_t open_end = text.find('>');
    if (open_end == std::string_view::npos) return text;
    text.remove_prefix(open_end + 1);
    const size_t close = text.rfind("</");
    if (close != std::string_view::npos && StartsWithIgnoringCase(text.substr(close + 2), name)) {
      text = text.substr(0, close);
    }
    return text::Trim(text);
  }
  return text;
}

// From the first `open` to the last `close`, both included; the text as it is without them.
std::string_view Between(std::string_view text, std::string_view open, std::string_view close) {
  const size_t begin = FindIgnoringCase(text, open);
  if (begin == std::string_view::npos) return text;
  text.remove_prefix(begin);
  size_t end = std::string_view::npos;
  for (size_t at = FindIgnoringCase(text, close); at != std::string_view::npos;
       at = FindIgnoringCase(text, close, at + close.size())) {
    end = at + close.size();
  }
  return end == std::string_view::npos ? text : text.substr(0, end);
}

// Content of the element that begins at `tag`, with its character references resolved.
std::optional<std::string> ContentOf(std::string_view text, std::string_view tag, std::string_view close) {
  const size_t begin = FindIgnoringCase(text, tag);
  const size_t content = begin == std::string_view::npos ? begin : text.find('>', begin);
  if (content == std::string_view::npos) return std::nullopt;
  const size_t end = FindIgnoringCase(text, close, content);
  return absl::StrReplaceAll(ToAbsl(text.substr(content + 1, end == std::string_view::npos ? end : end - content - 1)),
                             {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}});
}

// A component in the <script> of a page.
std::string StripPageOfComponent(std::string_view text) {
  if (!StartsWithIgnoringCase(text, "<!doctype") && !StartsWithIgnoringCase(text, "<html")) return std::string(text);
  for (const char* tag : {"<script type=\"text/babel\"", "<script type='text/babel'", "<script type=\"module\""}) {
    const size_t begin = FindIgnoringCase(text, tag);
    const size_t content = begin == std::string_view::npos ? begin : text.find('>', begin);
    if (content == std::string_view::npos) continue;
    const size_t end = FindIgnoringCase(text, "</script", content);
    return std::string(text::Trim(text.substr(content + 1, end == std::string_view::npos ? end : end - content - 1)));
  }
  return std::string(text);
}

std::string StripHtml(std::string_view text, ArtifactType type) {
  switch (type) {
    case ArtifactType::kReact:
      return StripPageOfComponent(text);
    case ArtifactType::kHtml: {
      const bool has_doctype = FindIgnoringCase(text, "<!doctype") != std::string_view::npos;
      return std::string(Between(text, has_doctype ? "<!doctype" : "<html", "</html>"));
    }
    case ArtifactType::kSvg:
      // A document type stays, so that the check sees it.
      return std::string(Between(
          text, FindIgnoringCase(text, "<!doctype svg") != std::string_view::npos ? "<!doctype" : "<svg", "</svg>"));
    case ArtifactType::kMermaid:
      for (const char* name : {"pre", "div"}) {
        if (!StartsWithIgnoringCase(text, "<")) break;
        if (auto content = ContentOf(text, absl::StrCat("<", name, " class=\"mermaid\""), absl::StrCat("</", name))) {
          return *std::move(content);
        }
      }
      return std::string(text);
    case ArtifactType::kCode:
      if (StartsWithIgnoringCase(text, "<pre><code"))
        return ContentOf(text, "<code", "</code").value_or(std::string(text));
      return std::string(text);
    case ArtifactType::kMarkdown:
      break;
  }
  return std::string(text);
}

// Source of any language has some of these, prose has none.
bool LooksLikeCode(std::string_view code) {
  return code.find_first_of("(){}[];=<>#$\\|") != std::string_view::npos || code.find(": ") != std::string_view::npos;
}

bool IsProse(std::string_view code, ArtifactType type) {
  switch (type) {
    case ArtifactType::kHtml:
    case ArtifactType::kSvg:
      return code.find('<') == std::string_view::npos;
    case ArtifactType::kReact:
      return code.find('{') == std::string_view::npos && code.find('<') == std::string_view::npos;
    case ArtifactType::kCode:
      return !LooksLikeCode(code);
    default:
      return false;
  }
}

}  // namespace

ExtractedSource StripWrapping(std::string_view answer, ArtifactType type) {
  std::string text = absl::StrReplaceAll(ToAbsl(answer), {{"\r\n", "\n"}, {"\r", "\n"}});
  std::string_view rest = text::Trim(text);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (StartsWithIgnoringCase(rest, kByteOrderMark)) rest = text::Trim(rest.substr(kByteOrderMark.size()));
  rest = StripArtifactTag(rest);
  ExtractedSource source;
  if (const std::optional<Fence> fence = ChooseFence(rest, type); fence.has_value()) {
    source.language = std::string(FirstWord(fence->info));
    rest = type == ArtifactType::kMarkdown ? WholeMarkdown(rest) : fence->content;
    rest = type == ArtifactType::kCode ? rest : StripArtifactTag(text::Trim(rest));
  }
  source.code = StripHtml(rest, type);
  while (!source.code.empty() && absl::ascii_isspace(static_cast<unsigned char>(source.code.back())))
    source.code.pop_back();
  if (!source.code.empty()) source.code += '\n';
  return source;
}

std::vector<checks::Problem> PreValidate(std::string_view code, ArtifactType type, size_t max_code_bytes) {
  checks::Problems problems(code);
  if (text::Trim(code).empty()) {
    problems.Unsafe(0, "empty", "there is no source in the answer");
  } else if (code.size() > max_code_bytes) {
    problems.Unsafe(0, "too-long",
                    absl::StrCat("the source is longer than ", max_code_bytes, " bytes; make it simpler"));
  } else if (IsProse(code, type)) {
    problems.Unsafe(0, "only-prose",
                    absl::StrCat("the answer is prose, not a source of the type ", ToAbsl(TypeName(type))));
  }
  return problems.Take();
}

bool IsRefusal(std::string_view answer, ArtifactType type) {
  const std::string_view text = text::Trim(answer);
  if (text.empty() || text.size() > kMaxRefusal || !FindFences(text).empty()) return false;
  if (type != ArtifactType::kMarkdown && BeginsAsArtifact(text, type)) return false;
  const std::string start =
      absl::AsciiStrToLower(absl::StrReplaceAll(ToAbsl(text.substr(0, kRefusalStart)), {{"\xE2\x80\x99", "'"}}));
  const auto begins = [&](const char* phrase) { return absl::StartsWith(start, phrase); };
  const auto has = [&](const char* phrase) { return absl::StrContains(start, phrase); };
  constexpr const char* kDeclining[] = {"i can't ",   "i cannot ",   "i can not ",   "i won't ",
                                        "i'm unable", "i am unable", "i'm not able", "i must decline"};
  if (std::any_of(std::begin(kDeclining), std::end(kDeclining), begins)) return true;
  // A letter may begin with an apology, too.
  const bool apologises =
      begins("i'm sorry") || begins("i am sorry") || begins("sorry") || begins("as an ai") || begins("unfortunately");
  return apologises && std::any_of(std::begin(kDeclining), std::end(kDeclining), has);
}

}  // namespace toolgate::executors::artifacts
