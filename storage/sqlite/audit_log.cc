#include "storage/sqlite/audit_log.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/ids.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min();
constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();

constexpr char kInsertSegment[] =
    "INSERT INTO audit_segments (workspace, first_seq, last_seq, first_time, last_time, payload) VALUES (?,?,?,?,?,?)";
constexpr char kInsertTerm[] = "INSERT INTO audit_terms (workspace, term, first_seq) VALUES (?, ?, ?)";
constexpr char kPutHead[] =
    "INSERT INTO audit_heads (workspace, last_seq, last_hash, anchor_seq, anchor_hash) VALUES (?, ?, ?, 0, "
    "zeroblob(32)) ON CONFLICT (workspace) DO UPDATE SET last_seq = excluded.last_seq, last_hash = excluded.last_hash";
constexpr char kReadHead[] = "SELECT last_seq, last_hash FROM audit_heads WHERE workspace = ?";
constexpr char kReadAnchor[] = "SELECT anchor_seq, anchor_hash FROM audit_heads WHERE workspace = ?";
constexpr char kSetAnchor[] = "UPDATE audit_heads SET anchor_seq = ?, anchor_hash = ? WHERE workspace = ?";
constexpr char kSegmentBefore[] =
    "SELECT last_seq, payload FROM audit_segments WHERE workspace = ? AND first_seq < ? ORDER BY first_seq DESC LIMIT "
    "1";
constexpr char kSegmentsAscending[] =
    "SELECT first_seq, last_seq, first_time, last_time, payload FROM audit_segments WHERE workspace = ? ORDER BY "
    "first_seq LIMIT ?";
constexpr char kSegmentsNearTime[] =
    "SELECT first_seq, payload FROM audit_segments WHERE workspace = ? AND last_time >= ? AND last_time < ? ORDER BY "
    "last_time";
constexpr char kAllSegments[] =
    "SELECT first_seq, payload FROM audit_segments WHERE workspace = ? ORDER BY first_seq DESC";
constexpr char kDeleteSegment[] = "DELETE FROM audit_segments WHERE workspace = ? AND first_seq = ?";
constexpr char kDeleteTerm[] = "DELETE FROM audit_terms WHERE workspace = ? AND term = ? AND first_seq = ?";

// An entry is written when its call ends, and its id was created when the call began.
constexpr absl::Duration kClockSkew = absl::Seconds(5);
constexpr absl::Duration kLongestCall = absl::Minutes(15);

absl::StatusOr<v1::AuditEntry> ParseEntry(const StoredAuditEntry& stored) {
  v1::AuditEntry entry;
  if (!ParseProto(stored.bytes, entry).ok()) {
    return absl::DataLossError(absl::StrCat("the stored audit entry ", stored.sequence, " cannot be read"));
  }
  return entry;
}

}  // namespace

absl::Status AuditLog::VisitNewestFirst(const AuditQuery& query, VisitSegment visit) {
  const std::vector<int64_t> terms = RequiredTerms(query);
  std::string sql = "SELECT s.first_seq, s.payload FROM ";
  if (terms.empty()) {
    sql += "audit_segments s WHERE s.workspace = ?1 AND s.first_seq < ?2";
  } else {
    sql +=
        "audit_terms t CROSS JOIN audit_segments s ON s.workspace = t.workspace AND s.first_seq = t.first_seq WHERE "
        "t.workspace = ?1 AND t.first_seq < ?2 AND t.term = ?5";
    for (size_t i = 1; i < terms.size(); ++i) {
      absl::StrAppend(&sql, " AND EXISTS (SELECT 1 FROM audit_terms o WHERE o.workspace = ?1 AND o.term = ?", 5 + i,
                      " AND o.first_seq = t.first_seq)");
    }
  }
  absl::StrAppend(&sql, " AND s.last_time >= ?3 AND s.first_time < ?4 ORDER BY ", terms.empty() ? "s" : "t",
                  ".first_seq DESC");
  // A time between two microseconds also includes entries of the earlier one.
  const int64_t start = query.start ? absl::ToUnixMicros(*query.start) : kEarliest;
  const int64_t end = query.end ? absl::ToUnixMicros(*query.end) + 1 : kLatest;
  Cursor cursor = connection_.UseText(sql);
  cursor.Bind(workspace_, query.before_sequence > 0 ? query.before_sequence : kLatest, start, end);
  for (const int64_t term : terms) cursor.Bind(term);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    // A segment takes few steps of the virtual machine, but much work for its reader.
    RETURN_IF_ERROR(connection_.CheckCall());
    ASSIGN_OR_RETURN(const bool more, visit(cursor.Int(0), cursor.Blob(1)));
    if (!more) return absl::OkStatus();
  }
}

absl::StatusOr<std::vector<v1::AuditEntry>> AuditLog::Search(const AuditQuery& query) {
  std::vector<v1::AuditEntry> found;
  if (query.limit <= 0) return found;
  const auto visit = [&](int64_t first_sequence, std::string_view payload) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(first_sequence, payload));
    for (size_t i = entries.size(); i-- > 0;) {
      if (query.before_sequence > 0 && entries[i].sequence >= query.before_sequence) continue;
      ASSIGN_OR_RETURN(const v1::AuditEntry bare, ParseEntry(entries[i]));
      if (!MatchesAudit(query, bare)) continue;
      ASSIGN_OR_RETURN(v1::AuditEntry entry, Complete(entries, i));
      found.push_back(std::move(entry));
      if (static_cast<int64_t>(found.size()) == query.limit) return false;
    }
    return true;
  };
  RETURN_IF_ERROR(VisitNewestFirst(query, visit));
  return found;
}

absl::StatusOr<v1::AuditEntry> AuditLog::Complete(const std::vector<StoredAuditEntry>& entries, size_t index) {
  ASSIGN_OR_RETURN(v1::AuditEntry entry, ParseEntry(entries[index]));
  entry.set_sequence(entries[index].sequence);
  entry.set_entry_hash(std::string(entries[index].hash));
  if (index > 0) {
    entry.set_previous_hash(std::string(entries[index - 1].hash));
  } else {
    ASSIGN_OR_RETURN(*entry.mutable_previous_hash(), PreviousHash(entries[0].sequence));
  }
  return entry;
}

absl::StatusOr<std::string> AuditLog::PreviousHash(int64_t first_sequence) {
  Cursor cursor = connection_.Use(kSegmentBefore);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, first_sequence).Step());
  const std::string_view payload = found ? cursor.Blob(1) : std::string_view();
  if (found && cursor.Int(0) == first_sequence - 1 && payload.size() >= kHashSize) {
    return std::string(payload.substr(payload.size() - kHashSize));
  }
  ASSIGN_OR_RETURN(const ChainLink anchor, ReadAnchor());
  return anchor.hash;
}

absl::StatusOr<std::optional<v1::AuditEntry>> AuditLog::Find(std::string_view entry_id) {
  const std::optional<absl::Time> made = TimeOfId(entry_id);
  if (made) {
    Cursor near = connection_.Use(kSegmentsNearTime);
    near.Bind(workspace_, absl::ToUnixMicros(*made - kClockSkew), absl::ToUnixMicros(*made + kLongestCall));
    ASSIGN_OR_RETURN(std::optional<v1::AuditEntry> entry, FindIn(std::move(near), entry_id));
    if (entry) return entry;
  }
  Cursor all = connection_.Use(kAllSegments);
  all.Bind(workspace_);
  return FindIn(std::move(all), entry_id);
}

absl::StatusOr<std::optional<v1::AuditEntry>> AuditLog::FindIn(Cursor segments, std::string_view entry_id) {
  while (true) {
    ASSIGN_OR_RETURN(const bool found, segments.Step());
    if (!found) return std::nullopt;
    RETURN_IF_ERROR(connection_.CheckCall());
    const std::string_view payload = segments.Blob(1);
    if (payload.find(entry_id) == std::string_view::npos) continue;
    ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(segments.Int(0), payload));
    for (size_t i = 0; i < entries.size(); ++i) {
      ASSIGN_OR_RETURN(const v1::AuditEntry entry, ParseEntry(entries[i]));
      if (entry.id() == entry_id) return Complete(entries, i);
    }
  }
}

absl::StatusOr<ChainLink> AuditLog::ReadHead() {
  Cursor cursor = connection_.Use(kReadHead);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_).Step());
  if (!found) return ChainLink();
  return ChainLink{cursor.Int(0), std::string(cursor.Blob(1))};
}

absl::StatusOr<ChainLink> AuditLog::ReadAnchor() {
  Cursor cursor = connection_.Use(kReadAnchor);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_).Step());
  if (!found) return ChainLink();
  return ChainLink{cursor.Int(0), std::string(cursor.Blob(1))};
}

absl::Status AuditLog::Append(SegmentBuilder& builder) {
  const AuditSegment& segment = builder.segment();
  {
    Cursor cursor = connection_.Use(kInsertSegment);
    cursor.Bind(workspace_, segment.first_sequence, segment.last_sequence, segment.first_time_us, segment.last_time_us)
        .BindBlob(segment.payload);
    RETURN_IF_ERROR(cursor.Run());
  }
  for (const int64_t term : builder.TakeTerms()) {
    RETURN_IF_ERROR(connection_.Use(kInsertTerm).Bind(workspace_, term, segment.first_sequence).Run());
  }
  Cursor head = connection_.Use(kPutHead);
  return head.Bind(workspace_, builder.head().sequence).BindBlob(builder.head().hash).Run();
}

absl::StatusOr<ChainReport> AuditLog::Verify() {
  ASSIGN_OR_RETURN(ChainLink anchor, ReadAnchor());
  ASSIGN_OR_RETURN(ChainLink head, ReadHead());
  ChainVerifier verifier(std::move(anchor), std::move(head));
  {
    Cursor cursor = connection_.Use(kSegmentsAscending);
    cursor.Bind(workspace_, kLatest);
    while (true) {
      ASSIGN_OR_RETURN(const bool found, cursor.Step());
      if (!found) break;
      RETURN_IF_ERROR(connection_.CheckCall());
      const AuditSegment segment{cursor.Int(0), cursor.Int(1), cursor.Int(2), cursor.Int(3),
                                 std::string(cursor.Blob(4))};
      if (!verifier.Add(segment)) break;
    }
  }
  absl::Status status;
  ChainReport report = verifier.Finish([&](const std::function<void(std::string_view)>& take) {
    Cursor cursor = connection_.Use(kAllSegments);
    cursor.Bind(workspace_);
    while (true) {
      const absl::StatusOr<bool> found = cursor.Step();
      status = found.ok() ? connection_.CheckCall() : found.status();
      if (!status.ok() || !*found) return;
      const auto entries = ReadSegment(cursor.Int(0), cursor.Blob(1));
      if (!entries.ok()) continue;
      for (const StoredAuditEntry& entry : *entries) take(entry.hash);
    }
  });
  RETURN_IF_ERROR(status);
  return report;
}

absl::Status AuditLog::ForgetSegment(const AuditSegment& segment) {
  ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(segment.first_sequence, segment.payload));
  std::set<int64_t> terms;
  for (const StoredAuditEntry& stored : entries) {
    ASSIGN_OR_RETURN(const v1::AuditEntry entry, ParseEntry(stored));
    ASSIGN_OR_RETURN(const PackedAuditEntry packed, PackAuditEntry(entry));
    terms.insert(packed.terms.begin(), packed.terms.end());
  }
  for (const int64_t term : terms) {
    RETURN_IF_ERROR(connection_.Use(kDeleteTerm).Bind(workspace_, term, segment.first_sequence).Run());
  }
  RETURN_IF_ERROR(connection_.Use(kDeleteSegment).Bind(workspace_, segment.first_sequence).Run());
  return connection_.Use(kSetAnchor)
      .Bind(segment.last_sequence)
      .BindBlob(entries.empty() ? std::string_view() : entries.back().hash)
      .Bind(workspace_)
      .Run();
}

absl::StatusOr<int64_t> AuditLog::Trim(int64_t before_us, int64_t limit) {
  std::vector<AuditSegment> oldest;
  int64_t gone = 0;
  {
    Cursor cursor = connection_.Use(kSegmentsAscending);
    cursor.Bind(workspace_, limit);
    while (gone < limit) {
      ASSIGN_OR_RETURN(const bool found, cursor.Step());
      if (!found || cursor.Int(3) >= before_us) break;
      oldest.push_back({cursor.Int(0), cursor.Int(1), cursor.Int(2), cursor.Int(3), std::string(cursor.Blob(4))});
      gone += oldest.back().last_sequence - oldest.back().first_sequence + 1;
    }
  }
  for (const AuditSegment& segment : oldest) RETURN_IF_ERROR(ForgetSegment(segment));
  return gone;
}

}  // namespace toolgate::storage::sqlite
