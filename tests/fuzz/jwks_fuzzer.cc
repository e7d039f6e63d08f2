// Key sets come from the network: reading one must not crash, and every accepted set must be usable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "security/identity/jose/key_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace toolgate::security::identity::jose;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool allow_secrets : {false, true}) {
    const auto set = KeySet::Parse(text, {.allow_secrets = allow_secrets});
    if (!set.ok()) continue;
    if (set->keys().empty()) std::abort();
    for (const VerificationKey& key : set->keys()) {
      if (key.algorithms().none()) std::abort();
      for (size_t i = 0; i < kAlgorithms; ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        if (!allow_secrets && key.Supports(algorithm) && TraitsOf(algorithm).family == Family::kHmac) std::abort();
        const size_t bytes = TraitsOf(algorithm).signature_bytes;
        if (key.Verify(algorithm, "message", std::string(bytes == 0 ? 256 : bytes, '\x01'))) std::abort();
      }
    }
  }
  return 0;
}
