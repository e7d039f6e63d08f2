#include "security/identity/jose/algorithm.h"

#include <array>

namespace toolgate::security::identity::jose {
namespace {

// In the order of Algorithm.
constexpr std::array<AlgorithmTraits, kAlgorithms> kTraits = {{
    {"HS256", Family::kHmac, 32, "SHA256", nullptr, 32},
    {"HS384", Family::kHmac, 48, "SHA384", nullptr, 48},
    {"HS512", Family::kHmac, 64, "SHA512", nullptr, 64},
    {"RS256", Family::kRsaPkcs1, 32, "SHA256", nullptr, 0},
    {"RS384", Family::kRsaPkcs1, 48, "SHA384", nullptr, 0},
    {"RS512", Family::kRsaPkcs1, 64, "SHA512", nullptr, 0},
    {"PS256", Family::kRsaPss, 32, "SHA256", nullptr, 0},
    {"PS384", Family::kRsaPss, 48, "SHA384", nullptr, 0},
    {"PS512", Family::kRsaPss, 64, "SHA512", nullptr, 0},
    {"ES256", Family::kEcdsa, 32, "SHA256", "P-256", 64},
    {"ES384", Family::kEcdsa, 48, "SHA384", "P-384", 96},
    {"ES512", Family::kEcdsa, 64, "SHA512", "P-521", 132},
    {"EdDSA", Family::kEdDsa, 0, nullptr, nullptr, 64},
}};

AlgorithmSet Where(bool symmetric) {
  AlgorithmSet set;
  for (size_t i = 0; i < kAlgorithms; ++i) set.set(i, (kTraits[i].family == Family::kHmac) == symmetric);
  return set;
}

}  // namespace

const AlgorithmTraits& TraitsOf(Algorithm algorithm) { return kTraits[static_cast<size_t>(algorithm)]; }

std::optional<Algorithm> AlgorithmFromName(std::string_view name) {
  for (size_t i = 0; i < kAlgorithms; ++i) {
    if (kTraits[i].name == name) return static_cast<Algorithm>(i);
  }
  return std::nullopt;
}

AlgorithmSet AllAlgorithms() { return AlgorithmSet().set(); }

AlgorithmSet AsymmetricAlgorithms() { return Where(/*symmetric=*/false); }

AlgorithmSet SymmetricAlgorithms() { return Where(/*symmetric=*/true); }

}  // namespace toolgate::security::identity::jose
