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
constexpr char kInsertTerm[] = "INSERT OR IGNORE INTO audit_terms (workspace, term, first_seq) VALUES (?, ?, ?)";
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
    "SELECT first_seq, last_seq, first_time, last_time, payload FROM audit_segments WHERE workspace = ? AND first_seq "
    ">= ? ORDER BY first_seq LIMIT ?";
constexpr char kSegmentsOfTime[] =
    "SELECT first_seq, payload, first_time FROM audit_segments WHERE workspace = ? AND first_seq >= ? ORDER BY "
    "first_seq";
// Of a few that follow each other: one alone may be of a call that lasted, and so of an earlier time than its
// neighbours.
constexpr char kLatestTimeFrom[] =
    "SELECT max(last_time) FROM (SELECT last_time FROM audit_segments WHERE workspace = ? AND first_seq >= ? ORDER BY "
    "first_seq LIMIT 16)";
constexpr char kIndexedSequence[] = "SELECT indexed_seq FROM audit_heads WHERE workspace = ?";
constexpr char kSetIndexedSequence[] = "UPDATE audit_heads SET indexed_seq = ? WHERE workspace = ?";
constexpr char kUnindexedSegments[] =
    "SELECT s.first_seq, s.last_seq, s.payload FROM audit_heads h JOIN audit_segments s ON s.workspace = h.workspace "
    "AND s.first_seq > h.indexed_seq WHERE h.workspace = ? ORDER BY s.first_seq";
constexpr char kUnindexedWorkspaces[] = "SELECT workspace FROM audit_heads WHERE indexed_seq < last_seq";
constexpr char kAllSegments[] =
    "SELECT first_seq, payload, first_time FROM audit_segments WHERE workspace = ? ORDER BY first_seq DESC";
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

// The index over terms ends at a sequence; the segments behind it are looked at one by one.
absl::StatusOr<bool> AuditLog::VisitNewestFirst(const AuditQuery& query, VisitSegment visit) {
  const std::vector<int64_t> terms = RequiredTerms(query);
  const int64_t before = query.before_sequence > 0 ? query.before_sequence : kLatest;
  if (terms.empty()) return Visit(query, terms, kEarliest, before, visit);
  ASSIGN_OR_RETURN(const int64_t indexed, IndexedSequence());
  ASSIGN_OR_RETURN(const bool more, Visit(query, {}, indexed, before, visit));
  if (!more) return false;
  return Visit(query, terms, kEarliest, std::min(before, indexed + 1), visit);
}

absl::StatusOr<bool> AuditLog::Visit(const AuditQuery& query, const std::vector<int64_t>& terms, int64_t after,
                                     int64_t before, VisitSegment visit) {
  std::string sql = "SELECT s.first_seq, s.payload FROM ";
  if (terms.empty()) {
    sql += "audit_segments s WHERE s.workspace = ?1 AND s.first_seq > ?2 AND s.first_seq < ?3";
  } else {
    sql +=
        "audit_terms t CROSS JOIN audit_segments s ON s.workspace = t.workspace AND s.first_seq = t.first_seq WHERE "
        "t.workspace = ?1 AND t.first_seq > ?2 AND t.first_seq < ?3 AND t.term = ?6";
    for (size_t i = 1; i < terms.size(); ++i) {
      absl::StrAppend(&sql, " AND EXISTS (SELECT 1 FROM audit_terms o WHERE o.workspace = ?1 AND o.term = ?", 6 + i,
                      " AND o.first_seq = t.first_seq)");
    }
  }
  absl::StrAppend(&sql, " AND s.last_time >= ?4 AND s.first_time < ?5 ORDER BY ", terms.empty() ? "s" : "t",
                  ".first_seq DESC");
  // A time between two microseconds also includes entries of the earlier one.
  const int64_t start = query.start ? absl::ToUnixMicros(*query.start) : kEarliest;
  const int64_t end = query.end ? absl::ToUnixMicros(*query.end) + 1 : kLatest;
  Cursor cursor = connection_.UseText(sql);
  cursor.Bind(workspace_, after, before, start, end);
  for (const int64_t term : terms) cursor.Bind(term);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return true;
    // A segment takes few steps of the virtual machine, but much work for its reader.
    RETURN_IF_ERROR(connection_.CheckCall());
    ASSIGN_OR_RETURN(const bool more, visit(cursor.Int(0), cursor.Blob(1)));
    if (!more) return false;
  }
}

absl::StatusOr<bool> AuditLog::SearchPart(AuditQuery& query, int64_t max_segments, std::vector<v1::AuditEntry>& found) {
  const AuditQuery part = query;
  const auto visit = [&](int64_t first_sequence, std::string_view payload) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(first_sequence, payload));
    for (size_t i = entries.size(); i-- > 0 && query.limit > 0;) {
      if (part.before_sequence > 0 && entries[i].sequence >= part.before_sequence) continue;
      ASSIGN_OR_RETURN(const v1::AuditEntry bare, ParseEntry(entries[i]));
      if (!MatchesAudit(part, bare)) continue;
      ASSIGN_OR_RETURN(v1::AuditEntry entry, Complete(entries, i));
      found.push_back(std::move(entry));
      --query.limit;
    }
    query.before_sequence = first_sequence;
    return query.limit > 0 && --max_segments > 0;
  };
  if (query.limit <= 0) return false;
  ASSIGN_OR_RETURN(const bool at_end, VisitNewestFirst(part, visit));
  return !at_end && query.limit > 0;
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
    ASSIGN_OR_RETURN(const int64_t near, SequenceAt(absl::ToUnixMicros(*made - kClockSkew)));
    Cursor segments = connection_.Use(kSegmentsOfTime);
    segments.Bind(workspace_, near);
    ASSIGN_OR_RETURN(std::optional<v1::AuditEntry> entry,
                     FindIn(std::move(segments), entry_id, absl::ToUnixMicros(*made + kLongestCall)));
    if (entry) return entry;
  }
  Cursor all = connection_.Use(kAllSegments);
  all.Bind(workspace_);
  return FindIn(std::move(all), entry_id, kLatest);
}

absl::StatusOr<std::optional<v1::AuditEntry>> AuditLog::FindIn(Cursor segments, std::string_view entry_id,
                                                               int64_t until_us) {
  while (true) {
    ASSIGN_OR_RETURN(const bool found, segments.Step());
    if (!found || segments.Int(2) > until_us) return std::nullopt;
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

absl::StatusOr<int64_t> AuditLog::SequenceAt(int64_t time_us) {
  ASSIGN_OR_RETURN(const ChainLink anchor, ReadAnchor());
  ASSIGN_OR_RETURN(const ChainLink head, ReadHead());
  int64_t low = anchor.sequence + 1;
  int64_t high = head.sequence + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(const bool before, IsBefore(middle, time_us));
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

absl::StatusOr<bool> AuditLog::IsBefore(int64_t sequence, int64_t time_us) {
  Cursor cursor = connection_.Use(kLatestTimeFrom);
  RETURN_IF_ERROR(cursor.Bind(workspace_, sequence).Step().status());
  return !cursor.IsNull(0) && cursor.Int(0) < time_us;
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

absl::Status AuditLog::Append(const SegmentBuilder& builder) {
  const AuditSegment& segment = builder.segment();
  {
    Cursor cursor = connection_.Use(kInsertSegment);
    cursor.Bind(workspace_, segment.first_sequence, segment.last_sequence, segment.first_time_us, segment.last_time_us)
        .BindBlob(segment.payload);
    RETURN_IF_ERROR(cursor.Run());
  }
  Cursor head = connection_.Use(kPutHead);
  return head.Bind(workspace_, builder.head().sequence).BindBlob(builder.head().hash).Run();
}

absl::StatusOr<int64_t> AuditLog::IndexedSequence() {
  Cursor cursor = connection_.Use(kIndexedSequence);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_).Step());
  return found ? cursor.Int(0) : 0;
}

absl::StatusOr<int64_t> AuditLog::IndexTerms(int64_t limit) {
  std::set<std::pair<int64_t, int64_t>> terms;  // With the segment; in the order of the index.
  int64_t count = 0;
  int64_t last = 0;
  {
    Cursor cursor = connection_.Use(kUnindexedSegments);
    cursor.Bind(workspace_);
    while (count < limit) {
      ASSIGN_OR_RETURN(const bool found, cursor.Step());
      if (!found) break;
      const int64_t first = cursor.Int(0);
      last = cursor.Int(1);
      ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(first, cursor.Blob(2)));
      for (const StoredAuditEntry& entry : entries) {
        ASSIGN_OR_RETURN(const v1::AuditEntry parsed, ParseEntry(entry));
        for (const int64_t term : TermsOf(parsed)) terms.emplace(term, first);
      }
      count += static_cast<int64_t>(entries.size());
    }
  }
  for (const auto& [term, first] : terms) {
    RETURN_IF_ERROR(connection_.Use(kInsertTerm).Bind(workspace_, term, first).Run());
  }
  if (count > 0) RETURN_IF_ERROR(connection_.Use(kSetIndexedSequence).Bind(last, workspace_).Run());
  return count;
}

absl::StatusOr<std::vector<int64_t>> AuditLog::ListUnindexed(Connection& connection) {
  std::vector<int64_t> workspaces;
  Cursor cursor = connection.Use(kUnindexedWorkspaces);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return workspaces;
    workspaces.push_back(cursor.Int(0));
  }
}

absl::StatusOr<std::optional<ChainReport>> AuditLog::VerifyPart(Verification& state, int64_t max_segments) {
  ASSIGN_OR_RETURN(ChainLink anchor, ReadAnchor());
  ASSIGN_OR_RETURN(ChainLink head, ReadHead());
  // Retention may remove the part that is verified next; the rest then begins at the new anchor.
  if (!state.verifier.has_value() || anchor.sequence >= state.next) {
    state.verified = false;
    state.next = anchor.sequence + 1;
    state.last = head.sequence;
    state.verifier.emplace(std::move(anchor), head);
  }
  // Entries behind the end are later ones, unless there are none: then they are a fault.
  const int64_t end = head.sequence > state.last ? state.last : kLatest;
  bool more = false;
  {
    // From the beginning in the first part: segments before the anchor are a fault.
    Cursor cursor = connection_.Use(kSegmentsAscending);
    cursor.Bind(workspace_, state.verified ? state.next : kEarliest, kLatest);
    for (int64_t i = 0; i < max_segments; ++i) {
      ASSIGN_OR_RETURN(const bool found, cursor.Step());
      more = found && cursor.Int(0) <= end;
      if (!more) break;
      RETURN_IF_ERROR(connection_.CheckCall());
      const AuditSegment segment{cursor.Int(0), cursor.Int(1), cursor.Int(2), cursor.Int(3),
                                 std::string(cursor.Blob(4))};
      more = state.verifier->Add(segment);
      if (!more) break;
      state.next = segment.last_sequence + 1;
      state.verified = true;
    }
  }
  if (more) return std::nullopt;
  absl::Status status;
  ChainReport report = state.verifier->Finish([&](const std::function<void(std::string_view)>& take) {
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
    for (const int64_t term : TermsOf(entry)) terms.insert(term);
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
    cursor.Bind(workspace_, kEarliest, limit);
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
