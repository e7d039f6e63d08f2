#include "common/api_key.h"

#include <stdio.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

class ApiKeyTest : public ::testing::Test {
 protected:
  // Replaces the file as secret stores do.
  void Write(const std::string& text) {
    std::ofstream(file_ + ".new") << text;
    ASSERT_EQ(rename((file_ + ".new").c_str(), file_.c_str()), 0);
  }

  testing::TempDir directory_;
  const std::string file_ = directory_.path() + "/key";
};

TEST_F(ApiKeyTest, IsReadFromTheEnvironment) {
  ASSERT_EQ(setenv("TOOLGATE_TEST_KEY", " abc\n", 1), 0);
  EXPECT_EQ(ApiKey("", "TOOLGATE_TEST_KEY").Read().value(), "abc");
  unsetenv("TOOLGATE_TEST_KEY");
}

TEST_F(ApiKeyTest, IsReadFromTheFileFirst) {
  ASSERT_EQ(setenv("TOOLGATE_TEST_KEY", "variable", 1), 0);
  Write("\tfile \r\n");
  EXPECT_EQ(ApiKey(file_, "TOOLGATE_TEST_KEY").Read().value(), "file");
  unsetenv("TOOLGATE_TEST_KEY");
}

TEST_F(ApiKeyTest, IsReadAgainWhenTheFileChanges) {
  Write("one");
  const ApiKey key(file_, "");
  EXPECT_EQ(key.Read().value(), "one");
  Write("two");
  EXPECT_EQ(key.Read().value(), "two");
  ASSERT_EQ(remove(file_.c_str()), 0);
  EXPECT_EQ(key.Read().status().code(), absl::StatusCode::kUnavailable);
  Write("three");
  EXPECT_EQ(key.Read().value(), "three");
}

TEST_F(ApiKeyTest, MayBeMissing) {
  unsetenv("TOOLGATE_NO_KEY");
  EXPECT_EQ(ApiKey("", "").Read().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ApiKey("", "TOOLGATE_NO_KEY").Read().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ApiKey(file_, "").Read().status().code(), absl::StatusCode::kUnavailable);
  Write(" \n");
  EXPECT_EQ(ApiKey(file_, "").Read().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ApiKeyTest, RefusesTextsThatAreNoKey) {
  for (const std::string& text : {std::string("a\r\nHost: b"), std::string("a b"), std::string("a\0b", 3),
                                  std::string("\xC3\xA4"), std::string(8193, 'x'), std::string(1 << 20, 'x')}) {
    Write(text);
    EXPECT_EQ(ApiKey(file_, "").Read().status().code(), absl::StatusCode::kInvalidArgument) << text.size();
  }
}

TEST_F(ApiKeyTest, AFolderIsNoKey) {
  EXPECT_EQ(ApiKey(directory_.path(), "").Read().status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace toolgate
