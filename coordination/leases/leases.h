// Rights that one call at a time has, among all processes that use the store.
#ifndef TOOLGATE_COORDINATION_LEASES_LEASES_H_
#define TOOLGATE_COORDINATION_LEASES_LEASES_H_

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::coordination::leases {

// Names a lease. Neither is empty, but the workspace of what belongs to none.
struct LeaseName {
  std::string workspace_id;
  std::string subject;

  friend bool operator<(const LeaseName& a, const LeaseName& b) {
    return std::tie(a.workspace_id, a.subject) < std::tie(b.workspace_id, b.subject);
  }
};

// A lease keeps others away while its holder works, so that they need not begin what they could not finish. It is no
// fence: a process that is stopped for longer than a lease lasts may go on beside the next holder. Whatever must not
// happen twice is checked in the commit that does it. Thread-safe.
class Leases {
 public:
  // Held until it is destroyed, or its process has not renewed it in time.
  class Lease {
   public:
    Lease(Lease&& other) noexcept : leases_(std::exchange(other.leases_, nullptr)), name_(std::move(other.name_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (leases_ != nullptr) leases_->Release(name_);
    }

   private:
    friend class Leases;
    Lease(Leases& leases, LeaseName name) : leases_(&leases), name_(std::move(name)) {}

    Leases* leases_;
    LeaseName name_;
  };

  virtual ~Leases() = default;

  // Nothing while another call has it, here or elsewhere. May wait for the store, like the end of a lease. Errors are
  // the store's. The lease borrows this.
  absl::StatusOr<std::optional<Lease>> TryTake(LeaseName name);

  // Extends all leases that are held here. To be called every few seconds.
  virtual absl::Status Renew() = 0;

 protected:
  // Whether the name was free.
  virtual absl::StatusOr<bool> Take(const LeaseName& name) = 0;
  virtual void Release(const LeaseName& name) = 0;
};

}  // namespace toolgate::coordination::leases

#endif  // TOOLGATE_COORDINATION_LEASES_LEASES_H_
