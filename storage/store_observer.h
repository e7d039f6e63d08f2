// Told of a store's work, for metrics.
#ifndef TOOLGATE_STORAGE_STORE_OBSERVER_H_
#define TOOLGATE_STORAGE_STORE_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/time/time.h"

namespace toolgate::storage {

// Receives durations and numbers. Thread-safe; called on the threads of callers, so it must be quick.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  virtual void OnRead(absl::Duration duration) = 0;
  // One mutation, from its submission until it was committed or refused.
  virtual void OnWrite(absl::Duration duration) = 0;
  // One transaction of `jobs` mutations, including its durable commit.
  virtual void OnBatch(size_t jobs, absl::Duration duration) = 0;
  // One mutation's body, for which all others wait. `tool_id`: WriteContext::tool_id.
  virtual void OnBody(std::string_view /*tool_id*/, absl::Duration /*duration*/) {}
  virtual void OnBackup(absl::Duration duration) = 0;
  // Confirmations of all workspaces that are pending and have not expired, counted every five seconds by the background
  // thread.
  virtual void OnWaitingConfirmations(int64_t /*count*/) {}
  // Size of the write-ahead log in bytes, four times a second.
  virtual void OnLogSize(int64_t /*bytes*/) {}
  // The write-ahead log was emptied, or that was put off; mutations waited for so long.
  virtual void OnLogPause(bool /*emptied*/, absl::Duration /*pause*/) {}
  // Snapshots of reads that lasted were taken away, so that the write-ahead log could be emptied.
  virtual void OnSnapshotsRevoked(size_t /*count*/) {}
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_STORE_OBSERVER_H_
