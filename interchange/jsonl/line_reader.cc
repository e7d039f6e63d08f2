#include "interchange/jsonl/line_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace toolgate::interchange::jsonl {
namespace {

constexpr std::streamsize kChunk = 64 << 10;

}  // namespace

LineReader::LineReader(std::istream& in, size_t max_line_bytes) : in_(in), max_line_bytes_(max_line_bytes) {}

absl::StatusOr<bool> LineReader::Next() {
  size_t searched = next_;
  size_t end = std::string::npos;
  while ((end = buffer_.find('\n', searched)) == std::string::npos) {
    if (buffer_.size() - next_ > max_line_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("line ", number_ + 1, " is longer than ", max_line_bytes_ >> 20, " MiB"));
    }
    buffer_.erase(0, next_);
    next_ = 0;
    searched = buffer_.size();
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    if (*more) continue;
    if (buffer_.empty()) return false;
    end = buffer_.size();
    break;
  }
  line_ = std::string_view(buffer_).substr(next_, end - next_);
  offset_ += static_cast<int64_t>(std::min(end + 1, buffer_.size()) - next_);
  next_ = std::min(end + 1, buffer_.size());
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  ++number_;
  return true;
}

bool LineReader::MayBlock() const {
  return buffer_.find('\n', next_) == std::string::npos && in_.rdbuf()->in_avail() <= 0;
}

absl::StatusOr<bool> LineReader::Fill() {
  if (at_end_) return false;
  // Waits for one character, then takes everything that arrived with it; read() would wait for a whole chunk.
  in_.peek();
  const std::streamsize ready = std::clamp<std::streamsize>(in_.rdbuf()->in_avail(), 0, kChunk);
  if (in_.bad()) return absl::DataLossError(absl::StrCat("cannot read on after line ", number_));
  if (!in_.good() || ready == 0) {
    at_end_ = true;
    return false;
  }
  const size_t before = buffer_.size();
  buffer_.resize(before + static_cast<size_t>(ready));
  in_.read(buffer_.data() + before, ready);
  buffer_.resize(before + static_cast<size_t>(in_.gcount()));
  return true;
}

}  // namespace toolgate::interchange::jsonl
