// The secrets that the configuration names.
#ifndef TOOLGATE_SERVICES_APP_CONFIGURED_SECRETS_H_
#define TOOLGATE_SERVICES_APP_CONFIGURED_SECRETS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/api_key.h"
#include "security/safe_errors/known_secrets.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// Places of one secret: a file, or a variable of the environment.
struct SecretSource {
  std::string path;  // Of the setting.
  std::string file;
  std::string variable;
};

// Every setting of `config`, those of families among them, that names a secret: by the names of fields, which a test
// compares with all settings. Certificates' private keys are left out: those are known by their form.
std::vector<SecretSource> SecretSources(const toolgate::config::v1::Config& config);

// Tells KnownSecrets of the values, also when files change. What cannot be read is no secret yet: who needs it says so.
// Thread-safe. Borrows `known`.
class ConfiguredSecrets {
 public:
  explicit ConfiguredSecrets(security::safe_errors::KnownSecrets& known) : known_(known) {}

  // Reads those of `config`, beside those of an earlier one, some of which may be in force until the process ends.
  void Read(const toolgate::config::v1::Config& config) ABSL_LOCKS_EXCLUDED(mutex_);

  // Looks for changed files. Costs a stat for each.
  void Refresh() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  security::safe_errors::KnownSecrets& known_;
  mutable absl::Mutex mutex_;
  // By file and variable.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<const ApiKey>> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_CONFIGURED_SECRETS_H_
