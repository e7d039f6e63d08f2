#include "executors/shell/command_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/utf8.h"

namespace toolgate::executors::shell {
namespace {

constexpr size_t kMaxCharacter = 4;  // Bytes.

size_t CharacterLength(unsigned char lead) { return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

int64_t CountIllFormed(std::string_view text) {
  int64_t count = 0;
  while (!text.empty()) {
    const size_t length = CharacterLength(static_cast<unsigned char>(text.front()));
    const bool is_character = length <= text.size() && text::IsWellFormedUtf8(text.substr(0, length));
    if (!is_character) ++count;
    text.remove_prefix(is_character ? length : 1);
  }
  return count;
}

}  // namespace

void CommandOutput::Add(std::string_view bytes) {
  total_ += static_cast<int64_t>(bytes.size());
  const size_t to_head = std::min(bytes.size(), half_ - head_.size());
  head_ += bytes.substr(0, to_head);
  bytes.remove_prefix(to_head);
  if (bytes.size() >= half_) {
    tail_ = bytes.substr(bytes.size() - half_);
    return;
  }
  tail_ += bytes;
  if (tail_.size() > half_) tail_.erase(0, tail_.size() - half_);
}

std::string_view CommandOutput::Head() const {
  std::string_view head = head_;
  if (!is_cut()) return head;
  for (size_t cut = 1; cut < kMaxCharacter && cut <= head.size(); ++cut) {
    const auto lead = static_cast<unsigned char>(head[head.size() - cut]);
    if (text::ContinuesCharacter(static_cast<char>(lead))) continue;
    if (CharacterLength(lead) > cut) head.remove_suffix(cut);
    break;
  }
  return head;
}

std::string_view CommandOutput::Tail() const {
  std::string_view tail = tail_;
  if (!is_cut()) return tail;
  for (size_t i = 0; i + 1 < kMaxCharacter && !tail.empty() && text::ContinuesCharacter(tail.front()); ++i) {
    tail.remove_prefix(1);
  }
  return tail;
}

std::string CommandOutput::Text() const {
  if (!is_cut()) return head_ + tail_;
  const std::string_view head = Head();
  const std::string_view tail = Tail();
  const int64_t omitted = total_ - static_cast<int64_t>(head.size() + tail.size());
  return absl::StrCat(std::string(head), "\n[… ", omitted, " bytes left out …]\n", std::string(tail));
}

int64_t CommandOutput::ReplacedBytes() const {
  return is_cut() ? CountIllFormed(Head()) + CountIllFormed(Tail()) : CountIllFormed(head_ + tail_);
}

}  // namespace toolgate::executors::shell
