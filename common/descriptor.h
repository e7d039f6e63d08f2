// An owned file descriptor.
#ifndef TOOLGATE_COMMON_DESCRIPTOR_H_
#define TOOLGATE_COMMON_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace toolgate {

// Closes it at its end. Used by one thread at a time, but for get().
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Gives the descriptor away.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_DESCRIPTOR_H_
