// Services of others that built-in tools ask, for their examples.
#ifndef TOOLGATE_TESTS_CONTRACT_EXECUTORS_SCRIPTED_PROVIDERS_H_
#define TOOLGATE_TESTS_CONTRACT_EXECUTORS_SCRIPTED_PROVIDERS_H_

#include "executors/family.h"
#include "tests/support/scripted_http_server.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors {

// One server on loopback that plays all of them, each below a path of its own: a row of kRoutes in the source, and a
// section of the settings.
class ScriptedProviders {
 public:
  ScriptedProviders();

  // Has every family that asks a provider ask this server instead, without a key.
  void Configure(CatalogOptions& options) const;

 private:
  testing::TempDir blobs_;
  testing::ScriptedHttpServer server_;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_TESTS_CONTRACT_EXECUTORS_SCRIPTED_PROVIDERS_H_
