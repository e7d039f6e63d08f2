// A store that counts what it is asked, and fails or repeats it on demand.
#ifndef TOOLGATE_TESTS_SUPPORT_UNRELIABLE_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_UNRELIABLE_STORE_H_

#include "storage/fault.h"
#include "storage/forwarding_store.h"

namespace toolgate::testing {

// Not thread-safe.
class UnreliableStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  int reads = 0;    // Calls of Read.
  int commits = 0;  // Calls of Commit that are not dry runs.
  int dry_runs = 0;

  // Answers to all reads and commits, unless OK; their bodies do not run.
  absl::Status refuse_reads;
  absl::Status refuse_commits;
  // Answer to all commits, unless OK, once their bodies have run to their end. Nothing is kept.
  absl::Status fail_commits;
  // How often each body runs in vain before the run that counts, as in a store that must retry.
  int retries = 0;

  using ForwardingStore::Read;
  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    ++reads;
    return refuse_reads.ok() ? store().Read(workspace_id, patience, body) : storage::MarkFault(refuse_reads);
  }

  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Transaction&)> body) override {
    ++(mode == storage::CommitMode::kDurable ? commits : dry_runs);
    if (!refuse_commits.ok()) return storage::MarkFault(refuse_commits);
    const int in_vain = fail_commits.ok() ? retries : retries + 1;
    for (int i = 0; i < in_vain; ++i) {
      absl::Status status = store().Commit(context, storage::CommitMode::kDryRun, cancellation, body);
      if (!status.ok()) return status;
    }
    return fail_commits.ok() ? store().Commit(context, mode, cancellation, body) : storage::MarkFault(fail_commits);
  }
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_UNRELIABLE_STORE_H_
