// Bounds how deep calls go that nest as their input says.
#ifndef TOOLGATE_COMMON_STACK_BOUND_H_
#define TOOLGATE_COMMON_STACK_BOUND_H_

#include <cstddef>
#include <cstdint>

namespace toolgate {

// At most `max_bytes` of stack below the function that makes it. Copied freely; asked on the stack that it was made on.
class StackBound {
 public:
  [[gnu::noinline]] explicit StackBound(size_t max_bytes) : top_(Here()), max_bytes_(max_bytes) {}

  // Whether the caller's frame lies within the bound.
  [[gnu::noinline]] bool Holds() const { return top_ - Here() <= max_bytes_ || Here() > top_; }

 private:
  // The frame's address, and no variable's: a sanitizer may keep those elsewhere. Stacks grow downwards.
  [[gnu::always_inline]] static uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

  uintptr_t top_;
  size_t max_bytes_;
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_STACK_BOUND_H_
