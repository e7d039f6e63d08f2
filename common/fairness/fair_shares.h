// Division of something scarce among callers.
#ifndef TOOLGATE_COMMON_FAIRNESS_FAIR_SHARES_H_
#define TOOLGATE_COMMON_FAIRNESS_FAIR_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"

namespace toolgate::fairness {

// The caller who is charged. Borrowed for the length of a call.
struct Party {
  std::string_view workspace_id;
  std::string_view user_id;
  friend bool operator==(const Party& a, const Party& b) = default;
};

// The most that one user, and all users of one workspace together, may hold of what the others leave. 1 is no bound.
struct Shares {
  double of_user = 1;
  double of_workspace = 1;
};

// The bound that keeps a party from taking an amount.
enum class Bound { kNone, kTotal, kUser, kWorkspace };

// Keeps account of an amount (slots, bytes) that callers hold, and decides who may take more.
//
// A party may hold its share of what it holds plus what is free (a dynamic threshold, after Choudhury and Hahne). With
// a share of 3/4 a user alone may have three quarters of the whole, a second one three quarters of the rest, and so on:
// no single user, nor a few of them, can take everything, and nothing is set aside for users who are not there. One
// unit may always be taken by who has none, as long as one is free.
//
// Those who wait for a unit stand in a fair line: workspaces take turns, in each its users do, and the calls of a user
// are first-in-first-out. So the first call of a user comes before the second of any other that waits as long. Who is
// at its bound is passed over and keeps its turn.
//
// Not thread-safe. Memory: an account for each party that holds or waits, and for at most kMaxIdle others.
class FairShares {
 public:
  // One user in one workspace, with what it holds.
  class Account;
  // A call that waits for one unit. Owned by the call, which leaves the line before it destroys this.
  struct Waiter {
    Account* account = nullptr;
    std::list<Waiter*>::iterator turn = {};
    bool in_line = false;
  };

  // With a `total` of 0 nothing may be taken.
  FairShares(int64_t total, const Shares& shares);
  ~FairShares();
  FairShares(const FairShares&) = delete;
  FairShares& operator=(const FairShares&) = delete;

  // The account of `party`. It lasts until as many calls of Close.
  Account& Open(const Party& party);
  void Close(Account& account);

  // The bound that would be exceeded by taking so much more.
  Bound Exceeded(const Account& account, int64_t amount = 1) const;
  // Whether no party exceeds a bound by taking one more unit.
  bool HasRoomForAnyone() const;
  // Takes, whatever the bounds.
  void Take(Account& account, int64_t amount = 1);
  void Release(Account& account, int64_t amount = 1);

  // Puts `waiter`, whose account is set, at the end of its user's calls.
  void Join(Waiter& waiter);
  // Takes it out of the line, if it is still there.
  void Leave(Waiter& waiter);
  // Takes a unit for the next in line that may have one, and takes it out of the line. Null when there is none.
  Waiter* Grant();

  int64_t total() const { return total_; }
  // More than `total` when units were taken beyond it.
  int64_t taken() const { return taken_; }
  int64_t waiting() const { return waiting_; }
  // Accounts kept, for tests.
  size_t accounts() const { return accounts_.size(); }

  // Accounts of parties that hold nothing, kept so that a party that calls again and again costs no allocation.
  static constexpr size_t kMaxIdle = 64;

 private:
  struct Workspace;
  using AccountPtr = std::unique_ptr<Account>;
  using WorkspacePtr = std::unique_ptr<Workspace>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Party& party) const;
    size_t operator()(const AccountPtr& account) const;
    size_t operator()(std::string_view workspace_id) const;
    size_t operator()(const WorkspacePtr& workspace) const;
  };
  struct Equal {
    using is_transparent = void;
    static Party Of(const Party& party) { return party; }
    static Party Of(const AccountPtr& account);
    static std::string_view Of(std::string_view workspace_id) { return workspace_id; }
    static std::string_view Of(const WorkspacePtr& workspace);
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };

  // Whether `held` plus `amount` is within `share` of `held` plus what is free.
  bool IsWithin(double share, int64_t held, int64_t amount) const;
  Workspace& WorkspaceOf(std::string_view id);
  void Forget(Account& account);

  const int64_t total_;
  const Shares shares_;
  int64_t taken_ = 0;
  int64_t waiting_ = 0;
  absl::flat_hash_set<AccountPtr, Hash, Equal> accounts_;
  absl::flat_hash_set<WorkspacePtr, Hash, Equal> workspaces_;
  std::list<Account*> idle_;     // Longest first.
  std::list<Workspace*> turns_;  // Those with calls in line, in the order of their turns.
};

}  // namespace toolgate::fairness

#endif  // TOOLGATE_COMMON_FAIRNESS_FAIR_SHARES_H_
