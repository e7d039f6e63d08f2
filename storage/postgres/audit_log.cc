#include "storage/postgres/audit_log.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::postgres {
namespace {

constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min();
constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();

// Entries and bytes of a segment, which is put together in the server's memory.
constexpr size_t kMaxSegmentEntries = 256;
constexpr size_t kMaxSegmentBytes = size_t{8} << 20;

constexpr char kReadEnds[] =
    "SELECT last_seq, last_hash, anchor_seq, anchor_hash, indexed_seq FROM toolgate.audit_heads WHERE workspace = $1";
constexpr char kLockEnds[] =
    "SELECT last_seq, last_hash, anchor_seq, anchor_hash, indexed_seq FROM toolgate.audit_heads WHERE workspace = $1 "
    "FOR UPDATE";
constexpr char kSegmentBefore[] =
    "SELECT last_seq, payload FROM toolgate.audit_segments WHERE workspace = $1 AND first_seq < $2 ORDER BY first_seq "
    "DESC LIMIT 1";
#define SEGMENT_COLUMNS "first_seq, last_seq, first_time, last_time, payload"
constexpr char kSegmentsAscending[] = "SELECT " SEGMENT_COLUMNS
                                      " FROM toolgate.audit_segments WHERE workspace = $1 AND first_seq >= $2 ORDER BY "
                                      "first_seq LIMIT $3";
constexpr char kSegmentsDescending[] = "SELECT " SEGMENT_COLUMNS
                                       " FROM toolgate.audit_segments WHERE workspace = $1 AND first_seq < $2 ORDER "
                                       "BY first_seq DESC LIMIT $3";
#undef SEGMENT_COLUMNS
// Of a few that follow each other: one alone may be of a call that lasted, and so of an earlier time than its
// neighbours.
constexpr char kLatestTimeFrom[] =
    "SELECT max(last_time) FROM (SELECT last_time FROM toolgate.audit_segments WHERE workspace = $1 AND first_seq >= "
    "$2 "
    "ORDER BY first_seq LIMIT 16) AS few";
constexpr char kAddTerms[] =
    "INSERT INTO toolgate.audit_terms SELECT $1, * FROM unnest($2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING";
constexpr char kSetIndexed[] = "UPDATE toolgate.audit_heads SET indexed_seq = $2 WHERE workspace = $1";
constexpr char kDropTerms[] =
    "DELETE FROM toolgate.audit_terms t USING unnest($2::bigint[], $3::bigint[]) AS gone(term, first_seq) WHERE "
    "t.workspace = $1 AND t.term = gone.term AND t.first_seq = gone.first_seq";
constexpr char kDropSegments[] =
    "DELETE FROM toolgate.audit_segments WHERE workspace = $1 AND first_seq = ANY($2::bigint[])";
constexpr char kSetAnchor[] = "UPDATE toolgate.audit_heads SET anchor_seq = $2, anchor_hash = $3 WHERE workspace = $1";

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

// Segments that are read at once.
constexpr int64_t kSegmentsAtOnce = 256;

// Whether an entry of the segment has this id. What cannot be read has none.
bool Holds(const Row& segment, std::string_view entry_id) {
  const std::string_view payload = segment.Bytes(4);
  if (payload.find(entry_id) == std::string_view::npos) return false;
  const auto entries = ReadSegment(segment.Int(0), payload);
  return !entries.ok() || std::any_of(entries->begin(), entries->end(), [&](const StoredAuditEntry& stored) {
    const absl::StatusOr<v1::AuditEntry> entry = ParseEntry(stored);
    return !entry.ok() || entry->id() == entry_id;
  });
}

AuditSegment SegmentOf(const Row& row) { return {row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.String(4)}; }

}  // namespace

std::vector<Params> AppendParams(int64_t workspace, const std::vector<PackedAuditEntry>& entries) {
  std::vector<Params> all;
  for (size_t begin = 0; begin < entries.size();) {
    std::vector<std::string_view> bytes;
    std::vector<int64_t> times;
    size_t size = 0;
    for (; begin < entries.size() && bytes.size() < kMaxSegmentEntries && size < kMaxSegmentBytes; ++begin) {
      bytes.emplace_back(entries[begin].bytes);
      times.push_back(entries[begin].time_us);
      size += entries[begin].bytes.size();
    }
    all.push_back(Params::Of(workspace, bytes, times));
  }
  return all;
}

absl::StatusOr<AuditLog::Ends> AuditLog::ReadEnds(bool lock) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(lock ? kLockEnds : kReadEnds, Params::Of(session_.workspace())));
  Ends ends;
  if (found.empty()) return ends;
  const Row row = found[0];
  ends.head = {row.Int(0), row.String(1)};
  ends.anchor = {row.Int(2), row.String(3)};
  ends.indexed = row.Int(4);
  return ends;
}

// ---- Searching ------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<AuditSegment>> AuditLog::ListCandidates(const AuditQuery& query,
                                                                   const std::vector<int64_t>& terms, int64_t after,
                                                                   int64_t before, int64_t limit) {
  // A time between two microseconds also includes entries of the earlier one.
  const int64_t start = query.start ? absl::ToUnixMicros(*query.start) : kEarliest;
  const int64_t end = query.end ? absl::ToUnixMicros(*query.end) + 1 : kLatest;
  std::string sql = "SELECT s.first_seq, s.last_seq, s.first_time, s.last_time, s.payload FROM ";
  if (terms.empty()) {
    sql += "toolgate.audit_segments s WHERE s.workspace = $1 AND s.first_seq > $2 AND s.first_seq < $3";
  } else {
    sql +=
        "toolgate.audit_terms t JOIN toolgate.audit_segments s ON s.workspace = t.workspace AND s.first_seq = "
        "t.first_seq WHERE t.workspace = $1 AND s.workspace = $1 AND t.first_seq > $2 AND t.first_seq < $3 AND t.term "
        "= "
        "$7";
    for (size_t i = 1; i < terms.size(); ++i) {
      absl::StrAppend(&sql, " AND EXISTS (SELECT 1 FROM toolgate.audit_terms o WHERE o.workspace = $1 AND o.term = $",
                      7 + i, " AND o.first_seq = t.first_seq)");
    }
  }
  absl::StrAppend(&sql, " AND s.last_time >= $4 AND s.first_time < $5 ORDER BY ", terms.empty() ? "s" : "t",
                  ".first_seq DESC LIMIT $6");
  Params params = Params::Of(session_.workspace(), after, before, start, end, limit);
  for (const int64_t term : terms) params.Add(term);
  std::vector<AuditSegment> segments;
  RETURN_IF_ERROR(session_.Stream(Sql::Once(sql), params, [&](const Row& row) {
    segments.push_back(SegmentOf(row));
    return absl::OkStatus();
  }));
  return segments;
}

// The index over terms ends at a sequence; the segments behind it are looked at one by one.
absl::StatusOr<bool> AuditLog::SearchPart(AuditQuery& query, int64_t max_segments, std::vector<v1::AuditEntry>& found) {
  if (query.limit <= 0) return false;
  const AuditQuery part = query;
  const std::vector<int64_t> terms = RequiredTerms(query);
  const int64_t before = query.before_sequence > 0 ? query.before_sequence : kLatest;
  std::vector<AuditSegment> segments;
  if (terms.empty()) {
    ASSIGN_OR_RETURN(segments, ListCandidates(part, terms, kEarliest, before, max_segments));
  } else {
    ASSIGN_OR_RETURN(const Ends ends, ReadEnds());
    if (before > ends.indexed) {
      ASSIGN_OR_RETURN(segments, ListCandidates(part, {}, ends.indexed, before, max_segments));
    }
    if (static_cast<int64_t>(segments.size()) < max_segments) {
      ASSIGN_OR_RETURN(const std::vector<AuditSegment> older,
                       ListCandidates(part, terms, kEarliest, std::min(before, ends.indexed + 1),
                                      max_segments - static_cast<int64_t>(segments.size())));
      segments.insert(segments.end(), older.begin(), older.end());
    }
  }
  for (const AuditSegment& segment : segments) {
    RETURN_IF_ERROR(session_.CheckCall());
    ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(segment.first_sequence, segment.payload));
    for (size_t i = entries.size(); i-- > 0 && query.limit > 0;) {
      if (part.before_sequence > 0 && entries[i].sequence >= part.before_sequence) continue;
      ASSIGN_OR_RETURN(const v1::AuditEntry bare, ParseEntry(entries[i]));
      if (!MatchesAudit(part, bare)) continue;
      ASSIGN_OR_RETURN(v1::AuditEntry entry, Complete(entries, i));
      found.push_back(std::move(entry));
      --query.limit;
    }
    query.before_sequence = segment.first_sequence;
    if (query.limit <= 0) return false;
  }
  return static_cast<int64_t>(segments.size()) == max_segments;
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
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kSegmentBefore, Params::Of(session_.workspace(), first_sequence)));
  if (!found.empty() && found[0].Int(0) == first_sequence - 1) {
    const std::string_view payload = found[0].Bytes(1);
    if (payload.size() >= kHashSize) return std::string(payload.substr(payload.size() - kHashSize));
  }
  ASSIGN_OR_RETURN(Ends ends, ReadEnds());
  return std::move(ends.anchor.hash);
}

// ---- One entry ------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<v1::AuditEntry>> AuditLog::Find(std::string_view entry_id) {
  const std::optional<absl::Time> made = TimeOfId(entry_id);
  if (made) {
    ASSIGN_OR_RETURN(const int64_t near, SequenceAt(absl::ToUnixMicros(*made - kClockSkew)));
    ASSIGN_OR_RETURN(std::optional<v1::AuditEntry> entry,
                     FindIn(near, /*ascending=*/true, entry_id, absl::ToUnixMicros(*made + kLongestCall)));
    if (entry) return entry;
  }
  return FindIn(kLatest, /*ascending=*/false, entry_id, kLatest);
}

absl::StatusOr<std::optional<v1::AuditEntry>> AuditLog::FindIn(int64_t from, bool ascending, std::string_view entry_id,
                                                               int64_t until_us) {
  while (true) {
    std::optional<AuditSegment> holding;
    int64_t read = 0;
    bool is_past = false;
    const Params params = Params::Of(session_.workspace(), from, kSegmentsAtOnce);
    const absl::Status streamed =
        session_.Stream(ascending ? kSegmentsAscending : kSegmentsDescending, params, [&](const Row& row) {
          ++read;
          from = ascending ? row.Int(1) + 1 : row.Int(0);
          is_past |= row.Int(2) > until_us;
          absl::Status goes_on = session_.CheckCall();
          if (is_past || holding.has_value() || !goes_on.ok()) return goes_on;
          if (Holds(row, entry_id)) holding = SegmentOf(row);
          return absl::OkStatus();
        });
    RETURN_IF_ERROR(streamed);
    if (holding.has_value()) {
      ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries,
                       ReadSegment(holding->first_sequence, holding->payload));
      for (size_t i = 0; i < entries.size(); ++i) {
        ASSIGN_OR_RETURN(const v1::AuditEntry entry, ParseEntry(entries[i]));
        if (entry.id() == entry_id) return Complete(entries, i);
      }
    }
    if (is_past || read < kSegmentsAtOnce) return std::nullopt;
  }
}

absl::StatusOr<int64_t> AuditLog::SequenceAt(int64_t time_us) {
  ASSIGN_OR_RETURN(const Ends ends, ReadEnds());
  int64_t low = ends.anchor.sequence + 1;
  int64_t high = ends.head.sequence + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(const Result found, session_.Query(kLatestTimeFrom, Params::Of(session_.workspace(), middle)));
    const bool before = !found[0].IsNull(0) && found[0].Int(0) < time_us;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

// ---- The chain ------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<ChainReport>> AuditLog::VerifyPart(Verification& state, int64_t max_segments) {
  ASSIGN_OR_RETURN(Ends ends, ReadEnds());
  // Retention may remove the part that is verified next; the rest then begins at the new anchor.
  if (!state.verifier.has_value() || ends.anchor.sequence >= state.next) {
    state.verified = false;
    state.next = ends.anchor.sequence + 1;
    state.last = ends.head.sequence;
    state.verifier.emplace(std::move(ends.anchor), ends.head);
  }
  // Entries behind the end are later ones, unless there are none: then they are a fault.
  const int64_t end = ends.head.sequence > state.last ? state.last : kLatest;
  int64_t read = 0;
  bool more = true;
  // From the beginning in the first part: segments before the anchor are a fault.
  const Params params = Params::Of(session_.workspace(), state.verified ? state.next : kEarliest, max_segments);
  RETURN_IF_ERROR(session_.Stream(kSegmentsAscending, params, [&](const Row& row) {
    ++read;
    more = more && row.Int(0) <= end;
    absl::Status goes_on = session_.CheckCall();
    if (!more || !goes_on.ok()) return goes_on;
    const AuditSegment segment = SegmentOf(row);
    more = state.verifier->Add(segment);
    if (!more) return absl::OkStatus();
    state.next = segment.last_sequence + 1;
    state.verified = true;
    return absl::OkStatus();
  }));
  if (more && read == max_segments) return std::nullopt;
  absl::Status status;
  ChainReport report = state.verifier->Finish([&](const std::function<void(std::string_view)>& take) {
    status =
        session_.Stream(kSegmentsDescending, Params::Of(session_.workspace(), kLatest, kLatest), [&](const Row& row) {
          const auto entries = ReadSegment(row.Int(0), row.Bytes(4));
          if (!entries.ok()) return absl::OkStatus();
          for (const StoredAuditEntry& entry : *entries) take(entry.hash);
          return absl::OkStatus();
        });
  });
  RETURN_IF_ERROR(status);
  return report;
}

absl::StatusOr<int64_t> AuditLog::IndexTerms(int64_t limit) {
  ASSIGN_OR_RETURN(const Ends ends, ReadEnds(/*lock=*/true));
  if (ends.indexed >= ends.head.sequence) return 0;
  std::set<std::pair<int64_t, int64_t>> terms;  // With the segment; in the order of the index.
  int64_t count = 0;
  int64_t last = 0;
  const absl::Status streamed =
      session_.Stream(kSegmentsAscending, Params::Of(session_.workspace(), ends.indexed + 1, limit),
                      [&](const Row& row) -> absl::Status {
                        if (count >= limit) return absl::OkStatus();
                        const int64_t first = row.Int(0);
                        last = row.Int(1);
                        ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(first, row.Bytes(4)));
                        for (const StoredAuditEntry& entry : entries) {
                          ASSIGN_OR_RETURN(const v1::AuditEntry parsed, ParseEntry(entry));
                          for (const int64_t term : TermsOf(parsed)) terms.emplace(term, first);
                        }
                        count += static_cast<int64_t>(entries.size());
                        return absl::OkStatus();
                      });
  RETURN_IF_ERROR(streamed);
  if (count == 0) return 0;
  std::vector<int64_t> values;
  std::vector<int64_t> firsts;
  for (const auto& [term, first] : terms) {
    values.push_back(term);
    firsts.push_back(first);
  }
  RETURN_IF_ERROR(session_.Write(kAddTerms, Params::Of(session_.workspace(), values, firsts)));
  RETURN_IF_ERROR(session_.Write(kSetIndexed, Params::Of(session_.workspace(), last)));
  return count;
}

absl::Status AuditLog::ForgetSegments(const std::vector<AuditSegment>& segments) {
  if (segments.empty()) return absl::OkStatus();
  std::set<std::pair<int64_t, int64_t>> terms;
  std::vector<int64_t> gone;
  std::string last_hash;
  for (const AuditSegment& segment : segments) {
    ASSIGN_OR_RETURN(const std::vector<StoredAuditEntry> entries, ReadSegment(segment.first_sequence, segment.payload));
    for (const StoredAuditEntry& stored : entries) {
      ASSIGN_OR_RETURN(const v1::AuditEntry entry, ParseEntry(stored));
      for (const int64_t term : TermsOf(entry)) terms.emplace(term, segment.first_sequence);
    }
    gone.push_back(segment.first_sequence);
    last_hash = entries.empty() ? std::string() : std::string(entries.back().hash);
  }
  std::vector<int64_t> values;
  std::vector<int64_t> firsts;
  for (const auto& [term, first] : terms) {
    values.push_back(term);
    firsts.push_back(first);
  }
  RETURN_IF_ERROR(session_.Write(kDropTerms, Params::Of(session_.workspace(), values, firsts)));
  RETURN_IF_ERROR(session_.Write(kDropSegments, Params::Of(session_.workspace(), gone)));
  return session_.Write(kSetAnchor, Params::Of(session_.workspace(), segments.back().last_sequence, last_hash));
}

absl::StatusOr<int64_t> AuditLog::Trim(int64_t before_us, int64_t limit) {
  RETURN_IF_ERROR(ReadEnds(/*lock=*/true).status());
  std::vector<AuditSegment> oldest;
  int64_t gone = 0;
  bool is_over = false;
  RETURN_IF_ERROR(
      session_.Stream(kSegmentsAscending, Params::Of(session_.workspace(), kEarliest, limit), [&](const Row& row) {
        is_over |= gone >= limit || row.Int(3) >= before_us;
        if (is_over) return absl::OkStatus();
        oldest.push_back(SegmentOf(row));
        gone += oldest.back().last_sequence - oldest.back().first_sequence + 1;
        return absl::OkStatus();
      }));
  RETURN_IF_ERROR(ForgetSegments(oldest));
  return gone;
}

}  // namespace toolgate::storage::postgres
