#include "services/http/raw_head.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace toolgate::services::http {
namespace {

constexpr size_t kVersionBytes = 8;  // "HTTP/1.1"

bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsToken(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter); }

bool IsControl(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Goes through the bytes from the first to the last, and fails where a part is not next.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // `part` begins here.
  bool Take(std::string_view part) {
    if (part.data() != at_ || static_cast<size_t>(end_ - at_) < part.size()) return false;
    at_ += part.size();
    return true;
  }
  // So many NULs come next.
  bool TakeNuls(int count) {
    for (; count > 0; --count, ++at_) {
      if (at_ == end_ || *at_ != '\0') return false;
    }
    return true;
  }
  void TakeBlanks() {
    while (at_ != end_ && IsBlank(*at_)) ++at_;
  }
  bool at_end() const { return at_ == end_; }

 private:
  const char* at_;
  const char* const end_;
};

bool TakeRequestLine(const RawHead& head, Cursor& cursor) {
  if (head.target == nullptr || head.target_end < head.target) return false;
  const std::string_view target(head.target, static_cast<size_t>(head.target_end - head.target));
  return IsToken(head.method) && cursor.Take(head.method) && cursor.TakeNuls(1) && cursor.Take(target) &&
         cursor.TakeNuls(1) && head.version.size() == kVersionBytes && cursor.Take(head.version) && cursor.TakeNuls(2);
}

bool TakeField(const RawHead::Field& field, Cursor& cursor) {
  if (!IsToken(field.name) || !cursor.Take(field.name) || !cursor.TakeNuls(1)) return false;
  cursor.TakeBlanks();
  const bool plain =
      std::none_of(field.value.begin(), field.value.end(), [](char c) { return IsControl(c) && c != '\t'; });
  return plain && cursor.Take(field.value) && cursor.TakeNuls(2);
}

}  // namespace

bool IsPlain(const RawHead& head) {
  Cursor cursor(head.bytes);
  return TakeRequestLine(head, cursor) &&
         std::all_of(head.fields.begin(), head.fields.end(),
                     [&](const RawHead::Field& field) { return TakeField(field, cursor); }) &&
         cursor.TakeNuls(2) && cursor.at_end();
}

bool IsPlainTarget(std::string_view target) {
  return std::none_of(target.begin(), target.end(), [](char c) { return IsControl(c) || c == ' '; });
}

}  // namespace toolgate::services::http
