#include "executors/artifacts/title.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/text/cut_text.h"
#include "executors/artifacts/checks/react/react_check.h"

namespace toolgate::executors::artifacts {
namespace {

// Blanks and control characters folded, cut.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 4 * kMaxTitleBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_blank = absl::ascii_isspace(byte) || absl::ascii_iscntrl(byte);
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return text::CutText(std::string(absl::StripAsciiWhitespace(line)), kMaxTitleBytes);
}

// The text of the first <title>, with the character references resolved that titles have.
std::string TitleElement(std::string_view code) {
  const size_t open = code.find("<title");
  const size_t begin = open == std::string_view::npos ? open : code.find('>', open);
  const size_t end = begin == std::string_view::npos ? begin : code.find("</title", begin);
  if (end == std::string_view::npos) return "";
  return absl::StrReplaceAll(ToAbsl(code.substr(begin + 1, end - begin - 1)),
                             {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}});
}

// The first line that begins with `mark`, without it.
std::string_view LineAfter(std::string_view code, std::string_view mark) {
  for (size_t at = 0; at < code.size();) {
    const size_t end = std::min(code.find('\n', at), code.size());
    const std::string_view line = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(code.substr(at, end - at))));
    if (absl::StartsWith(ToAbsl(line), ToAbsl(mark))) return line.substr(mark.size());
    at = end + 1;
  }
  return "";
}

std::string OwnTitle(ArtifactType type, std::string_view code) {
  switch (type) {
    case ArtifactType::kHtml:
    case ArtifactType::kSvg:
      return TitleElement(code);
    case ArtifactType::kMarkdown:
      return std::string(LineAfter(code, "# "));
    case ArtifactType::kMermaid: {
      const std::string_view front_matter = LineAfter(code, "title: ");
      return std::string(front_matter.empty() ? LineAfter(code, "title ") : front_matter);
    }
    case ArtifactType::kReact:
      return checks::react::ComponentName(code);
    case ArtifactType::kCode:
      break;
  }
  return "";
}

}  // namespace

std::string TitleOf(const ArtifactRequest& request, std::string_view code) {
  if (!request.title.empty()) return OneLine(request.title);
  if (std::string own = OneLine(OwnTitle(request.type, code)); !own.empty()) return own;
  return OneLine(std::string_view(request.prompt).substr(0, request.prompt.find('\n')));
}

}  // namespace toolgate::executors::artifacts
