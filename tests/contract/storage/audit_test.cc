// The audit log: search, and the integrity of its chain.
#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "gmock/gmock.h"
#include "storage/audit_chain.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AuditTest : public StoreTest {
 protected:
  std::vector<std::string> Found(const AuditQuery& query, std::string_view workspace = "w") {
    std::vector<std::string> ids;
    const auto entries = store_->SearchAudit(workspace, {}, query);
    EXPECT_TRUE(entries.ok()) << entries.status();
    for (const v1::AuditEntry& entry : *entries) ids.push_back(entry.id());
    return ids;
  }
  static AuditQuery Where(absl::FunctionRef<void(AuditQuery&)> set) {
    AuditQuery query;
    set(query);
    return query;
  }
  void Append(const std::vector<v1::AuditEntry>& entries) {
    const absl::Status status = store_->AppendAudit(entries);
    ASSERT_TRUE(status.ok()) << status;
  }
  // All steps from `from` on; returns the number of dropped entries.
  int64_t Trim(absl::Time before, int64_t from = 0) {
    int64_t dropped = 0;
    do {
      const auto step = store_->TrimAudit(before, from);
      EXPECT_TRUE(step.ok()) << step.status();
      if (!step.ok()) break;
      dropped += step->dropped;
      from = step->next;
    } while (from != 0);
    return dropped;
  }
};

TEST_P(AuditTest, EntriesAreChainedBySequence) {
  Append({Entry("a"), Entry("b")});
  ASSERT_TRUE(Commit([&](Transaction& t) { return t.AppendAudit(Entry("c")); }).ok());
  const auto entries = store_->SearchAudit("w", {}, {});
  ASSERT_EQ(entries->size(), 3u);
  std::string previous(32, '\0');
  for (int i = 2; i >= 0; --i) {
    v1::AuditEntry entry = (*entries)[i];
    EXPECT_EQ(entry.sequence(), 3 - i);
    EXPECT_EQ(entry.previous_hash(), previous);
    previous = entry.entry_hash();
    entry.clear_sequence();
    entry.clear_entry_hash();
    const std::string before = entry.previous_hash();
    entry.clear_previous_hash();
    EXPECT_EQ(ChainedHash(before, entry.SerializeAsString()), previous);
  }
  const auto report = store_->VerifyChain("w", {});
  EXPECT_TRUE(report->valid) << report->problem;
  EXPECT_EQ(report->entries_checked, 3);
  EXPECT_EQ(report->first_sequence, 1);
  EXPECT_EQ(report->last_sequence, 3);
  EXPECT_EQ(report->head_hash, previous);
}

TEST_P(AuditTest, EntryOfAFailedOrDryTransactionIsNotKept) {
  EXPECT_FALSE(Commit([&](Transaction& t) -> absl::Status {
                 EXPECT_TRUE(t.AppendAudit(Entry("failed")).ok());
                 return MakeError(ErrorCode::kConflict, "no");
               }).ok());
  ASSERT_TRUE(
      store_
          ->Commit(Context(), CommitMode::kDryRun, never_, [&](Transaction& t) { return t.AppendAudit(Entry("dry")); })
          .ok());
  ASSERT_TRUE(Commit([&](Transaction& t) {
                EXPECT_FALSE(t.Nested([&] {
                                EXPECT_TRUE(t.AppendAudit(Entry("nested")).ok());
                                return MakeError(ErrorCode::kConflict, "no");
                              }).ok());
                return t.AppendAudit(Entry("kept"));
              }).ok());
  EXPECT_THAT(Found({}), ElementsAre("kept"));
}

TEST_P(AuditTest, FiltersFindExactlyTheirEntries) {
  v1::AuditEntry a = Entry("a");
  a.set_user_id("bob");
  a.set_user_name("Bob Bobson");
  a.set_tool_id("delete_block");
  a.set_conversation_id("talk");
  a.set_request_id("request");
  a.set_ai_model("glm");
  a.add_affected_block_ids("x");
  a.add_affected_block_ids("y");
  a.set_params_json(R"({"blockId":"x"})");
  v1::AuditEntry b = Entry("b");
  b.set_success(false);
  b.mutable_error()->set_message("The Budget is gone");
  b.set_tool_id("delete_block");
  b.add_affected_block_ids("y");
  v1::InjectionFinding& finding = *b.add_injection_findings();
  finding.set_rule_id("override.ignore");
  finding.set_family("instruction_override");
  Append({a, b});
  clock_.Advance(absl::Hours(1));
  Append({Entry("c")});

  EXPECT_THAT(Found({}), ElementsAre("c", "b", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.user_id = "bob"; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.block_id = "y"; })), ElementsAre("b", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) {
                q.block_id = "y";
                q.user_id = "alice";
              })),
              ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.tool_id = "delete_block"; })), ElementsAre("b", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.conversation_id = "talk"; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.request_id = "request"; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.user_id = "talk"; })), IsEmpty());
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.ai_actions_only = true; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.with_findings = true; })), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.finding = "override.ignore"; })), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.finding = "instruction_override"; })), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.finding = "override"; })), IsEmpty());
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.success = false; })), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.success = true; })), ElementsAre("c", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.start = clock_.Now(); })), ElementsAre("c"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.end = clock_.Now(); })), ElementsAre("b", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.text = "BUDGET"; })), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.text = "bobson"; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.text = "blockid"; })), ElementsAre("a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.text = "Delete_"; })), ElementsAre("b", "a"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.text = "%"; })), IsEmpty());
}

TEST_P(AuditTest, PagesBySequence) {
  std::vector<v1::AuditEntry> entries;
  for (int i = 1; i <= 7; ++i) entries.push_back(Entry(absl::StrCat("e", i)));
  Append({entries.begin(), entries.begin() + 5});
  Append({entries.begin() + 5, entries.end()});
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.limit = 3; })), ElementsAre("e7", "e6", "e5"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) {
                q.limit = 3;
                q.before_sequence = 5;
              })),
              ElementsAre("e4", "e3", "e2"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) {
                q.user_id = "alice";
                q.limit = 3;
                q.before_sequence = 2;
              })),
              ElementsAre("e1"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.limit = 0; })), IsEmpty());
}

TEST_P(AuditTest, EntryIsFoundByIdWheneverItWasMade) {
  IdSource& ids = IdSource::Real();
  const std::string usual = ids.NewId(clock_.Now());
  const std::string early = ids.NewId(clock_.Now() - absl::Hours(48));
  const std::string late = ids.NewId(clock_.Now() + absl::Hours(48));
  Append({Entry("odd"), Entry(usual), Entry(early)});
  Append({Entry(late)});
  for (const std::string& id : {usual, early, late, std::string("odd")}) {
    const auto entry = store_->GetAudit("w", {}, id);
    ASSERT_TRUE(entry.ok()) << id << ": " << entry.status();
    EXPECT_EQ(entry->id(), id);
    EXPECT_GT(entry->sequence(), 0);
    EXPECT_EQ(entry->entry_hash().size(), 32u);
  }
  EXPECT_EQ(CodeOf(store_->GetAudit("w", {}, "ghost").status()), "NOT_FOUND");
  EXPECT_EQ(CodeOf(store_->GetAudit("w", {}, ids.NewId(clock_.Now())).status()), "NOT_FOUND");
  EXPECT_EQ(CodeOf(store_->GetAudit("w", {}, usual.substr(0, 20)).status()), "NOT_FOUND");
}

TEST_P(AuditTest, ChainsOfWorkspacesAreSeparate) {
  Append({Entry("a"), Entry("b", "other"), Entry("c")});
  EXPECT_THAT(Found({}), ElementsAre("c", "a"));
  EXPECT_THAT(Found({}, "other"), ElementsAre("b"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.user_id = "alice"; }), "third"), IsEmpty());
  EXPECT_EQ(CodeOf(store_->GetAudit("other", {}, "a").status()), "NOT_FOUND");
  EXPECT_EQ(store_->VerifyChain("other", {})->entries_checked, 1);
  EXPECT_EQ(store_->VerifyChain("third", {})->entries_checked, 0);
  EXPECT_TRUE(store_->VerifyChain("third", {})->valid);
  EXPECT_EQ(Commit([&](Transaction& t) { return t.AppendAudit(Entry("d", "other")); }).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(AuditTest, ChainGoesOnAfterReopening) {
  Append({Entry("a")});
  Reopen();
  Append({Entry("b")});
  const auto report = store_->VerifyChain("w", {});
  EXPECT_TRUE(report->valid) << report->problem;
  EXPECT_EQ(report->last_sequence, 2);
}

TEST_P(AuditTest, TrimmingLeavesTheRestVerifiable) {
  for (int i = 0; i < 5; ++i) {
    Append({Entry(absl::StrCat("a", i)), Entry(absl::StrCat("b", i))});
    clock_.Advance(absl::Hours(1));
  }
  EXPECT_EQ(Trim(clock_.Now() - absl::Hours(2)), 6);
  EXPECT_THAT(Found({}), ElementsAre("b4", "a4", "b3", "a3"));
  EXPECT_THAT(Found(Where([&](AuditQuery& q) { q.user_id = "alice"; })), ElementsAre("b4", "a4", "b3", "a3"));
  const auto report = store_->VerifyChain("w", {});
  EXPECT_TRUE(report->valid) << report->problem;
  EXPECT_EQ(report->first_sequence, 7);
  EXPECT_EQ(report->entries_checked, 4);
  EXPECT_EQ(store_->GetAudit("w", {}, "a3")->previous_hash().size(), 32u);

  EXPECT_EQ(Trim(clock_.Now()), 4);
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
  Append({Entry("next")});
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
  EXPECT_EQ(store_->VerifyChain("w", {})->last_sequence, 11);
  EXPECT_EQ(Trim(clock_.Now()), 0);
}

TEST_P(AuditTest, TrimmingGoesInStepsThroughALongLog) {
  constexpr int kEntries = 5000;
  for (int i = 0; i < kEntries; i += 100) {
    std::vector<v1::AuditEntry> entries;
    for (int j = i; j < i + 100; ++j) entries.push_back(Entry(absl::StrCat("e", j)));
    Append(entries);
  }
  clock_.Advance(absl::Hours(1));
  const auto first = store_->TrimAudit(clock_.Now(), 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_NE(first->next, 0);
  EXPECT_GT(first->dropped, 0);
  EXPECT_LT(first->dropped, kEntries / 2);
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
  EXPECT_EQ(Trim(clock_.Now(), first->next), kEntries - first->dropped);
  EXPECT_THAT(Found({}), IsEmpty());
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

TEST_P(AuditTest, TrimmingGoesInStepsThroughManyWorkspaces) {
  constexpr int kWorkspaces = 2500;
  std::vector<v1::AuditEntry> entries;
  for (int i = 0; i < kWorkspaces; ++i) {
    entries.push_back(Entry("e"));
    entries.back().set_workspace_id(absl::StrCat("w", i));
  }
  Append(entries);
  clock_.Advance(absl::Hours(1));
  const auto first = store_->TrimAudit(clock_.Now(), 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_NE(first->next, 0);
  EXPECT_LT(first->dropped, kWorkspaces / 2);
  EXPECT_EQ(Trim(clock_.Now(), first->next), kWorkspaces - first->dropped);
  // Finding nothing to drop is work as well.
  EXPECT_NE(store_->TrimAudit(clock_.Now(), 0)->next, 0);
}

TEST_P(AuditTest, EntryIsStoredWithoutItsPlace) {
  v1::AuditEntry entry = Entry("a");
  entry.set_sequence(99);
  entry.set_entry_hash("made up");
  Append({entry});
  EXPECT_EQ(store_->GetAudit("w", {}, "a")->sequence(), 1);
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

INSTANTIATE_TEST_SUITE_P(Stores, AuditTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
