// Parses and expands any text as a template of arguments: never crashes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/load/profile/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace toolgate::cli::load;  // NOLINT(google-build-using-namespace): one function.
  if (size > 4096) return 0;
  const auto parsed = profile::Template::Parse({reinterpret_cast<const char*>(data), size},
                                               [](std::string_view) { return absl::StatusOr<size_t>(size_t{0}); });
  if (!parsed.ok()) return 0;
  schedule::Random random(1);
  profile::Pools pools(1);
  pools.Add(0, "id \"1\"\\", random);
  pools.Add(0, "id2", random);
  std::string text;
  static_cast<void>(parsed->Expand({random, pools, 1, "run", "workspace", "user", absl::CivilDay(2026, 3, 2)}, text));
  return 0;
}
