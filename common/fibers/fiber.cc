#include "common/fibers/fiber.h"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdlib>
#include <memory>
#include <utility>

// Sanitizers have to be told of every change of stacks.
#if defined(__has_feature)
#define TOOLGATE_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TOOLGATE_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TOOLGATE_HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define TOOLGATE_TELL_ASAN(call) call
#else
#define TOOLGATE_TELL_ASAN(call) static_cast<void>(0)
#endif
#if defined(TOOLGATE_TSAN)
#include <sanitizer/tsan_interface.h>
#define TOOLGATE_TELL_TSAN(call) call
#else
#define TOOLGATE_TELL_TSAN(call) static_cast<void>(0)
#endif

namespace toolgate::fibers {
namespace {

namespace context = boost::context;

// A stack, as AddressSanitizer wants to be told of it.
struct StackNotes {
  void* fake = nullptr;          // Its own, while the stack is left.
  const void* bottom = nullptr;  // The lowest address.
  size_t size = 0;
};

const char* BottomOf(const context::stack_context& stack) { return static_cast<const char*>(stack.sp) - stack.size; }

// The last functions on a fiber's stack never return, so AddressSanitizer would go on taking their variables for the
// contents of whatever is mapped there next.
class Stacks : public context::protected_fixedsize_stack {
 public:
  using Base = context::protected_fixedsize_stack;
  using Base::Base;

  void deallocate(context::stack_context& stack) noexcept {
    TOOLGATE_TELL_ASAN(__asan_unpoison_memory_region(BottomOf(stack), stack.size));
    Base::deallocate(stack);
  }
};

// The compiler must not remember where this thread's variable is: after a wait the caller may be on another thread.
thread_local Fiber* current = nullptr;
[[gnu::noinline]] Fiber* GetCurrent() { return current; }
[[gnu::noinline]] void SetCurrent(Fiber* fiber) { current = fiber; }

}  // namespace

struct Fiber::Context {
  context::fiber own;     // While it is left.
  context::fiber thread;  // While it runs: the thread's stack under it.
  StackNotes own_notes;
  StackNotes thread_notes;
  void* tsan = nullptr;  // ThreadSanitizer's name of the fiber.
};

Fiber::Fiber(FiberScheduler& scheduler, size_t stack_bytes)
    : scheduler_(scheduler), context_(std::make_unique<Context>()) {
  Context& c = *context_;
  Stacks stacks(stack_bytes);
  const context::stack_context stack = stacks.allocate();
  c.own_notes.size = stack.size;
  c.own_notes.bottom = BottomOf(stack);
  TOOLGATE_TELL_TSAN(c.tsan = __tsan_create_fiber(0));
  c.own = context::fiber(
      std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), stacks, [this](context::fiber&& thread) {
        Context& self = *context_;
        self.thread = std::move(thread);
        TOOLGATE_TELL_ASAN(
            __sanitizer_finish_switch_fiber(nullptr, &self.thread_notes.bottom, &self.thread_notes.size));
        while (!closing_) {
          work_();
          work_ = nullptr;
          ended_ = true;
          Leave();
        }
        TOOLGATE_TELL_ASAN(__sanitizer_start_switch_fiber(nullptr, self.thread_notes.bottom, self.thread_notes.size));
        return std::move(self.thread);
      });
}

Fiber::~Fiber() {
  closing_ = true;
  Enter();
  TOOLGATE_TELL_TSAN(__tsan_destroy_fiber(context_->tsan));
}

void Fiber::Take(Work work) {
  work_ = std::move(work);
  ended_ = false;
}

bool Fiber::Run() {
  bool goes_on = true;
  while (goes_on) {
    Enter();
    if (ended_) return true;
    const absl::FunctionRef<bool(Fiber&)> park = *std::exchange(park_, nullptr);
    goes_on = !park(*this);
  }
  return false;
}

// From the thread's stack to the fiber's, and back when the fiber leaves.
void Fiber::Enter() {
  Context& c = *context_;
  Fiber* const outer = GetCurrent();
  SetCurrent(this);
  // Both ways here and none in Leave, so that each entry into a function and its exit are noted for the same stack.
  TOOLGATE_TELL_TSAN(void* const thread_tsan = __tsan_get_current_fiber());
  TOOLGATE_TELL_TSAN(__tsan_switch_to_fiber(c.tsan, 0));
  void* fake = nullptr;
  TOOLGATE_TELL_ASAN(__sanitizer_start_switch_fiber(&fake, c.own_notes.bottom, c.own_notes.size));
  context::fiber left = std::move(c.own).resume();
  TOOLGATE_TELL_ASAN(__sanitizer_finish_switch_fiber(fake, nullptr, nullptr));
  static_cast<void>(fake);
  TOOLGATE_TELL_TSAN(__tsan_switch_to_fiber(thread_tsan, 0));
  c.own = std::move(left);
  SetCurrent(outer);
}

// From the fiber's stack to the thread's, and back when it is run again, perhaps on another thread.
void Fiber::Leave() {
  Context& c = *context_;
  TOOLGATE_TELL_ASAN(__sanitizer_start_switch_fiber(&c.own_notes.fake, c.thread_notes.bottom, c.thread_notes.size));
  c.thread = std::move(c.thread).resume();
  TOOLGATE_TELL_ASAN(__sanitizer_finish_switch_fiber(c.own_notes.fake, &c.thread_notes.bottom, &c.thread_notes.size));
}

Fiber* Fiber::Current() { return GetCurrent(); }

void Fiber::Wait(absl::FunctionRef<bool(Fiber&)> park) {
  Fiber& self = *GetCurrent();
  self.park_ = &park;
  self.Leave();
}

}  // namespace toolgate::fibers
