#include "security/identity/jose/key_set.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::security::identity::jose {
namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMembersPerKey = 64;

}  // namespace

absl::StatusOr<KeySet> KeySet::Parse(std::string_view text, const Options& options) {
  const size_t members = (options.max_keys + 1) * kMembersPerKey;
  ASSIGN_OR_RETURN(const Json set, ParseJson(text, {.max_bytes = options.max_bytes,
                                                    .max_depth = kMaxDepth,
                                                    .max_keys = members,
                                                    .max_values = members * 2}));
  return FromJson(set, options);
}

absl::StatusOr<KeySet> KeySet::FromJson(const Json& set, const Options& options) {
  const auto rows = set.is_object() ? set.find("keys") : set.end();
  if (!set.is_object() || rows == set.end() || !rows->is_array()) {
    return absl::InvalidArgumentError("a key set must be an object with an array \"keys\"");
  }
  if (rows->size() > options.max_keys) {
    return absl::InvalidArgumentError(absl::StrCat("a key set may hold ", options.max_keys, " keys at most"));
  }
  KeySet keys;
  for (size_t i = 0; i < rows->size(); ++i) {
    const Json& row = (*rows)[i];
    if (!options.allow_secrets && VerificationKey::HasPrivatePart(row)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "keys[", i, "] is a secret or has a private part; publish public keys only, and replace this key"));
    }
    absl::StatusOr<VerificationKey> key = VerificationKey::FromJwk(row);
    if (key.ok()) {
      keys.keys_.push_back(*std::move(key));
    } else {
      keys.skipped_.push_back(absl::StrCat("keys[", i, "]: ", key.status().message()));
    }
  }
  if (!keys.keys_.empty()) return keys;
  return absl::InvalidArgumentError(absl::StrCat("the key set holds no usable key", keys.skipped_.empty() ? "" : "; ",
                                                 keys.skipped_.empty() ? std::string() : keys.skipped_.front()));
}

KeySet KeySet::Of(VerificationKey key) {
  KeySet set;
  set.keys_.push_back(std::move(key));
  return set;
}

std::vector<const VerificationKey*> KeySet::Candidates(Algorithm algorithm, std::string_view key_id) const {
  std::vector<const VerificationKey*> candidates;
  for (const VerificationKey& key : keys_) {
    const bool named = key_id.empty() || key.id().empty() || key.id() == key_id;
    if (named && key.Supports(algorithm)) candidates.push_back(&key);
  }
  return candidates;
}

bool KeySet::Knows(std::string_view key_id) const {
  return key_id.empty() || std::any_of(keys_.begin(), keys_.end(), [&](const VerificationKey& key) {
           return key.id().empty() || key.id() == key_id;
         });
}

}  // namespace toolgate::security::identity::jose
