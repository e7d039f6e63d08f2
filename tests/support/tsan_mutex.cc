// Shows absl::Mutex to the thread sanitizer.
//
// Debian's Abseil and gRPC are built without the sanitizer, which therefore does not see the order that a mutex
// enforces between threads, and reports everything that it guards as a race. With TOOLGATE_SANITIZE=thread this file is
// part of every binary (see cmake/targets.cmake): its functions replace the library's of the same name, for our own
// code and for the shared libraries alike, tell the sanitizer about the order, and call the library's.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <cstdlib>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}

namespace {

// The library's function of that name.
template <typename Function>
Function* Next(const char* symbol) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

// Unlocking evaluates the conditions that other threads wait for, which read guarded data while the mutex is held.
class IgnoreReads {
 public:
  IgnoreReads() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~IgnoreReads() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
};

}  // namespace

// Symbol that the linker is told to look for, so that this file is linked.
extern "C" int toolgate_tsan_mutex;
int toolgate_tsan_mutex = 0;

#define TOOLGATE_NEXT(signature, symbol) static auto* const next = Next<signature>(#symbol)

#define TOOLGATE_LOCK(symbol)           \
  extern "C" void symbol(void* mutex) { \
    TOOLGATE_NEXT(void(void*), symbol); \
    next(mutex);                        \
    __tsan_acquire(mutex);              \
  }

#define TOOLGATE_UNLOCK(symbol)         \
  extern "C" void symbol(void* mutex) { \
    TOOLGATE_NEXT(void(void*), symbol); \
    __tsan_release(mutex);              \
    const IgnoreReads ignore;           \
    next(mutex);                        \
  }

TOOLGATE_LOCK(_ZN4absl7debian35Mutex4LockEv)
TOOLGATE_LOCK(_ZN4absl7debian35Mutex10ReaderLockEv)
TOOLGATE_UNLOCK(_ZN4absl7debian35Mutex6UnlockEv)
TOOLGATE_UNLOCK(_ZN4absl7debian35Mutex12ReaderUnlockEv)

extern "C" bool _ZN4absl7debian35Mutex7TryLockEv(void* mutex) {
  TOOLGATE_NEXT(bool(void*), _ZN4absl7debian35Mutex7TryLockEv);
  const bool locked = next(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

extern "C" void _ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(void* self, void* mutex) {
  TOOLGATE_NEXT(void(void*, void*), _ZN4absl7debian37CondVar4WaitEPNS0_5MutexE);
  __tsan_release(mutex);
  next(self, mutex);
  __tsan_acquire(mutex);
}

extern "C" bool _ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE(void* self, void* mutex,
                                                                                     absl::Duration timeout) {
  TOOLGATE_NEXT(bool(void*, void*, absl::Duration),
                _ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE);
  __tsan_release(mutex);
  const bool expired = next(self, mutex, timeout);
  __tsan_acquire(mutex);
  return expired;
}

extern "C" bool _ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE(void* self, void* mutex,
                                                                                  absl::Time deadline) {
  TOOLGATE_NEXT(bool(void*, void*, absl::Time), _ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE);
  __tsan_release(mutex);
  const bool expired = next(self, mutex, deadline);
  __tsan_acquire(mutex);
  return expired;
}

extern "C" void _ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE(void* mutex, const void* condition) {
  TOOLGATE_NEXT(void(void*, const void*), _ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE);
  __tsan_release(mutex);
  {
    const IgnoreReads ignore;
    next(mutex, condition);
  }
  __tsan_acquire(mutex);
}

extern "C" bool _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE(void* mutex,
                                                                                         const void* condition,
                                                                                         absl::Duration timeout) {
  TOOLGATE_NEXT(bool(void*, const void*, absl::Duration),
                _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE);
  __tsan_release(mutex);
  bool met = false;
  {
    const IgnoreReads ignore;
    met = next(mutex, condition, timeout);
  }
  __tsan_acquire(mutex);
  return met;
}
