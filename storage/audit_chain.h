// The audit log's chain: how entries are packed into segments, hashed, and checked.
//
// A segment holds the entries of one workspace that were committed together. Each entry is kept as a 4-byte
// little-endian length, the serialised toolgate.v1.AuditEntry without its sequence and hashes, and its hash:
// SHA-256(previous hash || bytes). The first entry's previous hash is 32 zero bytes.
#ifndef TOOLGATE_STORAGE_AUDIT_CHAIN_H_
#define TOOLGATE_STORAGE_AUDIT_CHAIN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/query.h"
#include "storage/records.h"

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::storage {

inline constexpr size_t kHashSize = 32;

// A place in a chain: the sequence and the hash of the entry there. The default is the place before the first entry.
struct ChainLink {
  int64_t sequence = 0;
  std::string hash = std::string(kHashSize, '\0');
};

std::string ChainedHash(std::string_view previous_hash, std::string_view bytes);

// One commit's entries of one workspace.
struct AuditSegment {
  int64_t first_sequence = 0;
  int64_t last_sequence = 0;
  int64_t first_time_us = 0;  // The earliest and the latest time of an entry.
  int64_t last_time_us = 0;
  std::string payload;
};

// An entry ready to be chained: created once, outside of the write path if possible.
struct PackedAuditEntry {
  std::string workspace_id;
  std::string bytes;
  int64_t time_us = 0;
};
absl::StatusOr<PackedAuditEntry> PackAuditEntry(const v1::AuditEntry& entry);
// Search terms: hashes of user, tool, conversation, request and blocks.
std::vector<int64_t> TermsOf(const v1::AuditEntry& entry);

// Collects entries behind `head`.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(ChainLink head);
  void Add(const PackedAuditEntry& entry);
  const AuditSegment& segment() const { return segment_; }
  const ChainLink& head() const { return head_; }
  size_t size() const { return size_; }

 private:
  ChainLink head_;
  AuditSegment segment_;
  size_t size_ = 0;
};

// One entry inside a segment's payload, borrowed from it.
struct StoredAuditEntry {
  int64_t sequence = 0;
  std::string_view bytes;
  std::string_view hash;
};

// DATA_LOSS if the payload is not a whole number of entries.
absl::StatusOr<std::vector<StoredAuditEntry>> ReadSegment(int64_t first_sequence, std::string_view payload);

// Terms all of which an entry must have to satisfy the query; empty if only reading every entry will do.
std::vector<int64_t> RequiredTerms(const AuditQuery& query);
bool MatchesAudit(const AuditQuery& query, const v1::AuditEntry& entry);

// Recomputes a chain, one segment after the other in ascending order of their first sequence.
class ChainVerifier {
 public:
  // `anchor`: the last entry that retention removed. `head`: the last entry ever written.
  ChainVerifier(ChainLink anchor, ChainLink head);

  // False once the chain is broken; further segments are not needed then.
  bool Add(const AuditSegment& segment);

  // `hashes`: calls back with every stored entry hash of the workspace, to distinguish a moved entry from a changed
  // one. Called only if the chain is broken.
  using VisitHashes = std::function<void(const std::function<void(std::string_view)>&)>;
  ChainReport Finish(const VisitHashes& hashes);

 private:
  void Break(int64_t sequence, std::string_view problem);
  bool CheckEntry(const StoredAuditEntry& entry);

  const ChainLink anchor_;
  const ChainLink head_;
  ChainLink last_;
  ChainReport report_;
  // The first entry whose hash does not match its place, and the place that it claims.
  std::optional<std::string> suspect_bytes_;
  std::string suspect_hash_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_AUDIT_CHAIN_H_
