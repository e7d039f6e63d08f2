#include "storage/blobs/blob_key.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::storage::blobs {
namespace {

TEST(BlobKeyTest, AcceptsNamesThatAreTheSameEverywhere) {
  for (const std::string& key :
       {std::string("a"), std::string("a/b/c.png"), std::string("A-b_c.1"), std::string(512, 'a')}) {
    EXPECT_TRUE(IsBlobKey(key)) << key;
  }
}

TEST(BlobKeyTest, RefusesNamesThatLeadElsewhere) {
  for (const std::string& key : {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"),
                                 std::string("../a"), std::string("a/../b"), std::string("."), std::string(".hidden"),
                                 std::string("a/.b"), std::string("a b"), std::string("a%2Fb"), std::string("a\\b"),
                                 std::string("a\0b", 3), std::string("ž"), std::string("a?b"), std::string(513, 'a')}) {
    EXPECT_FALSE(IsBlobKey(key)) << key;
  }
}

TEST(BlobKeyTest, NamesAContentByItsDigestBelowItsScope) {
  const std::string key = ContentKey("workspace", "abc", "png");
  EXPECT_EQ(key.substr(33), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png");
  EXPECT_TRUE(key.starts_with(ScopePrefix("workspace")));
  EXPECT_TRUE(IsBlobKey(key));
  EXPECT_EQ(ContentKey("workspace", "abc", "png"), key);
  EXPECT_NE(ContentKey("other", "abc", "png"), key);
  EXPECT_NE(ScopePrefix("workspace"), ScopePrefix("workspace2"));
}

}  // namespace
}  // namespace toolgate::storage::blobs
