#include "executors/artifacts/artifact_check.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "executors/artifacts/checks/code/code_check.h"
#include "executors/artifacts/checks/html/html_check.h"
#include "executors/artifacts/checks/markdown/markdown_check.h"
#include "executors/artifacts/checks/mermaid/mermaid_check.h"
#include "executors/artifacts/checks/react/react_check.h"
#include "executors/artifacts/checks/svg/svg_check.h"

namespace toolgate::executors::artifacts {
namespace {

// A page that says that it is one, and has no doctype.
std::string FixHtml(std::string_view code) {
  if (!absl::StartsWithIgnoreCase(ToAbsl(code), "<html")) return std::string(code);
  return absl::StrCat("<!DOCTYPE html>\n", ToAbsl(code));
}

// Without a document type that has no internal subset, and so defines nothing.
std::string WithoutDocumentType(std::string_view code) {
  const size_t begin = code.find("<!DOCTYPE");
  const size_t end = begin == std::string_view::npos ? begin : code.find_first_of("[>", begin);
  if (end == std::string_view::npos || code[end] == '[') return std::string(code);
  return absl::StrCat(absl::StripLeadingAsciiWhitespace(ToAbsl(code.substr(0, begin))),
                      absl::StripLeadingAsciiWhitespace(ToAbsl(code.substr(end + 1))));
}

std::string FixSvg(std::string_view code) {
  std::string text = WithoutDocumentType(code);
  text = absl::StrReplaceAll(text, {{"&nbsp;", "&#160;"},
                                    {"&copy;", "&#169;"},
                                    {"&deg;", "&#176;"},
                                    {"&middot;", "&#183;"},
                                    {"&times;", "&#215;"},
                                    {"&ndash;", "&#8211;"},
                                    {"&mdash;", "&#8212;"},
                                    {"&bull;", "&#8226;"},
                                    {"&hellip;", "&#8230;"},
                                    {"&larr;", "&#8592;"},
                                    {"&rarr;", "&#8594;"}});
  const size_t root = text.find("<svg");
  if (root == std::string::npos) return text;
  const std::string_view tag = std::string_view(text).substr(root, text.find('>', root) - root);
  std::string missing;
  if (tag.find("xmlns=") == std::string_view::npos) missing += " xmlns=\"http://www.w3.org/2000/svg\"";
  if (text.find("xlink:") != std::string::npos && tag.find("xmlns:xlink") == std::string_view::npos) {
    missing += " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  }
  return text.insert(root + 4, missing);
}

std::vector<checks::Problem> CheckByType(std::string_view code, ArtifactType type, std::string_view language,
                                         const ArtifactPolicy& policy) {
  switch (type) {
    case ArtifactType::kReact:
      return checks::react::CheckReact(code, policy.react);
    case ArtifactType::kHtml:
      return checks::html::CheckPage(code, policy.html);
    case ArtifactType::kSvg:
      return checks::svg::CheckSvg(code);
    case ArtifactType::kMermaid:
      return checks::mermaid::CheckMermaid(code);
    case ArtifactType::kMarkdown:
      return checks::markdown::CheckMarkdown(code);
    case ArtifactType::kCode:
      break;
  }
  return checks::code::CheckCode(code, language);
}

}  // namespace

std::vector<checks::Problem> ValidateCode(std::string_view code, ArtifactType type, std::string_view language,
                                          const ArtifactPolicy& policy) {
  std::vector<checks::Problem> problems = CheckByType(code, type, language, policy);
  checks::DropUncheckedBesideErrors(problems);
  return problems;
}

std::string FixLocally(std::string_view code, ArtifactType type) {
  switch (type) {
    case ArtifactType::kReact:
      return checks::react::FixReact(code);
    case ArtifactType::kHtml:
      return FixHtml(code);
    case ArtifactType::kSvg:
      return FixSvg(code);
    default:
      return std::string(code);
  }
}

}  // namespace toolgate::executors::artifacts
