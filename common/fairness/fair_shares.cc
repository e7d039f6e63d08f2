#include "common/fairness/fair_shares.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "common/absl_bridge.h"

namespace toolgate::fairness {
namespace {

// Shares are decimal fractions, which a double only comes near.
constexpr double kRounding = 1e-9;

}  // namespace

struct FairShares::Workspace {
  explicit Workspace(std::string_view workspace_id) : id(workspace_id) {}

  const std::string id;
  int64_t taken = 0;
  int64_t accounts = 0;
  std::list<Account*> turns = {};  // Of its users with calls in line.
  std::list<Workspace*>::iterator turn = {};
};

class FairShares::Account {
 public:
  Account(Workspace& in_workspace, std::string_view user) : workspace(in_workspace), user_id(user) {}
  Party party() const { return {workspace.id, user_id}; }

  Workspace& workspace;
  const std::string user_id;
  int64_t taken = 0;
  int64_t references = 0;
  std::list<Waiter*> line = {};
  std::list<Account*>::iterator turn = {};  // Among its workspace's, while its line is not empty.
  std::list<Account*>::iterator idle = {};  // While there is no reference.
};

size_t FairShares::Hash::operator()(const Party& party) const {
  return absl::HashOf(ToAbsl(party.workspace_id), ToAbsl(party.user_id));
}
size_t FairShares::Hash::operator()(const AccountPtr& account) const { return (*this)(account->party()); }
size_t FairShares::Hash::operator()(std::string_view workspace_id) const { return absl::HashOf(ToAbsl(workspace_id)); }
size_t FairShares::Hash::operator()(const WorkspacePtr& workspace) const { return (*this)(workspace->id); }
Party FairShares::Equal::Of(const AccountPtr& account) { return account->party(); }
std::string_view FairShares::Equal::Of(const WorkspacePtr& workspace) { return workspace->id; }

FairShares::FairShares(int64_t total, const Shares& shares) : total_(total), shares_(shares) {}

FairShares::~FairShares() = default;

FairShares::Account& FairShares::Open(const Party& party) {
  const auto found = accounts_.find(party);
  if (found != accounts_.end()) {
    Account& account = **found;
    if (account.references++ == 0) idle_.erase(account.idle);
    return account;
  }
  Workspace& workspace = WorkspaceOf(party.workspace_id);
  auto added = std::make_unique<Account>(workspace, party.user_id);
  Account& account = *added;
  ++workspace.accounts;
  account.references = 1;
  accounts_.insert(std::move(added));
  return account;
}

FairShares::Workspace& FairShares::WorkspaceOf(std::string_view id) {
  const auto found = workspaces_.find(id);
  return found != workspaces_.end() ? **found : **workspaces_.insert(std::make_unique<Workspace>(id)).first;
}

void FairShares::Close(Account& account) {
  if (--account.references > 0) return;
  account.idle = idle_.insert(idle_.end(), &account);
  if (idle_.size() > kMaxIdle) Forget(*idle_.front());
}

void FairShares::Forget(Account& account) {
  idle_.erase(account.idle);
  Workspace& workspace = account.workspace;
  accounts_.erase(accounts_.find(account.party()));
  if (--workspace.accounts == 0) workspaces_.erase(workspaces_.find(std::string_view(workspace.id)));
}

bool FairShares::IsWithin(double share, int64_t held, int64_t amount) const {
  const int64_t free = std::max<int64_t>(total_ - taken_, 0);
  const double most = std::max(1.0, share * static_cast<double>(held + free) + kRounding);
  return static_cast<double>(held + amount) <= most;
}

Bound FairShares::Exceeded(const Account& account, int64_t amount) const {
  if (amount > total_ - taken_) return Bound::kTotal;
  if (!IsWithin(shares_.of_user, account.taken, amount)) return Bound::kUser;
  if (!IsWithin(shares_.of_workspace, account.workspace.taken, amount)) return Bound::kWorkspace;
  return Bound::kNone;
}

// The worst case is a party that holds all that is taken.
bool FairShares::HasRoomForAnyone() const {
  return taken_ < total_ && IsWithin(std::min(shares_.of_user, shares_.of_workspace), taken_, 1);
}

void FairShares::Take(Account& account, int64_t amount) {
  account.taken += amount;
  account.workspace.taken += amount;
  taken_ += amount;
}

void FairShares::Release(Account& account, int64_t amount) { Take(account, -amount); }

void FairShares::Join(Waiter& waiter) {
  Account& account = *waiter.account;
  Workspace& workspace = account.workspace;
  if (account.line.empty()) {
    if (workspace.turns.empty()) workspace.turn = turns_.insert(turns_.end(), &workspace);
    account.turn = workspace.turns.insert(workspace.turns.end(), &account);
  }
  waiter.turn = account.line.insert(account.line.end(), &waiter);
  waiter.in_line = true;
  ++waiting_;
}

void FairShares::Leave(Waiter& waiter) {
  if (!std::exchange(waiter.in_line, false)) return;
  Account& account = *waiter.account;
  Workspace& workspace = account.workspace;
  --waiting_;
  account.line.erase(waiter.turn);
  if (!account.line.empty()) return;
  workspace.turns.erase(account.turn);
  if (workspace.turns.empty()) turns_.erase(workspace.turn);
}

FairShares::Waiter* FairShares::Grant() {
  if (taken_ >= total_) return nullptr;
  for (Workspace* const workspace : turns_) {
    for (Account* const account : workspace->turns) {
      if (Exceeded(*account) != Bound::kNone) continue;
      Waiter& next = *account->line.front();
      // Their turn is over, and comes again after that of all others.
      workspace->turns.splice(workspace->turns.end(), workspace->turns, account->turn);
      turns_.splice(turns_.end(), turns_, workspace->turn);
      Leave(next);
      Take(*account);
      return &next;
    }
  }
  return nullptr;
}

}  // namespace toolgate::fairness
