#include "storage/index_entries.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/json_parser.h"
#include "common/text/fold_case.h"

namespace toolgate::storage {
namespace {

using simdjson::dom::element;

// Days are counted from here, so that all of them are positive: some 5,700 years to either side of 1970.
constexpr int64_t kFirstDay = -(int64_t{1} << 21);
constexpr int kLevels = 23;  // Of pieces, each twice as long as those of the level below.
constexpr int64_t kDays = int64_t{1} << 22;
constexpr int64_t kPiecesOfLevel = int64_t{1} << 32;

int64_t DayNumber(int64_t day) { return std::clamp<int64_t>(day - kFirstDay, 0, kDays - 1); }

// The names of keys may contain any character.
std::string PathName(const std::vector<std::string>& path) {
  return absl::StrJoin(path, "/", [](std::string* out, const std::string& key) {
    absl::StrAppend(out, absl::StrReplaceAll(key, {{"~", "~0"}, {"/", "~1"}}));
  });
}

std::optional<IndexValue> ScalarOf(const element& value) {
  if (value.is_string()) return CutForIndex(std::string_view(value));
  if (value.is_bool()) return static_cast<int64_t>(bool{value});
  if (value.is_int64()) return int64_t{value};
  if (value.is_uint64() || value.is_double()) return double{value};
  return std::nullopt;
}

class EntryWriter {
 public:
  EntryWriter(const DeclaredType& type, const Block& block)
      : type_(type), block_(block), scope_(IndexScope(type, block.parent_id)) {}

  std::vector<IndexEntry> Write() {
    if (type_.scope.empty()) {
      Add(std::string(kAllField), int64_t{0});
    } else {
      Add(std::string(kCreatedAtField), absl::ToUnixMicros(block_.created_at));
    }
    thread_local simdjson::dom::parser kept;
    std::optional<simdjson::dom::parser> passing;
    simdjson::dom::parser& parser = ParserFor(block_.data, kept, passing);
    element root;
    if (parser.parse(block_.data).get(root) == simdjson::SUCCESS) {
      for (const DeclaredField& field : type_.fields) AddField(field, root);
    }
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
    return std::move(entries_);
  }

 private:
  void Add(std::string field, IndexValue value) {
    IndexValue tie = type_.scope.empty() ? IndexValue(block_.rank) : absl::ToUnixMicros(block_.created_at);
    entries_.push_back({scope_, std::move(field), std::move(value), std::move(tie)});
  }

  void AddField(const DeclaredField& field, const element& root) {
    if (field.kind == DeclaredField::Kind::kSpans) return AddSpans(field);
    if (field.kind == DeclaredField::Kind::kDerived) return AddDerived(field);
    element value = root;
    for (const std::string& key : field.path) {
      if (!value.is_object() || value.at_key(key).get(value) != simdjson::SUCCESS) return;
    }
    switch (field.kind) {
      case DeclaredField::Kind::kValue:
        return AddValue(field.path, value);
      case DeclaredField::Kind::kLabels:
        return AddStrings(LabelFieldName(field.path), value, text::FoldCase);
      case DeclaredField::Kind::kMembers:
        return AddMembers(field.path, value);
      case DeclaredField::Kind::kSpans:
      case DeclaredField::Kind::kDerived:
        return;
    }
  }

  void AddValue(const std::vector<std::string>& path, const element& value) {
    std::optional<IndexValue> scalar = ScalarOf(value);
    if (!scalar.has_value()) return;
    if (value.is_bool()) Add(BooleanFieldName(path), *scalar);
    Add(ValueFieldName(path), *std::move(scalar));
  }

  template <typename Form>
  void AddStrings(const std::string& field, const element& value, Form form) {
    simdjson::dom::array items;
    if (value.get_array().get(items) != simdjson::SUCCESS) return;
    for (const element item : items) {
      if (item.is_string()) Add(field, CutForIndex(form(std::string_view(item))));
    }
  }

  void AddMembers(const std::vector<std::string>& path, const element& value) {
    simdjson::dom::object members;
    if (value.get_object().get(members) != simdjson::SUCCESS) return;
    for (const auto [key, member] : members) {
      std::vector<std::string> member_path = path;
      member_path.emplace_back(key);
      AddValue(member_path, member);
      AddStrings(ElementFieldName(member_path), member, [](std::string_view text) { return text; });
    }
  }

  void AddSpans(const DeclaredField& field) {
    std::vector<DaySpan> spans;
    field.spans(block_.data, spans);
    for (const DaySpan& span : spans) {
      for (const int64_t piece : PiecesOf(span)) Add(ValueFieldName(field.path), piece);
    }
  }

  void AddDerived(const DeclaredField& field) {
    const std::string text = field.derived(block_.data);
    if (!text.empty()) Add(ValueFieldName(field.path), CutForIndex(text));
  }

  const DeclaredType& type_;
  const Block& block_;
  const std::string scope_;
  std::vector<IndexEntry> entries_;
};

}  // namespace

std::string IndexScope(const DeclaredType& type, std::string_view parent_id) {
  return type.scope.empty() ? absl::StrCat("/", ToAbsl(parent_id)) : type.scope;
}

std::string ValueFieldName(const std::vector<std::string>& path) { return PathName(path); }
std::string BooleanFieldName(const std::vector<std::string>& path) { return absl::StrCat(PathName(path), "/~boolean"); }
std::string LabelFieldName(const std::vector<std::string>& path) { return absl::StrCat(PathName(path), "/~label"); }
std::string ElementFieldName(const std::vector<std::string>& path) { return absl::StrCat(PathName(path), "/~element"); }

std::string CutForIndex(std::string_view text) { return std::string(text.substr(0, kMaxIndexedBytes)); }

std::vector<IndexEntry> IndexEntriesOf(const DeclaredFields& fields, const Block& block) {
  const DeclaredType* type = fields.Find(block.type);
  return type == nullptr ? std::vector<IndexEntry>() : EntryWriter(*type, block).Write();
}

IndexChange IndexChangeOf(const DeclaredFields& fields, const Block* before, const Block* after) {
  IndexChange change;
  if (fields.empty()) return change;
  std::vector<IndexEntry> old_entries;
  std::vector<IndexEntry> new_entries;
  if (before != nullptr) old_entries = IndexEntriesOf(fields, *before);
  if (after != nullptr) new_entries = IndexEntriesOf(fields, *after);
  std::set_difference(old_entries.begin(), old_entries.end(), new_entries.begin(), new_entries.end(),
                      std::back_inserter(change.erased));
  std::set_difference(new_entries.begin(), new_entries.end(), old_entries.begin(), old_entries.end(),
                      std::back_inserter(change.added));
  return change;
}

std::vector<int64_t> PiecesOf(const DaySpan& span) {
  const int64_t first = DayNumber(span.first);
  const int64_t last = std::max(first, DayNumber(span.last));
  int level = 0;
  while (level < kLevels - 1 && (int64_t{1} << level) < last - first + 1) ++level;
  std::vector<int64_t> pieces;
  for (int64_t piece = first >> level; piece <= last >> level; ++piece) {
    pieces.push_back(level * kPiecesOfLevel + piece);
  }
  return pieces;
}

std::vector<PieceRange> PiecesNear(const DaySpan& span) {
  const int64_t first = DayNumber(span.first);
  const int64_t last = std::max(first, DayNumber(span.last));
  std::vector<PieceRange> ranges;
  ranges.reserve(kLevels);
  for (int level = 0; level < kLevels; ++level) {
    ranges.push_back({level * kPiecesOfLevel + (first >> level), level * kPiecesOfLevel + (last >> level)});
  }
  return ranges;
}

}  // namespace toolgate::storage
