// Services of others that built-in tools ask.
#ifndef TOOLGATE_TESTS_SUPPORT_SCRIPTED_PROVIDERS_H_
#define TOOLGATE_TESTS_SUPPORT_SCRIPTED_PROVIDERS_H_

#include "executors/family.h"
#include "tests/support/scripted_http_server.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// One server on loopback that plays all of them, each below a path of its own: a row of kRoutes in the source, and a
// section of the settings.
class ScriptedProviders {
 public:
  ScriptedProviders();

  // Has every family that asks a provider ask this server instead, without a key.
  void Configure(executors::CatalogOptions& options) const;

 private:
  TempDir blobs_;
  ScriptedHttpServer server_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SCRIPTED_PROVIDERS_H_
