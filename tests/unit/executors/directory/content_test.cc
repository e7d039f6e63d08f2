#include "executors/directory/content.h"

#include <fcntl.h>

#include <string>

#include "common/descriptor.h"
#include "common/digest.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::directory {
namespace {

class ContentTest : public ::testing::Test {
 protected:
  Descriptor File() const { return Descriptor(open((dir_.path() + "/f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)); }
  testing::TempDir dir_;
};

TEST_F(ContentTest, ReadsWhatWasWritten) {
  const Descriptor file = File();
  const std::string bytes(1'000'000, 'x');
  ASSERT_TRUE(WriteAll(file.get(), "f", bytes).ok());
  EXPECT_EQ(ReadWhole(file.get(), "f", 1'000'000).value(), bytes);
  const auto digest = DigestOf(file.get(), "f");
  ASSERT_TRUE(digest.ok());
  EXPECT_EQ(digest->size, 1'000'000);
  EXPECT_EQ(digest->sha256, Sha256(bytes));
}

TEST_F(ContentTest, StopsAtABound) {
  const Descriptor file = File();
  ASSERT_TRUE(WriteAll(file.get(), "f", "12345").ok());
  EXPECT_EQ(ReadWhole(file.get(), "f", 4).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReadWhole(file.get(), "f", 5).value(), "12345");
}

TEST_F(ContentTest, AFailureIsAStatus) { EXPECT_FALSE(WriteAll(-1, "f", "x").ok()); }

}  // namespace
}  // namespace toolgate::executors::directory
