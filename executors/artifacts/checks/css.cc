#include "executors/artifacts/checks/css.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::artifacts::checks {
namespace {

constexpr int kMaxEscapeDigits = 6;

bool IsNameCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '-' || c == '_' || byte >= 0x80;
}
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Reads a style sheet token by token, as far as references need it.
class CssReader {
 public:
  explicit CssReader(std::string_view css) : css_(css) {}

  std::vector<CssReference> Read() && {
    while (at_ < css_.size()) Step();
    return std::move(found_);
  }

 private:
  bool AtComment() const { return css_.substr(at_, 2) == "/*"; }

  void SkipComment() {
    const size_t end = css_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? css_.size() : end + 2;
  }

  void SkipBlanks() {
    while (at_ < css_.size()) {
      if (AtComment()) {
        SkipComment();
      } else if (IsSpace(css_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  // An escape's character; characters beyond ASCII as "?", since no name that matters has one.
  char ReadEscape() {
    ++at_;
    if (at_ == css_.size()) return '?';
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(css_[at_]))) return css_[at_++];
    int code = 0;
    for (int i = 0; i < kMaxEscapeDigits && at_ < css_.size(); ++i, ++at_) {
      const char c = css_[at_];
      if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) break;
      code = code * 16 +
             (absl::ascii_isdigit(static_cast<unsigned char>(c)) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10);
    }
    if (css_.substr(at_, 2) == "\r\n") {
      at_ += 2;
    } else if (at_ < css_.size() && IsSpace(css_[at_])) {
      ++at_;
    }
    return code > 0 && code < 0x80 ? static_cast<char>(code) : '?';
  }

  // In lower case, escapes resolved.
  std::string ReadName() {
    std::string name;
    while (at_ < css_.size()) {
      if (IsNameCharacter(css_[at_])) {
        name += absl::ascii_tolower(static_cast<unsigned char>(css_[at_++]));
      } else if (css_[at_] == '\\' && at_ + 1 < css_.size() && css_[at_ + 1] != '\n') {
        name += absl::ascii_tolower(static_cast<unsigned char>(ReadEscape()));
      } else {
        break;
      }
    }
    return name;
  }

  std::string ReadString() {
    const char quote = css_[at_++];
    std::string value;
    while (at_ < css_.size() && css_[at_] != quote && css_[at_] != '\n') {
      if (css_[at_] != '\\') {
        value += css_[at_++];
      } else if (at_ + 1 < css_.size() && css_[at_ + 1] == '\n') {
        at_ += 2;
      } else {
        value += ReadEscape();
      }
    }
    if (at_ < css_.size()) ++at_;
    return value;
  }

  std::string ReadBareUrl() {
    std::string value;
    while (at_ < css_.size() && css_[at_] != ')') {
      if (css_[at_] == '\\') {
        value += ReadEscape();
      } else {
        value += css_[at_++];
      }
    }
    return value;
  }

  bool AtQuote() const { return at_ < css_.size() && (css_[at_] == '"' || css_[at_] == '\''); }

  // After "url(".
  void ReadUrlFunction(size_t offset, CssReference::Kind kind) {
    while (at_ < css_.size() && IsSpace(css_[at_])) ++at_;
    found_.push_back({kind, offset, ReadUrl(AtQuote() ? ReadString() : ReadBareUrl())});
  }

  void ReadImport(size_t offset) {
    SkipBlanks();
    if (AtQuote()) {
      found_.push_back({CssReference::Kind::kImport, offset, ReadUrl(ReadString())});
      return;
    }
    const std::string name = ReadName();
    if (name == "url" && at_ < css_.size() && css_[at_] == '(') {
      ++at_;
      ReadUrlFunction(offset, CssReference::Kind::kImport);
    }
  }

  void ReadIdentifier() {
    const size_t offset = at_;
    const std::string name = ReadName();
    if (name.empty()) {  // A "\" that escapes nothing.
      ++at_;
      return;
    }
    const bool calls = at_ < css_.size() && css_[at_] == '(';
    if (calls && (name == "url" || name == "src")) {
      ++at_;
      ReadUrlFunction(offset, CssReference::Kind::kUrl);
    } else if (calls && (name == "image-set" || name == "-webkit-image-set" || name == "image")) {
      in_image_set_ = true;
    } else if ((calls && name == "expression") || name == "-moz-binding" || (name == "behavior" && BeforeColon())) {
      found_.push_back({CssReference::Kind::kScript, offset, {}});
    }
  }

  bool BeforeColon() {
    SkipBlanks();
    return at_ < css_.size() && css_[at_] == ':';
  }

  void Step() {
    const char c = css_[at_];
    if (AtComment()) {
      SkipComment();
    } else if (AtQuote()) {
      const size_t offset = at_;
      const std::string value = ReadString();
      if (in_image_set_) found_.push_back({CssReference::Kind::kUrl, offset, ReadUrl(value)});
    } else if (c == '@') {
      const size_t offset = at_++;
      if (ReadName() == "import") ReadImport(offset);
    } else if (IsNameCharacter(c) || c == '\\') {
      ReadIdentifier();
    } else {
      if (c == ';' || c == '}') in_image_set_ = false;
      ++at_;
    }
  }

  const std::string_view css_;
  size_t at_ = 0;
  bool in_image_set_ = false;  // Strings are addresses there.
  std::vector<CssReference> found_;
};

}  // namespace

std::vector<CssReference> FindCssReferences(std::string_view css) { return CssReader(css).Read(); }

}  // namespace toolgate::executors::artifacts::checks
