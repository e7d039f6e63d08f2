// Many threads that move the cards of a board at once, on a real store.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "executors/tool.h"
#include "gmock/gmock.h"
#include "storage/rank.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::kanban {
namespace {

using storage::CommitMode;
using testing::WorkspaceTest;

class CardMovesTest : public WorkspaceTest {
 protected:
  static constexpr int kThreads = 8;
  static constexpr int kMovesEach = 150;
  static constexpr int kCards = 12;

  void SetUp() override {
    const std::string board = Create("kanban_board", "", R"({"title": "Sprint"})");
    columns_.push_back(Create("kanban_column", board, R"({"title": "To do"})"));
    columns_.push_back(Create("kanban_column", board, R"({"title": "Done"})"));
    for (int i = 0; i < kCards; ++i) {
      const Json arguments = {{"columnId", columns_[0]}, {"title", absl::StrCat("c", i)}};
      cards_.push_back(Do("kanban_create_card", arguments).value("cardId", ""));
    }
  }

  // Runs the tool in a separate transaction. Its answer must be true of the state in which it commits.
  absl::Status Run(const char* tool, const Json& arguments, const std::string& change) {
    const storage::WriteContext write{"test", "ann", change, harness_.clock().Now()};
    const Caller caller;
    const fibers::Cancellation cancellation;
    return harness_.store().Commit(
        write, CommitMode::kDurable, cancellation, [&](storage::Transaction& transaction) -> absl::Status {
          ToolContext context{arguments,           caller,       harness_.clock().Now(),
                              absl::UTCTimeZone(), cancellation, IdSource::Real()};
          const auto& handler = std::get<WriteHandler>(harness_.catalog().Find(tool)->handlers.run);
          ASSIGN_OR_RETURN(const ToolOutput output, handler(context, transaction));
          ASSIGN_OR_RETURN(const Json answer, ParseJson(output.data_json));
          const Json& card = answer.at("card");
          ASSIGN_OR_RETURN(const auto children, transaction.ListChildren(card.value("columnId", ""), 1'000));
          const auto position = card["position"].get<size_t>();
          const bool right = position < children.size() && children[position].id == card["id"];
          return right ? absl::OkStatus() : absl::InternalError("the card is not where the answer says");
        });
  }

  void RunAll(const std::function<absl::Status(int thread, int step, std::mt19937& random)>& step) {
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937 random(static_cast<unsigned>(thread));
        for (int i = 0; i < kMovesEach; ++i) {
          if (const absl::Status status = step(thread, i, random); !status.ok() && failures++ == 0) {
            ADD_FAILURE() << status;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
  }

  // Every card occurs once, with the place and the status of its column.
  void ExpectPermutation(size_t cards) {
    std::set<std::string> seen;
    std::map<std::string, int> next;
    const Json list = Do("kanban_list_cards", Json::object());
    EXPECT_EQ(list["totalCount"], cards);
    for (const Json& card : list["cards"]) {
      EXPECT_TRUE(seen.insert(card.value("id", "")).second) << card;
      EXPECT_EQ(card["position"], next[card.value("columnId", "")]++);
      EXPECT_EQ(card["status"], card["columnId"] == columns_[0] ? "todo" : "done");
      EXPECT_LE(harness_.Block(card.value("id", "")).rank.size(), storage::kMaxRankLength);
    }
    EXPECT_EQ(seen.size(), cards);
    for (const std::string& card : cards_) EXPECT_TRUE(seen.contains(card)) << card;
  }

  std::vector<std::string> columns_;
  std::vector<std::string> cards_;
};

TEST_F(CardMovesTest, OneColumnsCardsAreNeitherLostNorDoubled) {
  RunAll([&](int thread, int step, std::mt19937& random) {
    return Run("kanban_move_card",
               {{"cardId", cards_[random() % kCards]}, {"columnId", columns_[0]}, {"position", random() % kCards}},
               absl::StrCat("t", thread, "-", step));
  });
  ExpectPermutation(kCards);
}

TEST_F(CardMovesTest, MovesIntoTheMiddleFromBothSidesKeepRanksShort) {
  RunAll([&](int thread, int step, std::mt19937& random) {
    return Run(
        "kanban_move_card",
        {{"cardId", cards_[random() % kCards]}, {"columnId", columns_[0]}, {"position", kCards / 2 - random() % 2}},
        absl::StrCat("t", thread, "-", step));
  });
  ExpectPermutation(kCards);
}

TEST_F(CardMovesTest, MovesAcrossColumnsAndNewCardsMix) {
  RunAll([&](int thread, int step, std::mt19937& random) {
    const std::string change = absl::StrCat("t", thread, "-", step);
    const std::string& column = columns_[random() % 2];
    const auto position = random() % (kCards * 2);
    if (step % 10 == 0) {
      return Run("kanban_create_card", {{"columnId", column}, {"title", change}, {"position", position}}, change);
    }
    return Run("kanban_move_card",
               {{"cardId", cards_[random() % kCards]}, {"columnId", column}, {"position", position}}, change);
  });
  ExpectPermutation(kCards + kThreads * kMovesEach / 10);
}

}  // namespace
}  // namespace toolgate::executors::kanban
