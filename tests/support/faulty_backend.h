// A backend that fails when blocks, links or files are read or changed.
#ifndef TOOLGATE_TESTS_SUPPORT_FAULTY_BACKEND_H_
#define TOOLGATE_TESTS_SUPPORT_FAULTY_BACKEND_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/fault.h"
#include "tests/support/forwarding_backend.h"

namespace toolgate::testing {

class FaultyBlockRows final : public storage::BlockRows {
 public:
  explicit FaultyBlockRows(const absl::Status& fault) : fault_(storage::MarkFault(fault)) {}

  absl::StatusOr<std::vector<storage::Block>> Find(storage::Ids) override { return fault_; }
  absl::StatusOr<std::vector<storage::BlockPlace>> FindPlaces(storage::Ids) override { return fault_; }
  absl::StatusOr<std::vector<storage::Block>> ListChildren(std::string_view, const storage::SiblingPlace&,
                                                           int64_t) override {
    return fault_;
  }
  absl::StatusOr<std::vector<storage::Block>> ListBelow(std::string_view) override { return fault_; }
  absl::StatusOr<std::vector<storage::Block>> FindOneChildOfEach(storage::Ids) override { return fault_; }
  absl::Status VisitSizes(std::string_view, storage::Below,
                          absl::FunctionRef<bool(std::string_view, int64_t)>) override {
    return fault_;
  }
  absl::StatusOr<int64_t> MeasureHeight(std::string_view, int64_t) override { return fault_; }
  absl::StatusOr<storage::Neighbours> FindNeighbours(std::string_view, std::optional<int64_t>,
                                                     std::string_view) override {
    return fault_;
  }
  absl::StatusOr<std::vector<std::string>> FindSharedRanks(storage::Ids) override { return fault_; }
  absl::StatusOr<int64_t> CountBefore(const storage::Block&) override { return fault_; }
  absl::StatusOr<storage::BlockPage> Query(const storage::BlockQuery&) override { return fault_; }
  absl::StatusOr<storage::SearchPage> Search(const storage::SearchQuery&) override { return fault_; }
  absl::Status Write(absl::Span<const storage::BlockWrite>) override { return fault_; }

 private:
  const absl::Status fault_;
};

class FaultyLinkRows final : public storage::LinkRows {
 public:
  explicit FaultyLinkRows(const absl::Status& fault) : fault_(storage::MarkFault(fault)) {}

  absl::StatusOr<std::vector<storage::Link>> Find(absl::Span<const storage::LinkKey>) override { return fault_; }
  absl::StatusOr<std::vector<storage::Link>> List(std::string_view, int64_t) override { return fault_; }
  absl::StatusOr<std::vector<storage::Link>> FindOfBlocks(storage::Ids) override { return fault_; }
  absl::Status Erase(absl::Span<const storage::Link>) override { return fault_; }
  absl::Status Insert(absl::Span<const storage::Link>) override { return fault_; }

 private:
  const absl::Status fault_;
};

class FaultyFileRows final : public storage::FileRows {
 public:
  explicit FaultyFileRows(const absl::Status& fault) : fault_(storage::MarkFault(fault)) {}

  absl::StatusOr<std::optional<storage::FileHead>> Find(std::string_view) override { return fault_; }
  absl::StatusOr<std::map<int64_t, std::string>> ReadPages(std::string_view, absl::Span<const int64_t>) override {
    return fault_;
  }
  absl::Status Write(std::string_view, const storage::FileHead&, const std::map<int64_t, std::string>&) override {
    return fault_;
  }

 private:
  const absl::Status fault_;
};

// While `fault` is not OK, blocks, links and files fail with it; everything else works, so that only tools encounter
// the fault, and a call's records can be kept.
class FaultyBackend final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;

  absl::Status fault;

  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend().Read(workspace_id, patience, [&](storage::Rows& rows) { return RunFaulty(rows, body); });
  }
  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend().Commit(context, mode, cancellation, [&](storage::Rows& rows) { return RunFaulty(rows, body); });
  }

 private:
  class FaultyRows final : public ForwardingRows {
   public:
    FaultyRows(storage::Rows& rows, const absl::Status& fault)
        : ForwardingRows(rows), blocks_(fault), links_(fault), files_(fault) {}

    storage::BlockRows& blocks() override { return blocks_; }
    storage::LinkRows& links() override { return links_; }
    storage::FileRows& files() override { return files_; }

   private:
    FaultyBlockRows blocks_;
    FaultyLinkRows links_;
    FaultyFileRows files_;
  };

  absl::Status RunFaulty(storage::Rows& rows, absl::FunctionRef<absl::Status(storage::Rows&)> body) {
    if (fault.ok()) return body(rows);
    FaultyRows faulty(rows, fault);
    return body(faulty);
  }
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAULTY_BACKEND_H_
