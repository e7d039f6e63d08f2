// Shows absl::Mutex to the thread sanitizer.
//
// Debian's Abseil is built without the sanitizer, which therefore sees no order between threads that a mutex orders,
// and takes everything that one guards for a race. With TOOLGATE_SANITIZE=thread the linker sends every call of these
// functions from our own code through here (see cmake/targets.cmake), where the order is told.
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

extern "C" {

void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);

#define TOOLGATE_LOCK(symbol)         \
  void __real_##symbol(void* mutex);  \
  void __wrap_##symbol(void* mutex) { \
    __real_##symbol(mutex);           \
    __tsan_acquire(mutex);            \
  }

// Unlocking evaluates the conditions that other threads wait for, which read what the mutex guards while it is held.
#define TOOLGATE_UNLOCK(symbol)                   \
  void __real_##symbol(void* mutex);              \
  void __wrap_##symbol(void* mutex) {             \
    __tsan_release(mutex);                        \
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__); \
    __real_##symbol(mutex);                       \
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);   \
  }

TOOLGATE_LOCK(_ZN4absl7debian35Mutex4LockEv)
TOOLGATE_LOCK(_ZN4absl7debian35Mutex10ReaderLockEv)
TOOLGATE_UNLOCK(_ZN4absl7debian35Mutex6UnlockEv)
TOOLGATE_UNLOCK(_ZN4absl7debian35Mutex12ReaderUnlockEv)

bool __real__ZN4absl7debian35Mutex7TryLockEv(void* mutex);
bool __wrap__ZN4absl7debian35Mutex7TryLockEv(void* mutex) {
  const bool locked = __real__ZN4absl7debian35Mutex7TryLockEv(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

void __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(void* self, void* mutex);
void __wrap__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(void* self, void* mutex) {
  __tsan_release(mutex);
  __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(self, mutex);
  __tsan_acquire(mutex);
}

bool __real__ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE(void* self, void* mutex,
                                                                                 absl::Duration timeout);
bool __wrap__ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE(void* self, void* mutex,
                                                                                 absl::Duration timeout) {
  __tsan_release(mutex);
  const bool expired =
      __real__ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE(self, mutex, timeout);
  __tsan_acquire(mutex);
  return expired;
}

void __real__ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE(void* mutex, const void* condition);
void __wrap__ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE(void* mutex, const void* condition) {
  __tsan_release(mutex);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  __real__ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE(mutex, condition);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  __tsan_acquire(mutex);
}

bool __real__ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE(void* mutex, const void* condition,
                                                                                     absl::Duration timeout);
bool __wrap__ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE(void* mutex, const void* condition,
                                                                                     absl::Duration timeout) {
  __tsan_release(mutex);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const bool met =
      __real__ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE(mutex, condition, timeout);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  __tsan_acquire(mutex);
  return met;
}

}  // extern "C"
