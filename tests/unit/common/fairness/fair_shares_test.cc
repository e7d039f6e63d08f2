#include "common/fairness/fair_shares.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::fairness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Shares kNoBounds;
constexpr Shares kDefaults{.of_user = 0.75, .of_workspace = 0.9};

// Callers that take, wait and give back, each named "workspace/user".
class Table {
 public:
  Table(int64_t total, const Shares& shares) : shares_(total, shares) {}

  // Takes as many units as the party may have, at most `wish`.
  int64_t TakeUpTo(const std::string& name, int64_t wish) {
    FairShares::Account& account = AccountOf(name);
    int64_t taken = 0;
    for (; taken < wish && shares_.Exceeded(account) == Bound::kNone; ++taken) shares_.Take(account);
    return taken;
  }
  void Wait(const std::string& name, int calls = 1) {
    for (int i = 0; i < calls; ++i) {
      waiting_.push_back(std::make_unique<Named>());
      waiting_.back()->name = name;
      waiting_.back()->account = &AccountOf(name);
      shares_.Join(*waiting_.back());
    }
  }
  void Release(const std::string& name) { shares_.Release(AccountOf(name)); }
  // Names of those who get a unit now.
  std::vector<std::string> Grants() {
    std::vector<std::string> names;
    while (FairShares::Waiter* const next = shares_.Grant()) names.push_back(static_cast<Named*>(next)->name);
    return names;
  }
  // Names in the order in which they get the one unit that `holder` gives back, each giving it back in turn.
  std::vector<std::string> ServeAll(std::string holder) {
    std::vector<std::string> served;
    while (true) {
      Release(holder);
      const std::vector<std::string> next = Grants();
      if (next.empty()) return served;
      served.push_back(next.front());
      holder = next.front();
    }
  }
  Bound BoundOf(const std::string& name) { return shares_.Exceeded(AccountOf(name)); }
  FairShares& shares() { return shares_; }

 private:
  struct Named : FairShares::Waiter {
    std::string name;
  };
  FairShares::Account& AccountOf(const std::string& name) {
    const auto found = accounts_.find(name);
    if (found != accounts_.end()) return *found->second;
    const size_t slash = name.find('/');
    const std::string workspace = name.substr(0, slash);
    const std::string user = name.substr(slash + 1);
    FairShares::Account& account = shares_.Open({workspace, user});
    accounts_.emplace(name, &account);
    return account;
  }

  FairShares shares_;
  std::map<std::string, FairShares::Account*> accounts_;
  std::vector<std::unique_ptr<Named>> waiting_;
};

TEST(FairSharesTest, WithoutBoundsOneMayTakeAll) {
  Table table(10, kNoBounds);
  EXPECT_EQ(table.TakeUpTo("w/a", 100), 10);
  EXPECT_EQ(table.BoundOf("w/a"), Bound::kTotal);
  EXPECT_EQ(table.BoundOf("w/b"), Bound::kTotal);
}

TEST(FairSharesTest, AUserHasItsShareOfWhatTheOthersLeave) {
  Table table(128, {.of_user = 0.75, .of_workspace = 1});
  EXPECT_EQ(table.TakeUpTo("w/a", 1000), 96);
  EXPECT_EQ(table.BoundOf("w/a"), Bound::kUser);
  EXPECT_EQ(table.TakeUpTo("w/b", 1000), 24);
  EXPECT_EQ(table.TakeUpTo("w/c", 1000), 6);
  EXPECT_EQ(table.TakeUpTo("w/d", 1000), 1);
  // The last one is for whoever has none.
  EXPECT_EQ(table.TakeUpTo("w/e", 1000), 1);
  EXPECT_EQ(table.BoundOf("w/f"), Bound::kTotal);
}

TEST(FairSharesTest, UsersOfOneWorkspaceTogetherHaveItsShare) {
  Table table(100, {.of_user = 0.75, .of_workspace = 0.9});
  int64_t taken = 0;
  for (int user = 0; user < 50; ++user) taken += table.TakeUpTo(absl::StrCat("w/", user), 1000);
  EXPECT_EQ(taken, 90);
  EXPECT_EQ(table.BoundOf("w/new"), Bound::kWorkspace);
  EXPECT_EQ(table.BoundOf("x/new"), Bound::kNone);
  EXPECT_EQ(table.TakeUpTo("x/new", 1000), 7);
}

TEST(FairSharesTest, TheSameUserIdInAnotherWorkspaceIsAnotherUser) {
  Table table(8, kDefaults);
  EXPECT_EQ(table.TakeUpTo("w/a", 1000), 6);
  EXPECT_EQ(table.TakeUpTo("x/a", 1000), 1);
}

TEST(FairSharesTest, AFewUnitsAreSharedToo) {
  Table one(1, kDefaults);
  EXPECT_EQ(one.TakeUpTo("w/a", 9), 1);
  Table two(2, kDefaults);
  EXPECT_EQ(two.TakeUpTo("w/a", 9), 1);
  EXPECT_EQ(two.TakeUpTo("x/b", 9), 1);
  Table four(4, kDefaults);
  EXPECT_EQ(four.TakeUpTo("w/a", 9), 3);
  EXPECT_EQ(four.TakeUpTo("x/b", 9), 1);
}

TEST(FairSharesTest, ASecondHeavyUserEndsWithAsMuchAsTheFirst) {
  Table table(70, {.of_user = 0.75, .of_workspace = 1});
  int64_t a = table.TakeUpTo("w/a", 1000);
  int64_t b = table.TakeUpTo("w/b", 1000);
  EXPECT_GT(a, 2 * b);
  table.Wait("w/a", 200);
  table.Wait("w/b", 200);
  // The calls of the first end one by one; those of the second last.
  for (int i = 0; i < 100 && a > b; ++i) {
    table.Release("w/a");
    --a;
    for (const std::string& name : table.Grants()) ++(name == "w/a" ? a : b);
  }
  EXPECT_EQ(a, 30);
  EXPECT_EQ(b, 30);
}

TEST(FairSharesTest, AmountsAreWeighedAsAWhole) {
  FairShares shares(100, {.of_user = 0.5, .of_workspace = 1});
  FairShares::Account& a = shares.Open({"w", "a"});
  EXPECT_EQ(shares.Exceeded(a, 50), Bound::kNone);
  EXPECT_EQ(shares.Exceeded(a, 51), Bound::kUser);
  EXPECT_EQ(shares.Exceeded(a, 101), Bound::kTotal);
  shares.Take(a, 50);
  FairShares::Account& b = shares.Open({"w", "b"});
  EXPECT_EQ(shares.Exceeded(b, 25), Bound::kNone);
  EXPECT_EQ(shares.Exceeded(b, 26), Bound::kUser);
}

TEST(FairSharesTest, TheFirstCallOfAnotherGoesBeforeTheSecondOfThisOne) {
  Table table(1, kDefaults);
  table.TakeUpTo("w/a", 1);
  table.Wait("w/a", 10);
  table.Wait("w/b");
  table.Wait("w/c", 2);
  EXPECT_THAT(table.ServeAll("w/a"),
              ElementsAre("w/a", "w/b", "w/c", "w/a", "w/c", "w/a", "w/a", "w/a", "w/a", "w/a", "w/a", "w/a", "w/a"));
}

TEST(FairSharesTest, WorkspacesTakeTurnsHoweverManyUsersTheyHave) {
  Table table(1, kDefaults);
  table.TakeUpTo("w/a", 1);
  for (const char* user : {"w/a", "w/b", "w/c"}) table.Wait(user, 2);
  table.Wait("x/d", 3);
  EXPECT_THAT(table.ServeAll("w/a"), ElementsAre("w/a", "x/d", "w/b", "x/d", "w/c", "x/d", "w/a", "w/b", "w/c"));
}

TEST(FairSharesTest, WhoIsAtItsBoundIsPassedOverAndKeepsItsTurn) {
  Table table(4, {.of_user = 0.5, .of_workspace = 1});
  table.TakeUpTo("w/a", 9);
  table.TakeUpTo("w/b", 9);
  table.TakeUpTo("w/c", 9);
  table.Wait("w/a");  // Has two of four.
  table.Wait("w/d");
  table.Release("w/c");
  EXPECT_THAT(table.Grants(), ElementsAre("w/d"));
  table.Release("w/d");
  EXPECT_THAT(table.Grants(), IsEmpty());
  table.Release("w/a");
  table.Release("w/a");
  EXPECT_THAT(table.Grants(), ElementsAre("w/a"));
}

TEST(FairSharesTest, OneThatLeavesTheLineHoldsUpNobody) {
  FairShares shares(1, kDefaults);
  FairShares::Account& a = shares.Open({"w", "a"});
  shares.Take(a);
  FairShares::Waiter first{.account = &a};
  FairShares::Waiter second{.account = &a};
  shares.Join(first);
  shares.Join(second);
  shares.Leave(first);
  shares.Leave(first);  // Once is enough.
  EXPECT_EQ(shares.waiting(), 1);
  shares.Release(a);
  EXPECT_EQ(shares.Grant(), &second);
  EXPECT_EQ(shares.Grant(), nullptr);
  EXPECT_FALSE(second.in_line);
}

TEST(FairSharesTest, KeepsABoundedNumberOfIdleAccounts) {
  FairShares shares(4, kDefaults);
  for (int i = 0; i < 10'000; ++i) {
    const std::string workspace = absl::StrCat("w", i);
    FairShares::Account& account = shares.Open({workspace, "u"});
    shares.Take(account);
    shares.Release(account);
    shares.Close(account);
  }
  EXPECT_EQ(shares.accounts(), FairShares::kMaxIdle);
  EXPECT_EQ(shares.taken(), 0);
}

TEST(FairSharesTest, RoomForAnyoneHoldsForTheOneWhoHasEverything) {
  for (int64_t total = 1; total <= 40; ++total) {
    Table table(total, kDefaults);
    for (int64_t taken = 0; taken < total; ++taken) {
      const bool room = table.shares().HasRoomForAnyone();
      EXPECT_EQ(room, table.BoundOf("w/a") == Bound::kNone) << taken << " of " << total;
      if (!room) break;
      table.TakeUpTo("w/a", 1);
    }
  }
}

// The same rules, written as plainly as possible: lists that are searched from the front.
class Reference {
 public:
  Reference(int64_t total, const Shares& shares) : total_(total), shares_(shares) {}

  bool MayTake(const Party& party) const {
    if (taken_.size() >= static_cast<size_t>(total_)) return false;
    const auto within = [this](double share, int64_t held) {
      const auto free = static_cast<double>(total_ - static_cast<int64_t>(taken_.size()));
      return static_cast<double>(held + 1) <= std::max(1.0, share * (static_cast<double>(held) + free) + 1e-9);
    };
    return within(shares_.of_user, std::count(taken_.begin(), taken_.end(), party)) &&
           within(shares_.of_workspace, std::count_if(taken_.begin(), taken_.end(), [&](const Party& other) {
                    return other.workspace_id == party.workspace_id;
                  }));
  }
  void Take(const Party& party) { taken_.push_back(party); }
  void Release(const Party& party) { taken_.erase(std::find(taken_.begin(), taken_.end(), party)); }
  void Join(const Party& party, int call) {
    line_.emplace_back(party, call);
    if (std::find(workspaces_.begin(), workspaces_.end(), party.workspace_id) == workspaces_.end()) {
      workspaces_.push_back(party.workspace_id);
    }
    if (std::find(users_.begin(), users_.end(), party) == users_.end()) users_.push_back(party);
  }
  void Leave(int call) {
    const auto found = std::find_if(line_.begin(), line_.end(), [&](const auto& row) { return row.second == call; });
    const Party party = found->first;
    line_.erase(found);
    Forget(party);
  }
  // The call that is next, or -1.
  int Grant() {
    for (const std::string_view workspace : workspaces_) {
      for (const Party& user : users_) {
        if (user.workspace_id != workspace || !MayTake(user)) continue;
        const Party party = user;
        const auto first =
            std::find_if(line_.begin(), line_.end(), [&](const auto& row) { return row.first == party; });
        const int call = first->second;
        line_.erase(first);
        users_.erase(std::find(users_.begin(), users_.end(), party));
        users_.push_back(party);
        workspaces_.erase(std::find(workspaces_.begin(), workspaces_.end(), party.workspace_id));
        workspaces_.push_back(party.workspace_id);
        Forget(party);
        Take(party);
        return call;
      }
    }
    return -1;
  }

 private:
  // A party without a call in line has no turn.
  void Forget(const Party& party) {
    const auto waits = [&](auto same) {
      return std::any_of(line_.begin(), line_.end(), [&](const auto& row) { return same(row.first); });
    };
    if (!waits([&](const Party& other) { return other == party; })) {
      users_.erase(std::find(users_.begin(), users_.end(), party));
    }
    if (!waits([&](const Party& other) { return other.workspace_id == party.workspace_id; })) {
      workspaces_.erase(std::find(workspaces_.begin(), workspaces_.end(), party.workspace_id));
    }
  }

  const int64_t total_;
  const Shares shares_;
  std::vector<Party> taken_;
  std::vector<std::pair<Party, int>> line_;
  std::vector<std::string_view> workspaces_;  // In the order of their turns, as the users are.
  std::vector<Party> users_;
};

// 200,000 random steps: the same grants in the same order, no unit lost, nobody left waiting who could have one.
TEST(FairSharesTest, DoesAsThePlainReferenceDoes) {
  const std::vector<std::string> ids = {"a", "b", "c", "d"};
  std::mt19937 random(7);
  const auto pick = [&](size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    const auto total = static_cast<int64_t>(1 + pick(12));
    const double choices[] = {1.0, 0.9, 0.75, 0.5, 0.1};
    const Shares bounds{.of_user = choices[pick(5)], .of_workspace = choices[pick(5)]};
    FairShares shares(total, bounds);
    Reference reference(total, bounds);
    struct Call : FairShares::Waiter {
      Party party;
      int number = 0;
    };
    std::list<Call> holding;
    std::list<Call> waiting;
    const auto grant = [&] {
      while (true) {
        FairShares::Waiter* const next = shares.Grant();
        const int expected = reference.Grant();
        ASSERT_EQ(next == nullptr ? -1 : static_cast<Call*>(next)->number, expected);
        if (next == nullptr) return;
        const auto place =
            std::find_if(waiting.begin(), waiting.end(), [&](const Call& call) { return &call == next; });
        holding.splice(holding.end(), waiting, place);
      }
    };
    for (int step = 0; step < 1000; ++step) {
      const size_t action = pick(10);
      if (action < 6) {
        Call call;
        call.party = {ids[pick(3)], ids[pick(4)]};
        call.number = step;
        call.account = &shares.Open(call.party);
        const bool may = shares.Exceeded(*call.account) == Bound::kNone;
        ASSERT_EQ(may, reference.MayTake(call.party));
        if (may) {
          shares.Take(*call.account);
          reference.Take(call.party);
          holding.push_back(call);
        } else if (waiting.size() < 20) {
          waiting.push_back(call);
          shares.Join(waiting.back());
          reference.Join(call.party, call.number);
        } else {
          shares.Close(*call.account);
        }
      } else if (action < 9 && !holding.empty()) {
        const auto done = std::next(holding.begin(), static_cast<std::ptrdiff_t>(pick(holding.size())));
        shares.Release(*done->account);
        reference.Release(done->party);
        grant();
        shares.Close(*done->account);
        holding.erase(done);
      } else if (!waiting.empty()) {
        const auto gone = std::next(waiting.begin(), static_cast<std::ptrdiff_t>(pick(waiting.size())));
        shares.Leave(*gone);
        shares.Close(*gone->account);
        reference.Leave(gone->number);
        waiting.erase(gone);
      }
      ASSERT_EQ(shares.taken(), static_cast<int64_t>(holding.size()));
      ASSERT_EQ(shares.waiting(), static_cast<int64_t>(waiting.size()));
      ASSERT_LE(shares.taken(), total);
      for (const Call& call : waiting) ASSERT_NE(shares.Exceeded(*call.account), Bound::kNone);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace toolgate::fairness
