// A key with which another service is asked.
#ifndef TOOLGATE_COMMON_API_KEY_H_
#define TOOLGATE_COMMON_API_KEY_H_

#include <sys/types.h>
#include <time.h>

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace toolgate {

// Read from a file, again whenever the file changes, or from a variable of the environment, once. Spaces and line ends
// around it are no part of it. Thread-safe.
class ApiKey {
 public:
  // Either may be empty. The file goes before the variable.
  ApiKey(std::string file, const std::string& variable);

  // NOT_FOUND when neither holds one; INVALID_ARGUMENT for a text that cannot be a key: more than 8 KiB, or with
  // control characters. UNAVAILABLE when the file cannot be read. Messages say why, but neither path nor key. Costs a
  // stat.
  absl::StatusOr<std::string> Read() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Identity of one state of a file.
  struct Version {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = -1;
    timespec changed = {};
    bool operator==(const Version& other) const;
  };

  absl::StatusOr<std::string> ReadFile() const;

  const std::string file_;
  const absl::StatusOr<std::string> of_variable_;
  mutable absl::Mutex mutex_;
  mutable Version version_ ABSL_GUARDED_BY(mutex_);
  mutable absl::StatusOr<std::string> of_file_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_API_KEY_H_
