// The index over declared fields against a store without one: the same changes, then the same queries, must give the
// same blocks in the same order and the same totals, while the index is built too.
#include "storage/declared_fields.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

using ::toolgate::testing::FakeClock;
using ::toolgate::testing::TempDir;
using Op = Filter::Op;

constexpr char kWorkspace[] = "w";

void SpansIn(std::string_view data, std::vector<DaySpan>& spans) {
  const Json json = Json::parse(data);
  if (json.contains("from")) spans.push_back({json["from"].get<int64_t>(), json["to"].get<int64_t>()});
}

// The status and when it is due, of those that are.
std::string DueByStatus(std::string_view data) {
  const Json json = Json::parse(data);
  if (!json.value("due", Json()).is_string() || !json.value("status", Json()).is_string()) return "";
  return absl::StrCat(json["status"].get<std::string>(), "/", json["due"].get<std::string>());
}

DeclaredFields Fields(int revision = 1) {
  using Kind = DeclaredField::Kind;
  const auto value = [](const char* name) { return DeclaredField{Kind::kValue, {name}, nullptr}; };
  const DeclaredField derived{Kind::kDerived, {"dueByStatus"}, nullptr, DueByStatus};
  return DeclaredFields({{"todo", "task", {value("due"), value("status"), derived}},
                         {"card", "task", {value("due"), value("status"), derived}},
                         {"note", "note", {{Kind::kLabels, {"tags"}, nullptr}}},
                         {"event", "event", {{Kind::kSpans, {"days"}, SpansIn}}},
                         {"row", "", {{Kind::kMembers, {"values"}, nullptr}}}},
                        revision);
}

class Pick {
 public:
  explicit Pick(uint64_t seed) : random_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  template <typename T>
  const T& Of(const std::vector<T>& list) {
    return list[static_cast<size_t>(Below(static_cast<int64_t>(list.size())))];
  }

 private:
  std::mt19937_64 random_;
};

// Values of several kinds, some of them alike in all that an index keeps.
Json AnyValue(Pick& pick) {
  switch (pick.Below(12)) {
    case 0:
      return nullptr;
    case 1:
      return pick.Below(2) == 0;
    case 2:
      return pick.Below(3);
    case 3:
      return static_cast<double>(pick.Below(5)) / 2;
    case 4:
      return (int64_t{1} << 53) + pick.Below(4);
    case 5:
      return std::string(254, 'x') + std::string(static_cast<size_t>(pick.Below(5)), 'y');
    case 6:
      return Json::array({"a", "B", pick.Below(3)});
    case 7:
      return "";
    default:
      return absl::StrCat("2026-", 10 + pick.Below(3), "-", 10 + pick.Below(18));
  }
}

std::string DataOf(const std::string& type, Pick& pick) {
  Json data{{"text", absl::StrCat("t", pick.Below(50))}};
  if (type == "todo" || type == "card") {
    if (pick.Below(4) != 0) data["due"] = AnyValue(pick);
    data["status"] = pick.Of<std::string>({"todo", "doing", "done"});
  } else if (type == "note") {
    data["tags"] = Json::array();
    for (int64_t i = pick.Below(4); i > 0; --i)
      data["tags"].push_back(pick.Of<std::string>({"Red", "RED", "blue", "É"}));
  } else if (type == "event") {
    const int64_t from = pick.Below(4000) - 2000;
    data["from"] = from;
    data["to"] = from + (pick.Below(20) == 0 ? 10'000'000 : pick.Below(1 + pick.Below(400)));
  } else if (type == "row") {
    for (const char* name : {"p/q", "n", "~s"}) {
      if (pick.Below(3) != 0) data["values"][name] = AnyValue(pick);
    }
  }
  return DumpJson(data);
}

class DeclaredFieldsTest : public ::testing::Test {
 protected:
  std::unique_ptr<testing::SqliteTestStore> Open(const TempDir& dir, DeclaredFields fields) {
    SqliteStore::Options options = testing::StoreOptions();
    options.data_dir = dir.path() + "/data";
    options.clock = &clock_;
    options.background = false;
    options.fields = std::move(fields);
    auto store = testing::SqliteTestStore::Create(options);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  void OpenBoth(DeclaredFields fields) {
    indexed_.reset();
    plain_.reset();
    indexed_ = Open(indexed_dir_, std::move(fields));
    plain_ = Open(plain_dir_, {});
  }

  // Runs the body on both, which must end alike. Returns the changes.
  Changes ChangeBoth(absl::FunctionRef<absl::Status(Transaction&)> body) {
    clock_.Advance(absl::Milliseconds(1));
    const WriteContext context{kWorkspace, "alice", absl::StrCat("change", ++changes_), clock_.Now()};
    Changes made;
    std::vector<absl::Status> ends;
    for (testing::SqliteTestStore* store : {indexed_.get(), plain_.get()}) {
      ends.push_back(store->Commit(context, CommitMode::kDurable, {}, [&](Transaction& transaction) {
        absl::Status status = body(transaction);
        made = transaction.changes();
        return status;
      }));
    }
    EXPECT_EQ(ends[0], ends[1]);
    return made;
  }

  void Create(const std::string& id, const std::string& type, const std::string& parent, Pick& pick) {
    const NewBlock block{.id = id, .type = type, .parent_id = parent, .data = DataOf(type, pick), .position = {}};
    ChangeBoth([&](Transaction& transaction) { return transaction.CreateBlock(block).status(); });
    ids_.push_back(id);
  }

  void Fill(int blocks, Pick& pick) {
    if (ids_.empty()) {
      Create("base", "database", "", pick);
      Create("other", "database", "", pick);
    }
    std::vector<NewBlock> wanted;
    for (int i = 0; i < blocks; ++i) {
      const std::string type = pick.Of<std::string>({"todo", "card", "todo", "note", "event", "row", "row"});
      const std::string parent = type == "row" ? pick.Of<std::string>({"base", "base", "base", "other"}) : "";
      wanted.push_back({.id = absl::StrCat("b", ids_.size() + wanted.size()),
                        .type = type,
                        .parent_id = parent,
                        .data = DataOf(type, pick),
                        .position = {}});
    }
    // In commits of several sizes, whose blocks have one time of creation.
    for (size_t begin = 0; begin < wanted.size();) {
      const size_t end = std::min(wanted.size(), begin + 1 + static_cast<size_t>(pick.Below(40)));
      ChangeBoth([&](Transaction& transaction) {
        for (size_t i = begin; i < end; ++i) {
          if (const auto made = transaction.CreateBlock(wanted[i]); !made.ok()) return made.status();
        }
        return absl::OkStatus();
      });
      for (; begin < end; ++begin) ids_.push_back(wanted[begin].id);
    }
  }

  // Updates, moves, deletions, undos, and steps that are taken back.
  void ChangeAtRandom(int times, Pick& pick) {
    std::vector<Changes> past;
    for (int i = 0; i < times; ++i) {
      const std::string id = pick.Of(ids_);
      const int64_t what = pick.Below(10);
      const std::string data = DataOf(pick.Of<std::string>({"todo", "note", "event", "row"}), pick);
      const int64_t position = pick.Below(50);
      Changes made = ChangeBoth([&](Transaction& transaction) -> absl::Status {
        if (what == 0 && id != "base" && id != "other") {
          return transaction.DeleteBlock(id, Children::kDelete).status();
        }
        if (what < 3) return transaction.MoveBlock(id, what == 1 ? "base" : "other", position).status();
        if (what == 3 && !past.empty()) return transaction.Revert(past.back());
        if (what == 4) {
          const absl::Status inner = transaction.Nested([&]() -> absl::Status {
            if (const auto updated = transaction.UpdateBlock(id, data); !updated.ok()) return updated.status();
            return absl::AbortedError("changed its mind");
          });
          return absl::IsAborted(inner) ? absl::OkStatus() : inner;
        }
        return transaction.UpdateBlock(id, data).status();
      });
      if (what == 3 && !past.empty()) past.pop_back();
      if (what != 3) past.push_back(std::move(made));
    }
  }

  Filter AnyFilter(const std::string& type, Pick& pick) {
    const Op compared = pick.Of<Op>({Op::kEquals, Op::kNotEquals, Op::kGreaterThan, Op::kGreaterOrEqual, Op::kLessThan,
                                     Op::kLessOrEqual, Op::kIsNotEmpty, Op::kContains});
    if (pick.Below(6) == 0) return Filter::And({AnyFilter(type, pick), AnyFilter(type, pick)});
    if (pick.Below(8) == 0) return Filter::Or({AnyFilter(type, pick), AnyFilter(type, pick)});
    if (pick.Below(12) == 0) return Filter::Not(AnyFilter(type, pick));
    if (type == "note") {
      return Filter::Compare(Field::Data({"tags"}), Op::kHasLabel, pick.Of<std::string>({"red", "Blue", "é", "none"}));
    }
    if (type == "event") {
      const int64_t from = pick.Below(4200) - 2100;
      return Filter::Compare(Field::Spans("days", SpansIn), Op::kOverlaps,
                             Json::array({from, from + pick.Below(1 + pick.Below(500))}));
    }
    if (type == "row") {
      const Field field = Field::Data({"values", pick.Of<std::string>({"p/q", "n", "~s", "absent"})});
      if (pick.Below(4) == 0) return Filter::Compare(field, Op::kHasElement, pick.Of<std::string>({"a", "B", "b"}));
      return Filter::Compare(field, compared, AnyValue(pick));
    }
    if (pick.Below(4) == 0) {
      const std::string most = std::string(1, static_cast<char>('a' + pick.Below(26)));
      return Filter::Compare(Field::Derived("dueByStatus", DueByStatus), Op::kInRanges,
                             Json::array({{"doing/", "doing/" + most}, {"todo/", "todo/" + most}}));
    }
    if (pick.Below(2) == 0) {
      return Filter::Compare(Field::Data({"status"}), Op::kEquals, pick.Of<std::string>({"todo", "doing", "lost"}));
    }
    return Filter::Compare(Field::Data({pick.Of<std::string>({"due", "due", "text"})}), compared, AnyValue(pick));
  }

  BlockQuery AnyQuery(Pick& pick) {
    BlockQuery query;
    const std::string type = pick.Of<std::string>({"todo", "note", "event", "row"});
    query.types = {type};
    if (type == "todo" && pick.Below(3) != 0) query.types.emplace_back("card");
    if (type == "row" && pick.Below(8) != 0) query.parent_id = pick.Of<std::string>({"base", "other"});
    if (pick.Below(4) != 0) query.filter = AnyFilter(type, pick);
    const std::vector<Field> sorts = {Field::Data({"due"}),         Field::Data({"status"}),
                                      Field::Data({"values", "n"}), Field::Data({"values", "p/q"}),
                                      {Field::Kind::kCreatedAt},    {Field::Kind::kUpdatedAt}};
    for (int64_t i = pick.Below(3); i > 0; --i) query.sort.push_back({pick.Of(sorts), pick.Below(2) == 0});
    if (!query.sort.empty() && pick.Below(2) == 0) {
      query.sort.resize(1);
      query.sort.push_back({{Field::Kind::kCreatedAt}, pick.Below(2) == 0});
    }
    query.limit = pick.Of<int64_t>({0, 1, 5, 20, 100, 5000});
    query.offset = pick.Below(3) == 0 ? pick.Below(200) : 0;
    query.count_total = pick.Below(2) == 0;
    query.bounded = pick.Below(2) == 0;
    return query;
  }

  static std::string Told(testing::SqliteTestStore& store, const BlockQuery& query) {
    std::string told;
    const absl::Status read = store.Read(kWorkspace, [&](ReadView& view) {
      const absl::StatusOr<BlockPage> page = view.FindBlocks(query);
      if (!page.ok()) return page.status();
      for (const Block& block : page->blocks) absl::StrAppend(&told, block.id, " ");
      absl::StrAppend(&told, "total ", page->total, page->total_is_lower_bound ? "+" : "");
      return absl::OkStatus();
    });
    return read.ok() ? told : read.ToString();
  }

  void ExpectAlike(int queries, Pick& pick) {
    for (int i = 0; i < queries; ++i) {
      const BlockQuery query = AnyQuery(pick);
      ASSERT_EQ(Told(*indexed_, query), Told(*plain_, query))
          << "query " << i << " of " << absl::StrJoin(query.types, ",") << ", " << query.sort.size() << " sorts, "
          << (query.filter.has_value() ? "with" : "without") << " a filter, " << query.limit << " from "
          << query.offset;
    }
  }

  FakeClock clock_;
  TempDir indexed_dir_;
  TempDir plain_dir_;
  std::unique_ptr<testing::SqliteTestStore> indexed_;
  std::unique_ptr<testing::SqliteTestStore> plain_;
  std::vector<std::string> ids_;
  int changes_ = 0;
};

TEST_F(DeclaredFieldsTest, AnswersAsAStoreWithoutAnIndex) {
  OpenBoth(Fields());
  Pick pick(7);
  for (int round = 0; round < 3; ++round) {
    Fill(round == 0 ? 200 : 2500, pick);
    ChangeAtRandom(300, pick);
    ASSERT_NO_FATAL_FAILURE(ExpectAlike(400, pick));
  }
}

TEST_F(DeclaredFieldsTest, AnswersWhileTheIndexIsBuilt) {
  OpenBoth({});
  Pick pick(11);
  Fill(3000, pick);
  OpenBoth(Fields());
  ChangeAtRandom(100, pick);
  ASSERT_NO_FATAL_FAILURE(ExpectAlike(100, pick));
  ASSERT_TRUE(indexed_->Maintain().ok());
  ASSERT_NO_FATAL_FAILURE(ExpectAlike(300, pick));

  // Another declaration begins again, and a store that declares nothing forgets the index.
  OpenBoth(Fields(/*revision=*/2));
  ChangeAtRandom(100, pick);
  ASSERT_NO_FATAL_FAILURE(ExpectAlike(50, pick));
  OpenBoth({});
  ChangeAtRandom(100, pick);
  OpenBoth(Fields(/*revision=*/2));
  ASSERT_TRUE(indexed_->Maintain().ok());
  ASSERT_NO_FATAL_FAILURE(ExpectAlike(300, pick));
}

TEST_F(DeclaredFieldsTest, ADryRunLeavesNoRows) {
  OpenBoth(Fields());
  Pick pick(13);
  Fill(50, pick);
  // Counted by the rows of the index alone.
  BlockQuery tasks;
  tasks.types = {"todo", "card"};
  tasks.limit = 0;
  tasks.count_total = true;
  const std::string before = Told(*indexed_, tasks);
  const WriteContext context{kWorkspace, "alice", "dry", clock_.Now()};
  const absl::Status tried = indexed_->Commit(context, CommitMode::kDryRun, {}, [&](Transaction& transaction) {
    return transaction.CreateBlock({.id = "d", .type = "todo", .data = R"({"status":"todo"})"}).status();
  });
  ASSERT_TRUE(tried.ok()) << tried;
  EXPECT_EQ(Told(*indexed_, tasks), before);
  ExpectAlike(50, pick);
}

TEST_F(DeclaredFieldsTest, CountsUpToABound) {
  OpenBoth(Fields());
  constexpr int64_t kTodos = kMaxCounted + 500;
  Pick pick(17);
  ChangeBoth([&](Transaction& transaction) {
    for (int64_t i = 0; i < kTodos; ++i) {
      const std::string data =
          DumpJson({{"due", absl::StrCat("2026-", i % 1000)}, {"status", i % 50 == 0 ? "done" : "todo"}});
      const auto made = transaction.CreateBlock({.id = absl::StrCat("t", 10000 + i), .type = "todo", .data = data});
      if (!made.ok()) return made.status();
    }
    return absl::OkStatus();
  });
  BlockQuery query;
  query.types = {"todo", "card"};
  query.limit = 3;
  query.count_total = true;
  query.sort = {{Field::Data({"due"})}};
  EXPECT_EQ(Told(*indexed_, query), absl::StrCat("t10000 t11000 t12000 total ", kTodos))
      << "exact unless it is bounded";
  query.bounded = true;
  for (testing::SqliteTestStore* store : {indexed_.get(), plain_.get()}) {
    EXPECT_EQ(Told(*store, query), absl::StrCat("t10000 t11000 t12000 total ", kMaxCounted, "+"));
  }
  query.filter = Filter::Compare(Field::Data({"status"}), Op::kEquals, "done");
  EXPECT_EQ(Told(*indexed_, query), absl::StrCat("t10000 t11000 t12000 total ", (kTodos + 49) / 50));
}

}  // namespace
}  // namespace toolgate::storage::sqlite
