#include "executors/directory/change_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "executors/directory/directories.h"
#include "executors/directory/path.h"
#include "gmock/gmock.h"
#include "tests/unit/executors/directory/directory_fixture.h"

namespace toolgate::executors::directory {
namespace {

using ::testing::HasSubstr;

// A process that ends at a step of a change, as far as the files are concerned.
struct Crash {};

// A killed process runs no destructors.
ChangeSet& Abandoned(std::unique_ptr<ChangeSet> changes) {
  static auto* const all = new std::vector<ChangeSet*>();
  all->push_back(changes.release());
  return *all->back();
}

class ChangeSetTest : public DirectoryFixture {
 protected:
  using Build = std::function<absl::Status(ChangeSet&)>;

  absl::StatusOr<storage::Effect> Change(testing::BareSession& session, const Build& build) {
    auto lock = directory_->Lock(session);
    RETURN_IF_ERROR(lock.status());
    auto changes = ChangeSet::Begin(*directory_, session, never_);
    RETURN_IF_ERROR(changes.status());
    RETURN_IF_ERROR(build(**changes));
    RETURN_IF_ERROR((*changes)->Apply("the note"));
    auto kept = (*changes)->Keep();
    RETURN_IF_ERROR(kept.status());
    reversible_ = kept->reversible;
    return kept->effect;
  }
  absl::StatusOr<storage::Effect> Change(const Build& build) { return Change(*Session(NextKey()), build); }
  std::string NextKey() { return "key-" + std::to_string(++keys_); }

  absl::StatusOr<storage::Effect> Reverse(const storage::Effect& effect, testing::BareSession& session) {
    if (directories_ == nullptr) {
      Directories::Options options;
      options.workspaces = {{"w", root()}};
      options.deny_list = DenyList::Create({}).value();
      options.limits = directory_->limits();
      options.on_step = [this](std::string_view step) {
        if (on_step_ != nullptr) on_step_(step);
      };
      directories_ = std::make_shared<Directories>(options);
    }
    const Json none = Json::object();
    Caller caller;
    caller.workspace_id = "w";
    const fibers::Cancellation never;
    ToolContext context{none, caller, absl::Now(), absl::UTCTimeZone(), never, IdSource::Real()};
    return FilesReverser(directories_)(effect, context, session);
  }
  absl::StatusOr<storage::Effect> Reverse(const storage::Effect& effect) {
    return Reverse(effect, *Session(NextKey()));
  }

  // A tree in which a change of every sort is made.
  void MakeTree() {
    Put("keep", "same");
    Put("replace", "old");
    Put("remove", "gone");
    Put("chmod", "mode");
    Put("folder/in", "x");
    Put("becomes_folder", "file");
    Put("becomes_file/child", "y");
    Link("replace", "link");
    chmod(PathTo("replace").c_str(), 0640);
  }
  static absl::Status MakeEveryChange(ChangeSet& changes) {
    RETURN_IF_ERROR(changes.SetFile("replace", "new", 0640));
    RETURN_IF_ERROR(changes.Remove("remove"));
    RETURN_IF_ERROR(changes.SetMode("chmod", 0755));
    RETURN_IF_ERROR(changes.MakeParents("a/b/created"));
    RETURN_IF_ERROR(changes.SetFile("a/b/created", "fresh", 0600));
    RETURN_IF_ERROR(changes.Remove("folder/in"));
    RETURN_IF_ERROR(changes.Remove("folder"));
    RETURN_IF_ERROR(changes.SetFolder("becomes_folder", 0755));
    RETURN_IF_ERROR(changes.SetFile("becomes_folder/child", "z", 0644));
    RETURN_IF_ERROR(changes.Remove("becomes_file/child"));
    RETURN_IF_ERROR(changes.SetFile("becomes_file", "w", 0644));
    RETURN_IF_ERROR(changes.SetLink("link", "keep"));
    RETURN_IF_ERROR(changes.SetLink("new_link", "nowhere"));
    RETURN_IF_ERROR(changes.SetFolder("read_only", 0555));
    return changes.SetFile("read_only/file", "r", 0444);
  }

  int keys_ = 0;
  bool reversible_ = true;
  std::shared_ptr<Directories> directories_;
  std::function<void(std::string_view)> on_step_;
};

TEST_F(ChangeSetTest, WhatStaysAsItWasTakesNoPlace) {
  Put("same", "same");
  Put("gone", "gone");
  const auto effect = Change([](ChangeSet& changes) {
    RETURN_IF_ERROR(changes.SetFile("same", "same", 0644));
    return changes.Remove("gone");
  });
  ASSERT_TRUE(effect.ok()) << effect.status();
  EXPECT_FALSE(Exists("gone"));
  ASSERT_TRUE(Reverse(*effect).ok());
  EXPECT_EQ(Content("gone"), "gone");
}

TEST_F(ChangeSetTest, WritesReplacesAndRemoves) {
  MakeTree();
  const auto effect = Change(MakeEveryChange);
  ASSERT_TRUE(effect.ok()) << effect.status();
  EXPECT_EQ(Content("replace"), "new");
  EXPECT_EQ(Mode("replace"), 0640u);
  EXPECT_FALSE(Exists("remove"));
  EXPECT_EQ(Mode("chmod"), 0755u);
  EXPECT_EQ(Content("a/b/created"), "fresh");
  EXPECT_EQ(Mode("a/b/created"), 0600u);
  EXPECT_FALSE(Exists("folder"));
  EXPECT_EQ(Content("becomes_folder/child"), "z");
  EXPECT_EQ(Content("becomes_file"), "w");
  EXPECT_EQ(directory_->Look("link")->target, "keep");
  EXPECT_EQ(Mode("read_only"), 0555u);
}

TEST_F(ChangeSetTest, UndoAndRedoRestoreEverything) {
  MakeTree();
  const std::string before = Listing();
  const auto effect = Change(MakeEveryChange);
  ASSERT_TRUE(effect.ok()) << effect.status();
  const std::string after = Listing();
  auto redo = Reverse(*effect);
  ASSERT_TRUE(redo.ok()) << redo.status();
  EXPECT_EQ(Listing(), before);
  auto undo = Reverse(*redo);
  ASSERT_TRUE(undo.ok()) << undo.status();
  EXPECT_EQ(Listing(), after);
  ASSERT_TRUE(Reverse(*effect).ok());
  EXPECT_EQ(Listing(), before);
}

TEST_F(ChangeSetTest, NothingChangesWhenNothingWould) {
  Put("a", "same");
  chmod(PathTo("a").c_str(), 0644);
  const auto session = Session("k");
  const auto lock = directory_->Lock(*session);
  const auto changes = ChangeSet::Begin(*directory_, *session, never_).value();
  ASSERT_TRUE(changes->SetFile("a", "same", 0644).ok());
  EXPECT_TRUE(changes->empty());
}

TEST_F(ChangeSetTest, ModesAreCutToPermissions) {
  ASSERT_TRUE(Change([](ChangeSet& changes) { return changes.SetFile("a", "x", 06755); }).ok());
  EXPECT_EQ(Mode("a"), 0755u);
}

TEST_F(ChangeSetTest, RefusesWhatToolsMustNotChange) {
  ASSERT_EQ(mkfifo(PathTo("fifo").c_str(), 0600), 0);
  Put("d/x", "x");
  Link("d", "to_d");
  const auto code = [&](const Build& build) { return CodeName(Change(build).status()); };
  EXPECT_EQ(code([](ChangeSet& c) { return c.SetFile(".env", "x", 0644); }), "FORBIDDEN");
  EXPECT_EQ(code([](ChangeSet& c) { return c.SetFile(".toolgate/x", "x", 0644); }), "FORBIDDEN");
  EXPECT_EQ(code([](ChangeSet& c) { return c.SetFile("fifo", "x", 0644); }), "FORBIDDEN");
  EXPECT_EQ(code([](ChangeSet& c) { return c.Remove("fifo"); }), "FORBIDDEN");
  EXPECT_EQ(code([](ChangeSet& c) { return c.SetFile("to_d/x", "x", 0644); }), "CONFLICT") << "no link is followed";
  EXPECT_EQ(code([](ChangeSet& c) { return c.MakeParents("d/x/y/z"); }), "NOT_FOUND");
  EXPECT_EQ(Content("d/x"), "x");
}

TEST_F(ChangeSetTest, BoundsFilesAndTheirSum) {
  Limits limits = testing::kDirectoryLimits;
  limits.max_file_bytes = 100;
  limits.max_total_bytes = 150;
  limits.max_inline_bytes = 10;
  limits.max_image_bytes = 120;
  Open(limits);
  const auto code = [&](const Build& build) { return CodeName(Change(build).status()); };
  EXPECT_EQ(code([](ChangeSet& c) { return c.SetFile("a", std::string(101, 'x'), 0644); }), "QUOTA_EXCEEDED");
  EXPECT_EQ(code([](ChangeSet& c) {
              RETURN_IF_ERROR(c.SetFile("a", std::string(90, 'x'), 0644));
              return c.SetFile("b", std::string(90, 'x'), 0644);
            }),
            "QUOTA_EXCEEDED");
  EXPECT_FALSE(Exists("a"));
  Put("large", std::string(130, 'x'));
  EXPECT_EQ(code([](ChangeSet& c) { return c.Remove("large"); }), "QUOTA_EXCEEDED") << "could not be undone";
  EXPECT_EQ(Content("large").size(), 130u);
}

TEST_F(ChangeSetTest, AFailureLeavesNothing) {
  MakeTree();
  const std::string before = Listing();
  int moves = 0;
  directory_->OnStep([&](std::string_view step) {
    if (step == "about to move") ++moves;
  });
  // A folder that is not empty cannot go; it is the last of all removals, after some that worked.
  const auto failed = Change([](ChangeSet& changes) {
    RETURN_IF_ERROR(changes.Remove("remove"));
    RETURN_IF_ERROR(changes.Remove("becomes_file"));
    return changes.SetFile("replace", "new", 0640);
  });
  EXPECT_EQ(CodeName(failed.status()), "CONFLICT");
  EXPECT_EQ(moves, 2);
  EXPECT_EQ(Listing(), before);
  EXPECT_FALSE(Exists(".toolgate/staging/key-1"));
}

TEST_F(ChangeSetTest, AChangeBySomebodyElseIsPutBack) {
  Put("a", "old");
  Put("b", "old");
  // Right before the second file is moved, somebody else writes it.
  int moves = 0;
  directory_->OnStep([&](std::string_view step) {
    if (step == "about to move" && ++moves == 2) Put("b", "theirs");
  });
  const auto failed = Change([](ChangeSet& changes) {
    RETURN_IF_ERROR(changes.SetFile("a", "mine", 0644));
    return changes.SetFile("b", "mine", 0644);
  });
  EXPECT_EQ(CodeName(failed.status()), "CONFLICT");
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("\"b\""));
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(Content("b"), "theirs");
}

TEST_F(ChangeSetTest, AFileThatAppearsIsNotOverwritten) {
  directory_->OnStep([&](std::string_view step) {
    if (step == "about to move") Put("a", "theirs");
  });
  EXPECT_EQ(CodeName(Change([](ChangeSet& c) { return c.SetFile("a", "mine", 0644); }).status()), "CONFLICT");
  EXPECT_EQ(Content("a"), "theirs");
}

TEST_F(ChangeSetTest, TheParentMayBecomeALinkOutside) {
  Put("d/a", "old");
  directory_->OnStep([&](std::string_view step) {
    if (step != "about to move") return;
    std::filesystem::rename(PathTo("d"), PathTo("moved"));
    Link("../work-sibling", "d");
  });
  EXPECT_FALSE(Change([](ChangeSet& c) { return c.SetFile("d/canary", "mine", 0644); }).ok());
  EXPECT_EQ(Content("../work-sibling/canary"), kCanary);
}

TEST_F(ChangeSetTest, RefusesPathsThatChangedSinceAStamp) {
  Put("a", "old");
  const auto stamp = directory_->Stamp().value();
  const auto build = [&](ChangeSet& changes) {
    changes.RequireUnchangedSince(stamp);
    return changes.SetFile("a", "mine", 0644);
  };
  ASSERT_TRUE(Change(build).ok());
  EXPECT_EQ(CodeName(Change([&](ChangeSet& changes) {
                       changes.RequireUnchangedSince(stamp);
                       return changes.SetFile("a", "again", 0644);
                     }).status()),
            "CONFLICT");
}

TEST_F(ChangeSetTest, RefusesAnUnexpectedState) {
  Put("a", "old");
  const FileState expected = directory_->Look("a").value();
  Put("a", "theirs");
  EXPECT_EQ(CodeName(Change([&](ChangeSet& c) { return c.SetFile("a", "mine", 0644, expected); }).status()),
            "CONFLICT");
}

TEST_F(ChangeSetTest, UndoOfAFileThatChangedSinceIsAConflict) {
  Put("a", "old");
  Put("b", "old");
  const auto effect = Change([](ChangeSet& c) {
    RETURN_IF_ERROR(c.SetFile("a", "mine", 0644));
    return c.SetFile("b", "mine", 0644);
  });
  ASSERT_TRUE(effect.ok());
  Put("b", "theirs");
  const auto redo = Reverse(*effect);
  EXPECT_EQ(CodeName(redo.status()), "CONFLICT");
  EXPECT_THAT(std::string(redo.status().message()), HasSubstr("\"b\""));
  EXPECT_EQ(Content("a"), "mine") << "all or nothing";
}

TEST_F(ChangeSetTest, UndoLeavesFoldersThatOthersUse) {
  const auto effect = Change([](ChangeSet& c) {
    RETURN_IF_ERROR(c.MakeParents("n/m/file"));
    return c.SetFile("n/m/file", "x", 0644);
  });
  ASSERT_TRUE(effect.ok()) << effect.status();
  Put("n/theirs", "y");
  const auto redo = Reverse(*effect);
  ASSERT_TRUE(redo.ok()) << redo.status();
  EXPECT_FALSE(Exists("n/m"));
  EXPECT_EQ(Content("n/theirs"), "y");
  ASSERT_TRUE(Reverse(*redo).ok());
  EXPECT_EQ(Content("n/m/file"), "x");
}

TEST_F(ChangeSetTest, LargeOldContentsAreKeptBesideTheStore) {
  Limits limits = testing::kDirectoryLimits;
  limits.max_inline_bytes = 10;
  limits.max_image_bytes = 250;
  Open(limits);
  const std::string big(100, 'x');
  Put("a", big);
  const auto first = Change([](ChangeSet& c) { return c.SetFile("a", "small", 0644); });
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_LT(first->payload.size(), 400u);
  auto redo = Reverse(*first);
  ASSERT_TRUE(redo.ok()) << redo.status();
  EXPECT_EQ(Content("a"), big);
  ASSERT_TRUE(Reverse(*redo).ok());
  EXPECT_EQ(Content("a"), "small");
  ASSERT_TRUE(Reverse(*first).ok()) << "the image is still there";
  // Newer ones take its place.
  for (int i = 0; i < 3; ++i) {
    Put("b", std::string(100, static_cast<char>('0' + i)));
    ASSERT_TRUE(Change([](ChangeSet& c) { return c.Remove("b"); }).ok());
  }
  ASSERT_TRUE(Change([](ChangeSet& c) { return c.SetFile("a", "small", 0644); }).ok());
  EXPECT_EQ(CodeName(Reverse(*first).status()), "CANNOT_UNDO");
  EXPECT_EQ(Content("a"), "small");
}

TEST_F(ChangeSetTest, WhatIsTooLargeToKeepIsMarkedSo) {
  Limits limits = testing::kDirectoryLimits;
  limits.max_inline_bytes = 10;
  limits.max_image_bytes = 150;
  Open(limits);
  Put("a", std::string(100, 'x'));
  Put("b", std::string(100, 'x'));
  const auto effect = Change([](ChangeSet& c) {
    RETURN_IF_ERROR(c.Remove("a"));
    return c.Remove("b");
  });
  ASSERT_TRUE(effect.ok());
  EXPECT_FALSE(reversible_);
  EXPECT_EQ(CodeName(Reverse(*effect).status()), "CANNOT_UNDO");
}

TEST_F(ChangeSetTest, LongListsOfChangesGoBesideTheContents) {
  const auto effect = Change([](ChangeSet& c) {
    for (int i = 0; i < 2000; ++i) RETURN_IF_ERROR(c.SetFile("file" + std::to_string(i), "x", 0644));
    return absl::OkStatus();
  });
  ASSERT_TRUE(effect.ok()) << effect.status();
  ASSERT_TRUE(Reverse(*effect).ok());
  EXPECT_EQ(Listing(), "");
}

// Ends a change at its n-th step by an exception, which leaves the files as a killed process does.
TEST_F(ChangeSetTest, AChangeThatEndsAtAnyStepIsFinishedOrTakenBack) {
  int finished = 0;
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    std::filesystem::remove_all(root());
    std::filesystem::create_directory(root());
    Open();
    MakeTree();
    const std::string before = Listing();
    const auto session = Session("key");
    int steps = 0;
    bool ended = false;
    directory_->OnStep([&](std::string_view) {
      if (steps++ == at) throw Crash();
    });
    try {
      auto lock = directory_->Lock(*session).value();
      ChangeSet& changes = Abandoned(ChangeSet::Begin(*directory_, *session, never_).value());
      ASSERT_TRUE(MakeEveryChange(changes).ok());
      ASSERT_TRUE(changes.Apply("the note").ok());
      ASSERT_TRUE(changes.Keep().ok());
    } catch (const Crash&) {
      ended = true;
    }
    directory_->OnStep(nullptr);
    auto lock = std::make_unique<DirectoryLock>(directory_->Lock(*session).value());
    const auto recovery = ChangeSet::Recover(*directory_, *session);
    ASSERT_TRUE(recovery.ok()) << recovery.status();
    ASSERT_TRUE(recovery->failure.ok()) << recovery->failure;
    if (recovery->finished) {
      ++finished;
      EXPECT_EQ(recovery->note, "the note");
      const auto again = ChangeSet::Recover(*directory_, *session);
      EXPECT_TRUE(again.ok() && again->finished) << "it can be made again";
      EXPECT_EQ(Content("a/b/created"), "fresh");
      EXPECT_EQ(Mode("read_only"), 0555u);
      lock = nullptr;
      ASSERT_TRUE(Reverse(recovery->kept.effect).ok());
      directories_ = nullptr;
    }
    EXPECT_EQ(Listing(), before);
    if (HasFailure() || !ended) break;
  }
  EXPECT_GT(finished, 20);
}

TEST_F(ChangeSetTest, AnUndoThatEndsAtAnyStepIsMadeAgain) {
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    std::filesystem::remove_all(root());
    std::filesystem::create_directory(root());
    Open();
    directories_ = nullptr;
    MakeTree();
    const std::string before = Listing();
    const auto effect = Change(MakeEveryChange);
    ASSERT_TRUE(effect.ok()) << effect.status();
    const std::string after = Listing();
    const auto session = Session("undo");
    int steps = 0;
    bool ended = false;
    on_step_ = [&](std::string_view) {
      if (steps++ == at) throw Crash();
    };
    try {
      ASSERT_TRUE(Reverse(*effect, *session).ok());
    } catch (const Crash&) {
      ended = true;
    }
    on_step_ = nullptr;
    const auto redo = Reverse(*effect, *session);
    ASSERT_TRUE(redo.ok()) << redo.status();
    EXPECT_EQ(Listing(), before);
    const auto same = Reverse(*effect, *session);
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ(same->payload, redo->payload) << "idempotent";
    ASSERT_TRUE(Reverse(*redo).ok());
    EXPECT_EQ(Listing(), after);
    if (HasFailure() || !ended) break;
  }
}

// An undo of several changes of one file that is interrupted at any step, and made again from its beginning.
TEST_F(ChangeSetTest, ReversalsOfOneFileCanAllBeMadeAgain) {
  const std::vector<std::string> contents = {"a", "b", "a", "b"};
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    std::filesystem::remove_all(root());
    std::filesystem::create_directory(root());
    Open();
    directories_ = nullptr;
    Put("f", "start");
    chmod(PathTo("f").c_str(), 0644);
    std::vector<storage::Effect> effects;
    for (const std::string& content : contents) {
      effects.push_back(Change([&](ChangeSet& c) { return c.SetFile("f", content, 0644); }).value());
    }
    const auto session = Session("undo");
    const auto undo = [&] {
      std::vector<storage::Effect> redos;
      for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
        auto redo = Reverse(*effect, *session);
        ASSERT_TRUE(redo.ok()) << redo.status();
        redos.push_back(*std::move(redo));
      }
      EXPECT_EQ(Content("f"), "start");
      effects.assign(redos.begin(), redos.end());
    };
    int steps = 0;
    bool ended = false;
    on_step_ = [&](std::string_view) {
      if (steps++ == at) throw Crash();
    };
    const std::vector<storage::Effect> all = effects;
    try {
      undo();
    } catch (const Crash&) {
      ended = true;
    }
    on_step_ = nullptr;
    effects = all;
    undo();
    const auto redo = Session("redo");
    for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
      ASSERT_TRUE(Reverse(*effect, *redo).ok());
    }
    EXPECT_EQ(Content("f"), "b");
    if (HasFailure() || !ended) break;
  }
}

TEST_F(ChangeSetTest, RecoveryTakesBackWhereSomebodyElseWrote) {
  Put("a", "old");
  Put("b", "old");
  const auto session = Session("key");
  int moves = 0;
  directory_->OnStep([&](std::string_view step) {
    if (step == "moved" && ++moves == 1) throw Crash();
  });
  try {
    auto lock = directory_->Lock(*session).value();
    ChangeSet& changes = Abandoned(ChangeSet::Begin(*directory_, *session, never_).value());
    ASSERT_TRUE(changes.SetFile("a", "mine", 0644).ok());
    ASSERT_TRUE(changes.SetFile("b", "mine", 0644).ok());
    changes.Apply().IgnoreError();
    FAIL() << "it should have ended";
  } catch (const Crash&) {
  }
  directory_->OnStep(nullptr);
  Put("b", "theirs");
  const auto lock = directory_->Lock(*session).value();
  const auto recovery = ChangeSet::Recover(*directory_, *session).value();
  EXPECT_FALSE(recovery.finished);
  EXPECT_FALSE(recovery.partly);
  EXPECT_EQ(CodeName(recovery.failure), "CONFLICT");
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(Content("b"), "theirs");
}

// The process ends between the exchange and the look at what came out.
TEST_F(ChangeSetTest, RecoveryPutsBackWhatWasExchangedByMistake) {
  Put("a", "old");
  const auto session = Session("key");
  directory_->OnStep([&](std::string_view step) {
    if (step == "about to move") Put("a", "theirs");
    if (step == "exchanged") throw Crash();
  });
  try {
    auto lock = directory_->Lock(*session).value();
    ChangeSet& changes = Abandoned(ChangeSet::Begin(*directory_, *session, never_).value());
    ASSERT_TRUE(changes.SetFile("a", "mine", 0644).ok());
    changes.Apply().IgnoreError();
    FAIL() << "it should have ended";
  } catch (const Crash&) {
  }
  directory_->OnStep(nullptr);
  EXPECT_EQ(Content("a"), "mine");
  const auto lock = directory_->Lock(*session).value();
  const auto recovery = ChangeSet::Recover(*directory_, *session).value();
  EXPECT_FALSE(recovery.finished);
  EXPECT_EQ(Content("a"), "theirs");
}

// Another process serves another disk for the same workspace, over the same store.
TEST_F(ChangeSetTest, OnlyTheDiskThatHoldsTheFilesRecoversAndUndoesThem) {
  const auto effect = Change([](ChangeSet& changes) { return changes.SetFile("b", "new", 0644); });
  ASSERT_TRUE(effect.ok()) << effect.status();
  Put("a", "old");
  const auto session = Session("key");
  directory_->OnStep([&](std::string_view step) {
    if (step == "moved") throw Crash();
  });
  try {
    auto lock = directory_->Lock(*session).value();
    ChangeSet& changes = Abandoned(ChangeSet::Begin(*directory_, *session, never_).value());
    ASSERT_TRUE(changes.SetFile("a", "mine", 0644).ok());
    changes.Apply().IgnoreError();
    FAIL() << "it should have ended";
  } catch (const Crash&) {
  }
  directory_->OnStep(nullptr);
  const std::string place = Content(".toolgate/place");
  const auto recover = [&] {
    const auto lock = directory_->Lock(*session).value();
    return ChangeSet::Recover(*directory_, *session);
  };

  Put(".toolgate/place", "0123456789abcdef0123456789abcdef\n");
  const absl::Status elsewhere = recover().status();
  EXPECT_EQ(elsewhere.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(GetToolError(elsewhere).has_value());
  EXPECT_EQ(Content("a"), "mine");

  Put(".toolgate/place", place);
  const auto recovery = recover();
  ASSERT_TRUE(recovery.ok()) << recovery.status();
  EXPECT_TRUE(recovery->finished);
  ASSERT_TRUE(Reverse(recovery->kept.effect).ok());
  EXPECT_EQ(Content("a"), "old");

  Put(".toolgate/place", "0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(CodeName(Reverse(*effect).status()), "CANNOT_UNDO");
  EXPECT_EQ(Content("b"), "new");
  Put(".toolgate/place", place);
  EXPECT_TRUE(Reverse(*effect).ok());
  EXPECT_FALSE(Exists("b"));
}

TEST_F(ChangeSetTest, LeftoversOfCallsThatAreOverAreRemoved) {
  ASSERT_TRUE(Change([](ChangeSet& c) { return c.SetFile("a", "1", 0644); }).ok());
  ASSERT_TRUE(Change([](ChangeSet& c) { return c.SetFile("a", "2", 0644); }).ok());
  EXPECT_FALSE(Exists(".toolgate/staging/key-1"));
  EXPECT_TRUE(Exists(".toolgate/staging/key-2")) << "until the next call";
}

// A call that is cancelled between two moves leaves nothing, like one that fails.
TEST_F(ChangeSetTest, ACancelledCallLeavesNothing) {
  Put("a", "old");
  Put("b", "old");
  const std::string before = Listing();
  for (const int moves : {0, 1}) {
    fibers::Cancellation cancellation;
    int moved = 0;
    directory_->OnStep([&](std::string_view step) {
      if (step == "about to move" && moved++ == moves) cancellation.Cancel();
    });
    const auto session = Session("key" + std::to_string(moves));
    const auto changes = ChangeSet::Begin(*directory_, *session, cancellation).value();
    ASSERT_TRUE(changes->SetFile("a", "new", 0644).ok());
    ASSERT_TRUE(changes->SetFile("b", "new", 0644).ok());
    EXPECT_EQ(CodeName(changes->Apply()), "CANCELLED");
    EXPECT_EQ(moved, moves + 1);
    EXPECT_EQ(Listing(), before);
    EXPECT_EQ(CodeName(changes->SetFile("c", "new", 0644)), "CANCELLED");
  }
}

TEST_F(ChangeSetTest, NothingIsMadeBeyondTheReachOfTools) {
  std::string path = "d";
  for (size_t i = 0; i < kMaxComponents; ++i) path += "/d";
  const auto session = Session("key");
  const auto changes = ChangeSet::Begin(*directory_, *session, never_).value();
  EXPECT_EQ(CodeName(changes->SetFile(path, "x", 0644)), "INVALID_PARAMS");
}

}  // namespace
}  // namespace toolgate::executors::directory
