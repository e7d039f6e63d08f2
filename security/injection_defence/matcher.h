// Finds every literal of a rule set in one pass over a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "security/injection_defence/rule_set.h"

struct hs_database;

namespace toolgate::security::injection_defence {

// A literal that was seen: bytes [start, end) of the text.
struct LiteralMatch {
  uint32_t literal;
  uint32_t start;
  uint32_t end;
};

// A Hyperscan database over the literals. Matching is linear in the text, whatever the text is. Thread-safe; each
// thread keeps its own scratch space.
class Matcher {
 public:
  // `serialized` is what Serialize made of the same rules, at build time; when it is empty, or made for another kind of
  // processor, the literals are compiled here, which takes tens of milliseconds. INTERNAL when that fails.
  static absl::StatusOr<std::unique_ptr<Matcher>> Create(const RuleSet& rules, std::string_view serialized);

  // A form of the compiled database that loads in well under a millisecond on any processor of this architecture.
  static absl::StatusOr<std::string> Serialize(const RuleSet& rules);

  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  // Replaces `matches` by all occurrences in `text` (at most 4 GiB), ordered by end. ASCII case is ignored. Conditions
  // on boundaries are for the caller to check.
  // False when the thread has no memory for scratch space: then nothing is known about the text.
  [[nodiscard]] bool Scan(std::string_view text, std::vector<LiteralMatch>& matches) const;

 private:
  Matcher(hs_database* database, std::vector<uint32_t> lengths);

  hs_database* const database_;
  const std::vector<uint32_t> lengths_;
  const uint64_t serial_;  // Tells which matcher a thread's scratch space was last fitted to.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
