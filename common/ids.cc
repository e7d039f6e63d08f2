#include "common/ids.h"

#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace toolgate {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr size_t kIdLength = 26;
constexpr size_t kTimeLength = 10;

// A call of OpenSSL's generator costs a microsecond or two, so ids draw from a buffer of the calling thread.
class RandomBuffer {
 public:
  void Take(unsigned char* out, size_t count) {
    if (next_ + count > bytes_.size()) {
      RAND_bytes(bytes_.data(), static_cast<int>(bytes_.size()));
      next_ = 0;
    }
    std::memcpy(out, bytes_.data() + next_, count);
    next_ += count;
  }

 private:
  std::array<unsigned char, 1000> bytes_;
  size_t next_ = bytes_.size();
};

class RealIdSource final : public IdSource {
 public:
  std::string NewId(absl::Time now) override {
    thread_local RandomBuffer buffer;
    std::array<unsigned char, kIdLength - kTimeLength> random;
    buffer.Take(random.data(), random.size());
    std::string id(kIdLength, '0');
    uint64_t millis = static_cast<uint64_t>(absl::ToUnixMillis(now));
    for (size_t i = kTimeLength; i-- > 0; millis >>= 5) id[i] = kAlphabet[millis & 31];
    for (size_t i = 0; i < random.size(); ++i) id[kTimeLength + i] = kAlphabet[random[i] & 31];
    return id;
  }

  std::string RandomBytes(size_t count) override {
    std::string bytes(count, '\0');
    RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
    return bytes;
  }
};

}  // namespace

IdSource& IdSource::Real() {
  static RealIdSource* const source = new RealIdSource;
  return *source;
}

std::optional<absl::Time> TimeOfId(std::string_view id) {
  if (id.size() != kIdLength) return std::nullopt;
  uint64_t millis = 0;
  for (size_t i = 0; i < kIdLength; ++i) {
    const size_t digit = kAlphabet.find(id[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    if (i < kTimeLength) millis = (millis << 5) | digit;
  }
  return absl::FromUnixMillis(static_cast<int64_t>(millis));
}

}  // namespace toolgate
