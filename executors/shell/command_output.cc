#include "executors/shell/command_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace toolgate::executors::shell {

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

std::string CommandOutput::Text() const {
  if (!is_cut()) return head_ + tail_;
  return absl::StrCat(head_, "\n[… ", Omitted(), " bytes left out …]\n", tail_);
}

}  // namespace toolgate::executors::shell
