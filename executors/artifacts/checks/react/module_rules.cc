#include "executors/artifacts/checks/react/module_rules.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks::react {
namespace {

constexpr std::array<std::string_view, 3> kStorage = {"localStorage", "sessionStorage", "indexedDB"};
constexpr std::array<std::string_view, 4> kNetwork = {"XMLHttpRequest", "WebSocket", "EventSource", "fetch"};
constexpr std::array<std::string_view, 4> kGlobalObjects = {"window", "globalThis", "self", "global"};
constexpr std::array<std::string_view, 4> kOuterWindows = {"parent", "top", "opener", "frameElement"};
constexpr std::array<std::string_view, 3> kMarkupMembers = {"innerHTML", "outerHTML", "srcdoc"};
constexpr std::array<std::string_view, 7> kUrlAttributes = {"href",   "src",  "action",   "formAction",
                                                            "poster", "data", "xlinkHref"};
// How many tokens the clause of an import or export has at most before its module.
constexpr size_t kMaxClause = 2000;

// A string token's value, if it is simple enough to be a module or an address.
std::string_view Unquoted(const Token& token) {
  return token.text.size() < 2 ? std::string_view() : token.text.substr(1, token.text.size() - 2);
}

}  // namespace

void ModuleRules::Check(bool complete) {
  for (size_t i = 0; i < tokens_.size(); ++i) CheckToken(i);
  if (complete && default_exports_ == 0) {
    problems_.Error(0, "no-default-export", "the module must export its component: export default function App() {…}");
  }
}

void ModuleRules::CheckToken(size_t i) {
  switch (tokens_[i].kind) {
    case TokenKind::kIdentifier:
      if (tokens_[i].text == "import" && !IsMember(i)) CheckImport(i);
      if (tokens_[i].text == "export" && !IsMember(i)) CheckExport(i);
      CheckName(i);
      return;
    case TokenKind::kJsxOpen:
      CheckElement(i);
      return;
    case TokenKind::kJsxAttribute:
      CheckAttribute(i);
      return;
    default:
      return;
  }
}

void ModuleRules::CheckImport(size_t i) {
  if (Is(i + 1, "(")) {
    problems_.Error(tokens_[i].offset, "dynamic-import",
                    "import() loads nothing here; import at the top of the module");
    return;
  }
  if (Is(i + 1, ".") || Is(i + 1, ":")) return;  // import.meta, or a key.
  const size_t end = std::min(tokens_.size(), i + kMaxClause);
  for (size_t k = i + 1; k < end && !Is(k, ";"); ++k) {
    if (tokens_[k].kind != TokenKind::kString) continue;
    CheckModule(tokens_[k]);
    return;
  }
}

void ModuleRules::CheckModule(const Token& module) {
  const std::string_view name = Unquoted(module);
  for (const std::string& allowed : modules_) {
    if (name == allowed || absl::StartsWith(ToAbsl(name), allowed + "/")) return;
  }
  const bool is_file = absl::StartsWith(ToAbsl(name), ".") || absl::StartsWith(ToAbsl(name), "/");
  problems_.Error(
      module.offset, is_file ? "missing-file" : "import-not-allowed",
      is_file ? absl::StrCat("there is no file ", Quoted(name), "; write everything into this module")
              : absl::StrCat("the module ", Quoted(name), " is not there; these are: ", absl::StrJoin(modules_, ", ")));
}

void ModuleRules::CheckExport(size_t i) {
  if (Is(i + 1, "default")) {
    CheckDefaultExport(i + 2);
    return;
  }
  if (!Is(i + 1, "{") && !Is(i + 1, "*")) return;
  const size_t end = std::min(tokens_.size(), i + kMaxClause);
  for (size_t k = i + 1; k < end && !Is(k, ";"); ++k) {
    if (Is(k, "as") && Is(k + 1, "default")) {
      ++default_exports_;
      default_export_ = std::string(tokens_[k - 1].text);
    }
    if (Is(k, "from") && k + 1 < end && tokens_[k + 1].kind == TokenKind::kString) {
      CheckModule(tokens_[k + 1]);
      return;
    }
    if (Is(k, "}") && !Is(k + 1, "from")) return;
  }
}

void ModuleRules::CheckDefaultExport(size_t name) {
  if (++default_exports_ > 1) {
    problems_.Error(tokens_[name - 1].offset, "two-default-exports", "a module has one default export");
  }
  while (Is(name, "async") || Is(name, "function") || Is(name, "class")) ++name;
  if (name >= tokens_.size() || tokens_[name].kind != TokenKind::kIdentifier) return;
  default_export_ = std::string(tokens_[name].text);
  if (absl::ascii_islower(static_cast<unsigned char>(default_export_.front())) && !Is(name + 1, "(") &&
      !Is(name + 1, ".")) {
    problems_.Warn(tokens_[name].offset, "component-name", "a component's name begins with a capital letter");
  }
}

bool ModuleRules::IsGlobal(size_t i) const {
  if (!IsMember(i)) return !Is(i + 1, ":");
  return i >= 2 && tokens_[i - 2].kind == TokenKind::kIdentifier &&
         text::IsOneOf(tokens_[i - 2].text, kGlobalObjects) && !(i >= 3 && IsMember(i - 2));
}

void ModuleRules::CheckName(size_t i) {
  if (IsGlobal(i)) CheckGlobal(i);
  CheckMember(i);
}

void ModuleRules::CheckGlobal(size_t i) {
  const std::string_view name = tokens_[i].text;
  const size_t offset = tokens_[i].offset;
  const bool called = Is(i + 1, "(") || Is(i + 1, "?.");
  const bool declared = i > 0 && (Is(i - 1, "function") || Is(i - 1, "const") || Is(i - 1, "let"));
  if (declared) return;
  if ((name == "eval" && called) || (name == "Function" && (called || (i > 0 && Is(i - 1, "new"))))) {
    problems_.Error(offset, "code-from-text",
                    absl::StrCat(ToAbsl(name), " makes code of text, which the frame forbids"));
  } else if (text::IsOneOf(name, kStorage)) {
    problems_.Error(offset, "storage",
                    absl::StrCat(ToAbsl(name), " fails in a sandboxed frame; keep the state in React"));
  } else if (text::IsOneOf(name, kNetwork) && (called || (i > 0 && Is(i - 1, "new")))) {
    problems_.Warn(offset, "network", absl::StrCat(ToAbsl(name), " may reach nothing from a sandboxed frame"));
  } else if (name == "require" && called) {
    problems_.Error(offset, "require", "require loads nothing here; use import");
  } else if (text::IsOneOf(name, kOuterWindows) && IsMember(i)) {
    problems_.Error(offset, "outer-window", absl::StrCat("window.", ToAbsl(name), " is beyond the frame"));
  }
}

void ModuleRules::CheckMember(size_t i) {
  const std::string_view name = tokens_[i].text;
  const size_t offset = tokens_[i].offset;
  const bool of_document = IsMember(i) && i >= 2 && Is(i - 2, "document");
  if (name == "dangerouslySetInnerHTML") {
    problems_.Error(offset, "raw-markup", "dangerouslySetInnerHTML shows text as markup; write elements");
  } else if (of_document && name == "cookie") {
    problems_.Error(offset, "storage", "document.cookie fails in a sandboxed frame; keep the state in React");
  } else if (of_document && (name == "write" || name == "writeln")) {
    problems_.Error(offset, "raw-markup", "document.write replaces the page; write elements");
  } else if (IsMember(i) && ((text::IsOneOf(name, kMarkupMembers) && Is(i + 1, "=") && !Is(i + 2, "=")) ||
                             name == "insertAdjacentHTML")) {
    problems_.Error(offset, "raw-markup", absl::StrCat(ToAbsl(name), " shows text as markup; write elements"));
  } else if (name == "sendBeacon" && IsMember(i)) {
    problems_.Warn(offset, "network", "sendBeacon may reach nothing from a sandboxed frame");
  }
}

void ModuleRules::CheckElement(size_t i) {
  const std::string_view name = tokens_[i].text;
  if (name == "script") {
    problems_.Error(tokens_[i].offset, "script-element", "React runs no <script>; use an effect");
  } else if (name == "iframe" || name == "object" || name == "embed") {
    problems_.Warn(tokens_[i].offset, "embedded-document", absl::StrCat("<", ToAbsl(name), "> may show nothing"));
  } else if (name == "html" || name == "body" || name == "head") {
    problems_.Error(tokens_[i].offset, "page-element",
                    absl::StrCat("a component lies inside a page; remove <", ToAbsl(name), ">"));
  }
}

void ModuleRules::CheckAttribute(size_t i) {
  const Token& attribute = tokens_[i];
  if (attribute.text == "dangerouslySetInnerHTML") {
    problems_.Error(attribute.offset, "raw-markup", "dangerouslySetInnerHTML shows text as markup; write elements");
  }
  if (attribute.text == "class" || attribute.text == "for") {
    problems_.Warn(attribute.offset, "html-attribute",
                   absl::StrCat("React's name of ", ToAbsl(attribute.text), " is ",
                                attribute.text == "for" ? "htmlFor" : "className"));
  }
  if (!text::IsOneOf(attribute.text, kUrlAttributes) || !Is(i + 1, "=")) return;
  size_t value = i + 2;
  if (Is(value, "{")) ++value;
  if (value >= tokens_.size()) return;
  const Token& token = tokens_[value];
  const bool is_text = token.kind == TokenKind::kString || token.kind == TokenKind::kTemplate;
  if (is_text && ReadUrl(token.kind == TokenKind::kString ? Unquoted(token) : token.text).kind == UrlKind::kScript) {
    problems_.Error(token.offset, "script-url", "the address runs a script, which React forbids; use an event handler");
  }
}

}  // namespace toolgate::executors::artifacts::checks::react
