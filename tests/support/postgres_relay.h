// Stands between a client and a PostgreSQL server, and loses what a test says.
#ifndef TOOLGATE_TESTS_SUPPORT_POSTGRES_RELAY_H_
#define TOOLGATE_TESTS_SUPPORT_POSTGRES_RELAY_H_

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// A Unix socket in a folder of its own. Thread-safe.
class PostgresRelay {
 public:
  enum class Loss {
    kNone,
    kRequest,  // The next COMMIT does not reach the server; the connection is closed instead.
    kReply,    // It does, and the connection is closed when the server has replied.
  };

  // `server`: the folder of the server's socket.
  explicit PostgresRelay(std::string server);
  ~PostgresRelay();
  PostgresRelay(const PostgresRelay&) = delete;
  PostgresRelay& operator=(const PostgresRelay&) = delete;

  const std::string& folder() const { return dir_.path(); }
  // Of the next COMMIT, which the client must send as a text (Connection::Options::prepares).
  void Lose(Loss loss) { loss_.store(loss); }
  // Number of COMMITs that were lost.
  int lost() const { return lost_.load(); }

 private:
  void Accept();
  void Serve(int client);

  const std::string server_;
  const TempDir dir_;
  std::atomic<Loss> loss_{Loss::kNone};
  std::atomic<int> lost_{0};
  std::atomic<bool> stopping_{false};
  int listener_ = -1;
  absl::Mutex mutex_;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_POSTGRES_RELAY_H_
