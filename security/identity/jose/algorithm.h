// The signature algorithms of RFC 7518 section 3 and RFC 8037.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_ALGORITHM_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_ALGORITHM_H_

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace toolgate::security::identity::jose {

// "none" is not among them, so that nothing can ask for it.
enum class Algorithm {
  kHs256,
  kHs384,
  kHs512,
  kRs256,
  kRs384,
  kRs512,
  kPs256,
  kPs384,
  kPs512,
  kEs256,
  kEs384,
  kEs512,
  kEdDsa,  // With Ed25519.
};
inline constexpr size_t kAlgorithms = 13;

enum class Family { kHmac, kRsaPkcs1, kRsaPss, kEcdsa, kEdDsa };

struct AlgorithmTraits {
  std::string_view name;  // On the wire.
  Family family;
  size_t hash_bytes;       // 0: the algorithm brings its own hash.
  const char* hash;        // OpenSSL's name, or null.
  const char* curve;       // OpenSSL's name of the group, for ECDSA.
  size_t signature_bytes;  // 0: as long as the key's modulus.
};

const AlgorithmTraits& TraitsOf(Algorithm algorithm);
// Exact and case-sensitive, as in RFC 7515 section 4.1.1.
std::optional<Algorithm> AlgorithmFromName(std::string_view name);

// By Algorithm.
using AlgorithmSet = std::bitset<kAlgorithms>;
AlgorithmSet AllAlgorithms();
// Algorithms whose verifier cannot sign.
AlgorithmSet AsymmetricAlgorithms();
AlgorithmSet SymmetricAlgorithms();

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_ALGORITHM_H_
