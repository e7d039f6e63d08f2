// The begin of a client's HTTP/2 connection, read by its frames' headers alone.
#ifndef TOOLGATE_SERVICES_GRPC_ACCEPTOR_OPENING_FRAMES_H_
#define TOOLGATE_SERVICES_GRPC_ACCEPTOR_OPENING_FRAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate::services::grpc::acceptor {

// Finds the frame by which a client acknowledges the server's SETTINGS (RFC 9113, section 6.5.3), and bounds what comes
// before it: nothing is decoded, so the bounds are all that protects the one who decodes it later. Not thread-safe.
class OpeningFrames {
 public:
  // A client may send requests at once: 64 KiB of content, by the protocol's own window, and their headers.
  static constexpr size_t kMaxBytes = size_t{128} << 10;
  // Headers are what grows when decoded, some 150-fold. Clients that send many requests at once repeat their headers by
  // references of one byte.
  static constexpr size_t kMaxHeaderBytes = size_t{16} << 10;

  enum class State {
    kUnacknowledged,
    kAcknowledged,
    kRefused,  // No HTTP/2, or too much of it.
  };

  explicit OpeningFrames(int max_streams) : max_streams_(max_streams) {}

  // Takes bytes that follow those taken before. Returns how many: all, or, once acknowledged, those before the
  // acknowledgement's last byte. Not to be called in any other state than kUnacknowledged.
  size_t Take(std::string_view bytes);

  State state() const { return state_; }
  // All bytes taken.
  const std::string& bytes() const { return bytes_; }

 private:
  size_t TakePreface(std::string_view bytes);
  size_t TakeFrameHeader(std::string_view bytes);
  // Looks at the complete header of a frame.
  void BeginFrame();
  void CountHeaders();

  int max_streams_;
  State state_ = State::kUnacknowledged;
  std::string bytes_;
  size_t preface_taken_ = 0;
  std::array<uint8_t, 9> header_{};
  size_t header_taken_ = 0;
  size_t payload_left_ = 0;
  bool any_frame_ = false;
  size_t header_bytes_ = 0;  // Of HEADERS and CONTINUATION.
  int streams_ = 0;
};

}  // namespace toolgate::services::grpc::acceptor

#endif  // TOOLGATE_SERVICES_GRPC_ACCEPTOR_OPENING_FRAMES_H_
