#include "security/param_validation/uri.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

TEST(UriTest, ResolvesReferences) {
  // The examples of RFC 3986, section 5.4, and other cases that schemas need.
  struct Row {
    std::string_view base, reference, target;
  };
  constexpr std::string_view kBase = "http://a/b/c/d;p?q";
  for (const Row& row : std::vector<Row>{{kBase, "g:h", "g:h"},
                                         {kBase, "g", "http://a/b/c/g"},
                                         {kBase, "./g", "http://a/b/c/g"},
                                         {kBase, "g/", "http://a/b/c/g/"},
                                         {kBase, "/g", "http://a/g"},
                                         {kBase, "//g", "http://g"},
                                         {kBase, "?y", "http://a/b/c/d;p?y"},
                                         {kBase, "#s", "http://a/b/c/d;p?q#s"},
                                         {kBase, "", "http://a/b/c/d;p?q"},
                                         {kBase, "..", "http://a/b/"},
                                         {kBase, "../g", "http://a/b/g"},
                                         {kBase, "../../../g", "http://a/g"},
                                         {kBase, "g/../h", "http://a/b/c/h"},
                                         {kBase, ".g", "http://a/b/c/.g"},
                                         {"http://a", "g", "http://a/g"},
                                         {"", "#/$defs/a", "#/$defs/a"},
                                         {"", "a.json", "a.json"},
                                         {"urn:uuid:1", "#a", "urn:uuid:1#a"}}) {
    EXPECT_EQ(ResolveUri(row.base, row.reference), row.target) << row.reference;
  }
}

TEST(UriTest, DecodesPercentEscapes) {
  EXPECT_EQ(PercentDecode("a%20b%25c"), "a b%c");
  EXPECT_EQ(PercentDecode("%C3%BC"), "ü");
  EXPECT_EQ(PercentDecode("100%"), "100%");
  EXPECT_EQ(PercentDecode("%zz"), "%zz");
}

}  // namespace
}  // namespace toolgate::security::param_validation
