// Finds given secrets in a text, however they are written.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_MATCHER_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_MATCHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// An Aho-Corasick automaton over each secret as it is, in the escapes of JSON and of URLs, in hex, and in both
// alphabets of base64 at each of its three alignments, so that it is found in "Basic" credentials and other longer
// texts too. A beginning of a secret that has at least half of it, and kFewestCut bytes, counts as well: texts are cut
// before they are masked. Secrets shorter than kFewestAnywhere bytes would be found in ordinary words: they count as
// they are, and only where no letter or digit is next to them; those shorter than kFewest never. Linear. Immutable,
// hence thread-safe.
class SecretMatcher {
 public:
  static constexpr size_t kFewest = 4;
  static constexpr size_t kFewestAnywhere = 8;
  static constexpr size_t kFewestCut = 12;

  explicit SecretMatcher(const std::vector<std::string>& secrets);

  // Appends the places of secrets in `text`; they may overlap.
  void Find(std::string_view text, std::vector<MaskHit>& hits) const;

 private:
  struct Node {
    uint32_t fail = 0;
    uint32_t depth = 0;
    uint32_t longest = 0;      // Length of the longest spelling that ends here, or in a node that fails lead to; or 0.
    bool long_enough = false;  // A beginning that ends here is masked.
    bool bounded = false;      // `longest` counts only with no letter or digit next to it.
  };

  void AddSecret(const std::string& secret);
  void AddSpelling(std::string_view spelling, bool bounded);
  void Connect();
  // The child that `byte` leads to, or 0.
  uint32_t ChildOf(uint32_t node, char byte) const;
  uint32_t Step(uint32_t node, char byte) const;

  std::vector<Node> nodes_;
  absl::flat_hash_map<uint64_t, uint32_t> edges_;  // By node and byte.
  std::array<uint32_t, 256> roots_{};              // Those of the root.
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_MATCHER_H_
