// Subjects of what a store tells when it has been committed.
#ifndef TOOLGATE_STORAGE_SIGNALS_H_
#define TOOLGATE_STORAGE_SIGNALS_H_

#include <functional>
#include <string>
#include <string_view>

namespace toolgate::storage {

// Called after a commit, once for each thing that others may wait for. Must be quick.
using OnSignal = std::function<void(std::string_view subject)>;

// A confirmation was decided or used. Ids hold no blanks.
inline std::string ConfirmationSignal(std::string_view workspace_id, std::string_view confirmation_id) {
  return std::string("confirmation ").append(workspace_id).append(" ").append(confirmation_id);
}

// A claim was settled.
inline std::string ClaimSignal(std::string_view workspace_id, std::string_view claim_id) {
  return std::string("claim ").append(workspace_id).append(" ").append(claim_id);
}

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_SIGNALS_H_
