#include "services/grpc/acceptor/opening_frames.h"

#include <algorithm>
#include <utility>

namespace toolgate::services::grpc::acceptor {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// The protocol's, as long as the server has announced no other.
constexpr size_t kMaxFramePayload = 16384;
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kSettings = 4;
constexpr uint8_t kContinuation = 9;
constexpr uint8_t kAckFlag = 1;

}  // namespace

size_t OpeningFrames::Take(std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && state_ == State::kUnacknowledged) {
    const std::string_view rest = bytes.substr(taken);
    if (preface_taken_ < kPreface.size()) {
      taken += TakePreface(rest);
    } else if (payload_left_ > 0) {
      const size_t count = std::min(payload_left_, rest.size());
      payload_left_ -= count;
      taken += count;
    } else {
      taken += TakeFrameHeader(rest);
    }
  }
  bytes_ += bytes.substr(0, taken);
  if (bytes_.size() > kMaxBytes) state_ = State::kRefused;
  return taken;
}

size_t OpeningFrames::TakePreface(std::string_view bytes) {
  const std::string_view expected = kPreface.substr(preface_taken_, bytes.size());
  if (bytes.substr(0, expected.size()) != expected) state_ = State::kRefused;
  preface_taken_ += expected.size();
  return expected.size();
}

size_t OpeningFrames::TakeFrameHeader(std::string_view bytes) {
  const size_t count = std::min(header_.size() - header_taken_, bytes.size());
  std::copy_n(bytes.begin(), count, header_.begin() + static_cast<ptrdiff_t>(header_taken_));
  header_taken_ += count;
  if (header_taken_ < header_.size()) return count;
  BeginFrame();
  header_taken_ = 0;
  return state_ == State::kAcknowledged ? count - 1 : count;
}

void OpeningFrames::BeginFrame() {
  payload_left_ = size_t{header_[0]} << 16 | size_t{header_[1]} << 8 | header_[2];
  const uint8_t type = header_[3];
  const bool acknowledges = type == kSettings && (header_[4] & kAckFlag) != 0;
  const bool on_connection = (header_[5] & 0x7f) == 0 && header_[6] == 0 && header_[7] == 0 && header_[8] == 0;
  const bool first = !std::exchange(any_frame_, true);
  if (payload_left_ > kMaxFramePayload || (first && (type != kSettings || acknowledges)) ||
      (type == kSettings && !on_connection) || (acknowledges && payload_left_ > 0)) {
    state_ = State::kRefused;
  } else if (acknowledges) {
    state_ = State::kAcknowledged;
  } else if (type == kHeaders || type == kContinuation) {
    CountHeaders();
  }
}

void OpeningFrames::CountHeaders() {
  header_bytes_ += payload_left_;
  if (header_[3] == kHeaders) ++streams_;
  if (header_bytes_ > kMaxHeaderBytes || streams_ > max_streams_) state_ = State::kRefused;
}

}  // namespace toolgate::services::grpc::acceptor
