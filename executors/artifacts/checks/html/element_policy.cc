#include "executors/artifacts/checks/html/element_policy.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/css.h"
#include "executors/artifacts/checks/html/script_imports.h"

namespace toolgate::executors::artifacts::checks::html {
namespace {

// Elements that show another document, or run a program.
constexpr std::array<std::string_view, 8> kEmbedding = {"iframe", "frame",  "frameset", "object",
                                                        "embed",  "applet", "portal",   "fencedframe"};
constexpr std::array<std::string_view, 15> kUrlAttributes = {
    "href", "src",  "action", "formaction", "data",     "poster",   "background", "cite",
    "ping", "from", "to",     "by",         "longdesc", "manifest", "xlink:href"};
// Elements that show what a URL names and never run it.
constexpr std::array<std::string_view, 9> kMedia = {"img",   "image", "audio", "video",  "source",
                                                    "track", "input", "body",  "feimage"};
constexpr std::array<std::string_view, 4> kAnimation = {"animate", "set", "animatetransform", "animatemotion"};

std::string AttributeName(const GumboAttribute& attribute) {
  std::string name = absl::AsciiStrToLower(attribute.name);
  if (attribute.attr_namespace == GUMBO_ATTR_NAMESPACE_XLINK && !absl::StartsWith(name, "xlink:")) {
    name.insert(0, "xlink:");
  }
  return name;
}

std::string_view ValueOf(const GumboElement& element, const char* name) {
  const GumboAttribute* const attribute = gumbo_get_attribute(&element.attributes, name);
  return attribute == nullptr ? std::string_view() : attribute->value;
}

bool HasToken(std::string_view list, std::string_view token) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(" \t\n\f\r", at), list.size());
    if (absl::EqualsIgnoreCase(ToAbsl(list.substr(at, end - at)), ToAbsl(token))) return true;
    at = end + 1;
  }
  return false;
}

std::string TextIn(const GumboElement& element) {
  std::string text;
  for (unsigned int i = 0; i < element.children.length; ++i) {
    const auto* const child = static_cast<const GumboNode*>(element.children.data[i]);
    if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA || child->type == GUMBO_NODE_WHITESPACE) {
      text += child->v.text.text;
    }
  }
  return text;
}

}  // namespace

std::string NameOf(const GumboElement& element) {
  if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
  GumboStringPiece piece = element.original_tag;
  if (piece.data == nullptr) return "";
  gumbo_tag_from_original_text(&piece);
  return absl::AsciiStrToLower(absl::string_view(piece.data, piece.length));
}

void ElementPolicy::Check(const GumboElement& element) {
  const std::string name = NameOf(element);
  CheckName(element, name);
  for (unsigned int i = 0; i < element.attributes.length; ++i) {
    CheckAttribute(name, element, *static_cast<const GumboAttribute*>(element.attributes.data[i]));
  }
}

void ElementPolicy::CheckName(const GumboElement& element, std::string_view name) {
  const size_t offset = tree_.OffsetOf(element.original_tag);
  if (name == "script") {
    CheckScript(element);
  } else if (name == "base") {
    problems_.Unsafe(offset, "base-element", "<base> moves all addresses of the page elsewhere; remove it");
  } else if (name == "meta") {
    CheckMeta(element);
  } else if (name == "style") {
    CheckCss(TextIn(element), offset);
    if (!runs_scripts_) problems_.Unsafe(offset, "raw-style", "<style> changes the page around it; remove it");
  } else if (!runs_scripts_ && (text::IsOneOf(name, kEmbedding) || name == "form" || name == "link")) {
    problems_.Unsafe(offset, "raw-embedding",
                     absl::StrCat("<", ToAbsl(name), "> has no place inside another page; remove it"));
  }
}

void ElementPolicy::CheckScript(const GumboElement& element) {
  const size_t offset = tree_.OffsetOf(element.original_tag);
  if (!runs_scripts_) {
    problems_.Unsafe(offset, "script-element", "scripts have no place here; remove <script>");
    return;
  }
  for (const char* name : {"src", "href", "xlink:href"}) CheckScriptUrl(ReadUrl(ValueOf(element, name)), offset);
  const std::string text = TextIn(element);
  const bool is_map = absl::EqualsIgnoreCase(ToAbsl(ValueOf(element, "type")), "importmap");
  for (const std::string& import : is_map ? FindMappedImports(text) : FindScriptImports(text)) {
    const Url url = ReadUrl(import);
    // Bare names are mapped, or lead nowhere.
    if (url.kind == UrlKind::kWeb) CheckScriptUrl(url, offset);
  }
}

void ElementPolicy::CheckScriptUrl(const Url& url, size_t offset) {
  if (url.kind == UrlKind::kRelative) {
    problems_.Error(offset, "missing-file", "the page has no other files; write the script into it");
  } else if (url.kind == UrlKind::kWeb && !IsAllowed(url)) {
    problems_.Unsafe(offset, "external-script",
                     absl::StrCat("scripts of the host ", Quoted(url.host), " are not allowed; ",
                                  hosts_.empty() ? "write the script into the page"
                                                 : absl::StrCat("allowed hosts: ", absl::StrJoin(hosts_, ", "))));
  }
}

void ElementPolicy::CheckMeta(const GumboElement& element) {
  if (!absl::EqualsIgnoreCase(ToAbsl(ValueOf(element, "http-equiv")), "refresh")) return;
  problems_.Unsafe(tree_.OffsetOf(element.original_tag), "meta-refresh",
                   "<meta http-equiv=\"refresh\"> leads away from the page; remove it");
}

void ElementPolicy::CheckAttribute(std::string_view name, const GumboElement& element,
                                   const GumboAttribute& attribute) {
  const std::string attribute_name = AttributeName(attribute);
  const size_t offset = tree_.OffsetOf(attribute.original_name);
  const std::string_view value = attribute.value;
  if (absl::StartsWith(attribute_name, "on") && !runs_scripts_) {
    problems_.Unsafe(offset, "event-handler",
                     absl::StrCat("event handlers have no place here; remove ", Quoted(attribute_name)));
  } else if (attribute_name == "style") {
    CheckCss(value, offset);
  } else if (attribute_name == "srcset" || attribute_name == "imagesrcset") {
    CheckImageSet(element, value, offset);
  } else if (attribute_name == "srcdoc" && !runs_scripts_) {
    problems_.Unsafe(offset, "raw-embedding", "an embedded document has no place here; remove srcdoc");
  } else if (attribute_name == "values" && text::IsOneOf(name, kAnimation)) {
    for (size_t at = 0; at <= value.size();) {
      const size_t end = std::min(value.find(';', at), value.size());
      CheckUrl(name, attribute_name, element, ReadUrl(value.substr(at, end - at)), offset);
      at = end + 1;
    }
  } else if (text::IsOneOf(attribute_name, kUrlAttributes) && name != "script") {
    CheckUrl(name, attribute_name, element, ReadUrl(value), offset);
  }
}

void ElementPolicy::CheckUrl(std::string_view name, std::string_view attribute_name, const GumboElement& element,
                             const Url& url, size_t offset) {
  if (url.kind == UrlKind::kScript ||
      (url.kind == UrlKind::kDataSvg && !text::IsOneOf(name, kMedia) && name != "link")) {
    problems_.Add(OfScripts(Severity::kWarning), offset, "script-url",
                  absl::StrCat("the address of ", ToAbsl(attribute_name),
                               " runs a script; use a plain address, or an event handler in a page"));
  } else if (url.kind == UrlKind::kWeb) {
    CheckWebUrl(name, attribute_name, element, url, offset);
  } else if (url.kind == UrlKind::kRelative && name == "link" && HasToken(ValueOf(element, "rel"), "stylesheet")) {
    problems_.Error(offset, "missing-file", "the page has no other files; write the style sheet into it");
  }
}

void ElementPolicy::CheckWebUrl(std::string_view name, std::string_view attribute_name, const GumboElement& element,
                                const Url& url, size_t offset) {
  if (attribute_name == "action" || attribute_name == "formaction") {
    problems_.Unsafe(offset, "form-elsewhere",
                     absl::StrCat("the form sends what is entered to ", Quoted(url.host), "; handle it in the page"));
  } else if (text::IsOneOf(name, kEmbedding)) {
    problems_.Unsafe(offset, "external-document",
                     absl::StrCat("the page embeds a document of ", Quoted(url.host), "; remove it"));
  } else if (name == "link" && !IsAllowed(url)) {
    const bool is_style = HasToken(ValueOf(element, "rel"), "stylesheet");
    problems_.Add(is_style ? Severity::kError : Severity::kWarning, offset, "external-style",
                  absl::StrCat("<link> loads from ", Quoted(url.host), ", which is not an allowed host",
                               is_style ? "; write the style sheet into the page" : ""));
  } else if (attribute_name == "ping") {
    problems_.Unsafe(offset, "ping", "ping reports clicks to another host; remove it");
  } else if (text::IsOneOf(name, kMedia) || attribute_name == "background" || attribute_name == "poster") {
    problems_.Warn(offset, "external-media", absl::StrCat("loads from ", Quoted(url.host), ", which may fail"));
  }
}

void ElementPolicy::CheckImageSet(const GumboElement& element, std::string_view value, size_t offset) {
  for (size_t at = 0; at < value.size();) {
    const size_t end = std::min(value.find(',', at), value.size());
    const std::string_view candidate = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(value.substr(at, end - at))));
    const Url url = ReadUrl(candidate.substr(0, candidate.find(' ')));
    if (url.kind == UrlKind::kWeb) CheckWebUrl("img", "srcset", element, url, offset);
    at = end + 1;
  }
}

void ElementPolicy::CheckCss(std::string_view css, size_t offset) {
  for (const CssReference& reference : FindCssReferences(css)) {
    if (reference.kind == CssReference::Kind::kScript || reference.url.kind == UrlKind::kScript) {
      problems_.Add(OfScripts(Severity::kError), offset, "script-in-style",
                    "the style sheet would run a script; remove it");
    } else if (reference.kind == CssReference::Kind::kImport && !IsAllowed(reference.url)) {
      problems_.Error(offset, "style-import",
                      "@import loads a style sheet that is not there; write its rules into the page");
    } else if (reference.url.kind == UrlKind::kWeb && !IsAllowed(reference.url)) {
      problems_.Warn(offset, "external-media",
                     absl::StrCat("loads from ", Quoted(reference.url.host), ", which may fail"));
    }
  }
}

bool ElementPolicy::IsAllowed(const Url& url) const {
  return url.kind == UrlKind::kWeb && std::find(hosts_.begin(), hosts_.end(), url.host) != hosts_.end();
}

}  // namespace toolgate::executors::artifacts::checks::html
