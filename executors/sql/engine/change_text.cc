#include "executors/sql/engine/change_text.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::sql::engine {
namespace {

using internal::v1::SqlRowChange;
using internal::v1::SqlTableRows;

// A verb in both tenses.
struct Verb {
  std::string_view will_do;
  std::string_view done;
};
constexpr Verb kCreate = {"create", "created"};
constexpr Verb kDrop = {"drop", "dropped"};
constexpr Verb kAlter = {"alter", "altered"};
constexpr Verb kInsert = {"insert", "inserted"};
constexpr Verb kUpdate = {"update", "updated"};
constexpr Verb kDelete = {"delete", "deleted"};

constexpr size_t kMaxClauses = 8;

struct RowCounts {
  int64_t inserted = 0;
  int64_t updated = 0;
  int64_t deleted = 0;
};

RowCounts Count(const SqlTableRows& table) {
  RowCounts counts;
  for (const SqlRowChange& row : table.changes()) {
    if (!row.has_before()) {
      ++counts.inserted;
    } else if (!row.has_after()) {
      ++counts.deleted;
    } else {
      ++counts.updated;
    }
  }
  return counts;
}

std::string Rows(int64_t count) { return absl::StrCat(count, count == 1 ? " row" : " rows"); }

class Sentence {
 public:
  explicit Sentence(Tense tense) : tense_(tense) {}

  void Add(const Verb& verb, std::string_view what) {
    clauses_.push_back(absl::StrCat(ToAbsl(tense_ == Tense::kWillDo ? verb.will_do : verb.done), " ", ToAbsl(what)));
  }
  void AddRows(const Verb& verb, int64_t count, std::string_view where) {
    if (count > 0) Add(verb, absl::StrCat(Rows(count), " ", ToAbsl(where)));
  }
  std::string Text() && {
    if (clauses_.size() > kMaxClauses) {
      clauses_.resize(kMaxClauses);
      clauses_.emplace_back("and more");
    }
    std::string text = absl::StrJoin(clauses_, "; ");
    if (!text.empty()) text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
    return text;
  }

 private:
  const Tense tense_;
  std::vector<std::string> clauses_;
};

void AddStep(const SchemaStep& step, const Outcome& outcome, Sentence& sentence) {
  std::string what = absl::StrCat(ToAbsl(step.type), " ", step.name);
  if (!step.table.empty()) absl::StrAppend(&what, " on ", step.table);
  const auto dropped = outcome.dropped_rows.find(step.name);
  if (dropped != outcome.dropped_rows.end()) absl::StrAppend(&what, " and its ", Rows(dropped->second));
  const Verb& verb = step.kind == SchemaStep::Kind::kCreate ? kCreate
                     : step.kind == SchemaStep::Kind::kDrop ? kDrop
                                                            : kAlter;
  sentence.Add(verb, what);
}

}  // namespace

std::string DescribeChange(const Outcome& outcome, Tense tense) {
  Sentence sentence(tense);
  for (const SchemaStep& step : outcome.steps) AddStep(step, outcome, sentence);
  if (outcome.change.has_value()) {
    for (const SqlTableRows& table : outcome.change->tables()) {
      const RowCounts counts = Count(table);
      sentence.AddRows(kInsert, counts.inserted, absl::StrCat("into ", table.table()));
      sentence.AddRows(kUpdate, counts.updated, absl::StrCat("of ", table.table()));
      sentence.AddRows(kDelete, counts.deleted, absl::StrCat("of ", table.table()));
    }
  }
  return std::move(sentence).Text();
}

int64_t CountChangedRows(const Outcome& outcome) {
  int64_t count = 0;
  for (const auto& [table, rows] : outcome.dropped_rows) count += rows;
  if (outcome.change.has_value()) {
    for (const SqlTableRows& table : outcome.change->tables()) count += table.changes_size();
  }
  return count;
}

}  // namespace toolgate::executors::sql::engine
