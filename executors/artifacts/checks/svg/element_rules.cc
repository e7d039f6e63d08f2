#include "executors/artifacts/checks/svg/element_rules.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/css.h"

namespace toolgate::executors::artifacts::checks::svg {
namespace {

// In lower case: a page that shows the image may read names as HTML does.
constexpr std::array<std::string_view, 13> kActive = {"script", "foreignobject", "iframe",        "object",   "embed",
                                                      "audio",  "video",         "handler",       "listener", "link",
                                                      "base",   "meta",          "annotation-xml"};
constexpr std::array<std::string_view, 6> kAnimation = {"animate",       "set",          "animatetransform",
                                                        "animatemotion", "animatecolor", "discard"};
constexpr std::array<std::string_view, 3> kAnimationValues = {"from", "to", "by"};

// Of editors, which write them into their files: shown by nobody.
constexpr std::array<std::string_view, 6> kEditors = {
    "http://sodipodi.sourceforge.net/", "http://www.inkscape.org/", "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://creativecommons.org/ns#",   "http://purl.org/dc/",      "http://www.bohemiancoding.com/sketch/"};

bool IsEditors(std::string_view uri) {
  return std::any_of(kEditors.begin(), kEditors.end(),
                     [&](std::string_view known) { return absl::StartsWith(ToAbsl(uri), ToAbsl(known)); });
}

}  // namespace

void ElementRules::CheckElement(const ElementName& element, size_t offset) {
  const std::string name = absl::AsciiStrToLower(ToAbsl(element.local));
  if (text::IsOneOf(name, kActive)) {
    problems_.Unsafe(offset, "active-element",
                     absl::StrCat("<", ToAbsl(element.local), "> has no place in an image; remove it"));
  } else if (element.uri != kSvgNamespace && !IsEditors(element.uri)) {
    problems_.Unsafe(offset, "foreign-namespace",
                     absl::StrCat("<", ToAbsl(element.local), "> is in ",
                                  element.uri.empty() ? "no namespace" : Quoted(element.uri), ", not in that of SVG"));
  }
}

void ElementRules::CheckAttribute(std::string_view element, std::string_view name, std::string_view value,
                                  size_t offset) {
  const std::string attribute = absl::AsciiStrToLower(ToAbsl(name));
  const std::string element_name = absl::AsciiStrToLower(ToAbsl(element));
  const bool animates = text::IsOneOf(element_name, kAnimation);
  if (absl::StartsWith(attribute, "on")) {
    problems_.Unsafe(offset, "event-handler",
                     absl::StrCat("event handlers have no place in an image; remove ", attribute));
  } else if (attribute == "href" || attribute == "src" || attribute == "data" || attribute == "base") {
    CheckReference(element_name, attribute, ReadUrl(value), offset);
  } else if (animates && attribute == "attributename") {
    const std::string target = absl::AsciiStrToLower(absl::StripAsciiWhitespace(ToAbsl(value)));
    if (target == "href" || absl::EndsWith(target, ":href") || absl::StartsWith(target, "on")) {
      problems_.Unsafe(offset, "animated-reference", "an animation may not change href; remove it");
    }
  } else if (animates && (attribute == "values" || text::IsOneOf(attribute, kAnimationValues))) {
    CheckAnimationValues(element_name, attribute, value, offset);
  } else {
    CheckCss(value, offset);  // Of style, and of properties such as fill: url(#gradient).
  }
}

void ElementRules::CheckAnimationValues(std::string_view element, std::string_view attribute, std::string_view values,
                                        size_t offset) {
  for (size_t at = 0; at <= values.size();) {
    const size_t end = std::min(values.find(';', at), values.size());
    if (ReadUrl(values.substr(at, end - at)).kind == UrlKind::kScript) {
      problems_.Unsafe(
          offset, "script-url",
          absl::StrCat("a value of ", ToAbsl(attribute), " in <", ToAbsl(element), "> runs a script; remove it"));
    }
    at = end + 1;
  }
  CheckCss(values, offset);
}

void ElementRules::CheckReference(std::string_view element, std::string_view attribute, const Url& url, size_t offset) {
  const bool is_link = element == "a";
  switch (url.kind) {
    case UrlKind::kEmpty:
    case UrlKind::kFragment:
      return;
    case UrlKind::kDataImage:
      if (!is_link) return;
      break;
    case UrlKind::kContact:
      if (is_link) return;
      break;
    case UrlKind::kWeb:
      if (is_link) {
        problems_.Warn(offset, "external-link", absl::StrCat("leads to ", Quoted(url.host)));
        return;
      }
      break;
    case UrlKind::kScript:
      problems_.Unsafe(offset, "script-url", absl::StrCat(ToAbsl(attribute), " runs a script; remove it"));
      return;
    default:
      break;
  }
  problems_.Unsafe(offset, "external-reference",
                   absl::StrCat(ToAbsl(attribute), " of <", ToAbsl(element),
                                "> may name only parts of the image (\"#id\") or data of a raster image"));
}

void ElementRules::CheckCss(std::string_view css, size_t offset) {
  if (css.find_first_of("(@\\:") == std::string_view::npos) return;  // Most attributes.
  for (const CssReference& reference : FindCssReferences(css)) {
    if (reference.kind == CssReference::Kind::kScript || reference.url.kind == UrlKind::kScript) {
      problems_.Unsafe(offset, "script-in-style", "the style would run a script; remove it");
    } else if (reference.kind == CssReference::Kind::kImport) {
      problems_.Unsafe(offset, "style-import", "@import loads a style sheet; write its rules into the image");
    } else if (reference.url.kind != UrlKind::kFragment && reference.url.kind != UrlKind::kEmpty &&
               reference.url.kind != UrlKind::kDataImage) {
      problems_.Unsafe(offset, "external-reference", "url() may name only parts of the image, or data");
    }
  }
}

}  // namespace toolgate::executors::artifacts::checks::svg
