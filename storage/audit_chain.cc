#include "storage/audit_chain.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/ids.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {
namespace {

constexpr size_t kLengthSize = 4;

// Kind of a term, so that a user and a tool of the same name differ.
enum class TermKind : uint8_t { kUser = 1, kTool, kConversation, kRequest, kBlock };

// FNV-1a: stable across versions and machines, because it is stored. A collision costs an unnecessary read, never a
// wrong answer.
uint64_t Hash(TermKind kind, std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211u; };
  mix(static_cast<unsigned char>(kind));
  for (const char c : text) mix(static_cast<unsigned char>(c));
  return hash;
}

// Our ids begin with their time, and so do their terms: new ones then go to the end of the index together, and few of
// its pages are touched. All other terms are spread by their hash, below the ids.
int64_t Term(TermKind kind, std::string_view text) {
  constexpr int kHashBits = 15;
  const uint64_t hash = Hash(kind, text);
  const std::optional<absl::Time> time = TimeOfId(text);
  if (!time) return -static_cast<int64_t>(hash >> 1) - 1;
  const uint64_t millis = static_cast<uint64_t>(absl::ToUnixMillis(*time)) & ((uint64_t{1} << 48) - 1);
  return static_cast<int64_t>((millis << kHashBits) | (hash & ((1 << kHashBits) - 1)));
}

void AddTerm(TermKind kind, const std::string& text, std::vector<int64_t>& terms) {
  if (!text.empty()) terms.push_back(Term(kind, text));
}

bool ContainsFolded(const std::string& text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return absl::ascii_tolower(a) == absl::ascii_tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool HasText(const v1::AuditEntry& entry, std::string_view text) {
  return ContainsFolded(entry.params_json(), text) || ContainsFolded(entry.tool_id(), text) ||
         ContainsFolded(entry.tool_name(), text) || ContainsFolded(entry.user_name(), text) ||
         ContainsFolded(entry.error().message(), text);
}

bool HasFinding(const v1::AuditEntry& entry, const std::string& wanted) {
  const auto& findings = entry.injection_findings();
  return std::any_of(findings.begin(), findings.end(), [&](const v1::InjectionFinding& finding) {
    return finding.rule_id() == wanted || finding.family() == wanted;
  });
}

}  // namespace

std::string ChainedHash(std::string_view previous_hash, std::string_view bytes) {
  std::string hashed;
  hashed.reserve(previous_hash.size() + bytes.size());
  hashed.append(previous_hash).append(bytes);
  std::string hash(kHashSize, '\0');
  // Looked up once: by its name, as SHA256() looks it up each time, that costs as much as hashing a short entry.
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_Digest(hashed.data(), hashed.size(), reinterpret_cast<unsigned char*>(hash.data()), nullptr, kSha256, nullptr);
  return hash;
}

absl::StatusOr<PackedAuditEntry> PackAuditEntry(const v1::AuditEntry& entry) {
  PackedAuditEntry packed;
  packed.workspace_id = entry.workspace_id();
  if (entry.sequence() != 0 || !entry.entry_hash().empty() || !entry.previous_hash().empty()) {
    v1::AuditEntry bare = entry;
    bare.clear_sequence();
    bare.clear_entry_hash();
    bare.clear_previous_hash();
    ASSIGN_OR_RETURN(packed.bytes, SerializeProto(bare));
  } else {
    ASSIGN_OR_RETURN(packed.bytes, SerializeProto(entry));
  }
  packed.time_us = absl::ToUnixMicros(FromProtoTime(entry.timestamp()));
  return packed;
}

std::vector<int64_t> TermsOf(const v1::AuditEntry& entry) {
  std::vector<int64_t> terms;
  AddTerm(TermKind::kUser, entry.user_id(), terms);
  AddTerm(TermKind::kTool, entry.tool_id(), terms);
  AddTerm(TermKind::kConversation, entry.conversation_id(), terms);
  AddTerm(TermKind::kRequest, entry.request_id(), terms);
  for (const std::string& id : entry.affected_block_ids()) AddTerm(TermKind::kBlock, id, terms);
  return terms;
}

SegmentBuilder::SegmentBuilder(ChainLink head) : head_(std::move(head)) {
  segment_.first_sequence = head_.sequence + 1;
}

void SegmentBuilder::Add(const PackedAuditEntry& entry) {
  head_.hash = ChainedHash(head_.hash, entry.bytes);
  segment_.last_sequence = ++head_.sequence;
  const uint32_t length = static_cast<uint32_t>(entry.bytes.size());
  for (int shift = 0; shift < 32; shift += 8) segment_.payload += static_cast<char>(length >> shift);
  segment_.payload += entry.bytes;
  segment_.payload += head_.hash;
  segment_.first_time_us = size_ == 0 ? entry.time_us : std::min(segment_.first_time_us, entry.time_us);
  segment_.last_time_us = size_ == 0 ? entry.time_us : std::max(segment_.last_time_us, entry.time_us);
  ++size_;
}

absl::StatusOr<std::vector<StoredAuditEntry>> ReadSegment(int64_t first_sequence, std::string_view payload) {
  std::vector<StoredAuditEntry> entries;
  while (!payload.empty()) {
    if (payload.size() < kLengthSize) return absl::DataLossError("an audit segment ends inside an entry");
    size_t length = 0;
    for (size_t i = 0; i < kLengthSize; ++i) length |= size_t{static_cast<unsigned char>(payload[i])} << (8 * i);
    payload.remove_prefix(kLengthSize);
    if (payload.size() < length + kHashSize) return absl::DataLossError("an audit segment ends inside an entry");
    entries.push_back({first_sequence++, payload.substr(0, length), payload.substr(length, kHashSize)});
    payload.remove_prefix(length + kHashSize);
  }
  return entries;
}

std::vector<int64_t> RequiredTerms(const AuditQuery& query) {
  std::vector<int64_t> terms;
  AddTerm(TermKind::kBlock, query.block_id, terms);
  AddTerm(TermKind::kRequest, query.request_id, terms);
  AddTerm(TermKind::kConversation, query.conversation_id, terms);
  AddTerm(TermKind::kUser, query.user_id, terms);
  AddTerm(TermKind::kTool, query.tool_id, terms);
  return terms;
}

bool MatchesAudit(const AuditQuery& query, const v1::AuditEntry& entry) {
  const auto& blocks = entry.affected_block_ids();
  const absl::Time time = FromProtoTime(entry.timestamp());
  return (query.user_id.empty() || query.user_id == entry.user_id()) &&
         (query.tool_id.empty() || query.tool_id == entry.tool_id()) &&
         (query.conversation_id.empty() || query.conversation_id == entry.conversation_id()) &&
         (query.request_id.empty() || query.request_id == entry.request_id()) &&
         (query.block_id.empty() || std::find(blocks.begin(), blocks.end(), query.block_id) != blocks.end()) &&
         (!query.ai_actions_only || !entry.ai_model().empty()) &&
         (!query.with_findings || entry.injection_findings_size() > 0) &&
         (query.finding.empty() || HasFinding(entry, query.finding)) &&
         (!query.success || *query.success == entry.success()) && (!query.start || time >= *query.start) &&
         (!query.end || time < *query.end) && (query.text.empty() || HasText(entry, query.text));
}

ChainVerifier::ChainVerifier(ChainLink anchor, ChainLink head)
    : anchor_(std::move(anchor)), head_(std::move(head)), last_(anchor_) {
  report_.first_sequence = anchor_.sequence + 1;
}

void ChainVerifier::Break(int64_t sequence, std::string_view problem) {
  report_.valid = false;
  report_.broken_sequence = sequence;
  report_.problem = problem;
}

bool ChainVerifier::CheckEntry(const StoredAuditEntry& entry) {
  if (ChainedHash(last_.hash, entry.bytes) != entry.hash) {
    suspect_bytes_ = entry.bytes;
    suspect_hash_ = entry.hash;
    Break(entry.sequence, "altered");
    return false;
  }
  last_ = {entry.sequence, std::string(entry.hash)};
  ++report_.entries_checked;
  return true;
}

bool ChainVerifier::Add(const AuditSegment& segment) {
  if (!report_.valid) return false;
  const int64_t expected = last_.sequence + 1;
  if (segment.first_sequence != expected) {
    Break(expected, segment.first_sequence > expected ? "missing" : "reordered");
    return false;
  }
  const absl::StatusOr<std::vector<StoredAuditEntry>> entries = ReadSegment(expected, segment.payload);
  if (!entries.ok()) {
    Break(expected, "altered");
    return false;
  }
  for (const StoredAuditEntry& entry : *entries) {
    if (!CheckEntry(entry)) return false;
  }
  if (last_.sequence != segment.last_sequence) {
    Break(last_.sequence + 1, last_.sequence < segment.last_sequence ? "missing" : "altered");
    return false;
  }
  return true;
}

ChainReport ChainVerifier::Finish(const VisitHashes& hashes) {
  if (report_.valid && last_.sequence < head_.sequence) Break(last_.sequence + 1, "truncated");
  if (report_.valid && (last_.sequence > head_.sequence || last_.hash != head_.hash)) {
    Break(head_.sequence + 1, "altered");
  }
  if (suspect_bytes_) {
    // Its hash follows from another entry's: the entry is genuine, but in the wrong place.
    hashes([&](std::string_view hash) {
      if (hash != last_.hash && ChainedHash(hash, *suspect_bytes_) == suspect_hash_) report_.problem = "reordered";
    });
  }
  report_.last_sequence = last_.sequence;
  report_.head_hash = last_.hash;
  return std::move(report_);
}

}  // namespace toolgate::storage
