// The whole service, put together and taken apart.
#ifndef TOOLGATE_SERVICES_APP_APPLICATION_H_
#define TOOLGATE_SERVICES_APP_APPLICATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "executors/family.h"
#include "observability/logger.h"
#include "security/safe_errors/known_secrets.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// Serves from Start to Stop. Thread-safe, except for Stop, which is called once.
class Application {
 public:
  struct Environment {
    observability::Logger& logger;
    const Clock& clock;
    IdSource& ids;
    // The families of tools to serve; null: those of this program.
    const std::vector<executors::Family>* families = nullptr;
    // Told of the service's own secrets, which it masks by value; null: one of the service's own. With a MaskedLogSink,
    // they are masked in every line of the log.
    security::safe_errors::KnownSecrets* secrets = nullptr;
  };

  // Opens the store, builds the layers, listens, and is ready. Every error describes the problem and what would be
  // right. `config` has passed services/config.
  static absl::StatusOr<std::unique_ptr<Application>> Start(const toolgate::config::v1::Config& config,
                                                            const Environment& environment);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // Addresses for clients, and for metrics ("" if off).
  const std::string& address() const;
  std::string metrics_address() const;
  // Address of the API over HTTP ("" if none).
  std::string http_address() const;
  // Address that serves only health ("" if none).
  std::string health_address() const;

  // Puts a new configuration in force for calls from now on. Settings that are fixed for a process's life (listeners,
  // data directory, sizes of pools) stay unchanged, and the log says so. The listener's TLS files are read again too.
  // If any part is impossible, the old configuration stays in force, including certificates. Windows, request budgets,
  // breakers, places of calls in flight and pending audit entries survive.
  absl::Status Reload(const toolgate::config::v1::Config& config);

  // Health reports not ready; running calls have the configured time to finish; audit and traces are flushed; the store
  // is closed. DEADLINE_EXCEEDED if calls did not finish in time: then the process should end with std::_Exit.
  absl::Status Stop();

 private:
  struct Impl;
  explicit Application(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_APPLICATION_H_
