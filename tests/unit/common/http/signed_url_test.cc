#include "common/http/signed_url.h"

#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

struct SignedUrlCase {
  const char* name;
  const char* url;
  const char* canonical;
};

class SignedUrlTest : public ::testing::TestWithParam<SignedUrlCase> {};

TEST_P(SignedUrlTest, IsWrittenAsTheServerWritesIt) {
  const auto url = HttpUrl::Parse(GetParam().url);
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(CanonicalForSigning(*url).text(), GetParam().canonical);
  EXPECT_EQ(CanonicalForSigning(CanonicalForSigning(*url)).text(), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(Urls, SignedUrlTest,
                         ::testing::Values(SignedUrlCase{"Plain", "http://s3/bucket/a-b_c.d~e",
                                                         "http://s3/bucket/a-b_c.d~e"},
                                           SignedUrlCase{"Unescaped", "http://s3/b/a(1):@!$'*,;=+&",
                                                         "http://s3/b/a%281%29%3A%40%21%24%27%2A%2C%3B%3D%2B%26"},
                                           SignedUrlCase{"Escaped", "http://s3/b/%c3%a4%20x", "http://s3/b/%C3%A4%20x"},
                                           SignedUrlCase{"NeedlesslyEscaped", "http://s3/b/%61%2D", "http://s3/b/a-"},
                                           SignedUrlCase{"EscapedSlash", "http://s3/b/a%2fb", "http://s3/b/a%2Fb"},
                                           SignedUrlCase{"EscapedPercent", "http://s3/b/100%25", "http://s3/b/100%25"},
                                           SignedUrlCase{"DotSegments", "http://s3/b/../c//d/", "http://s3/b/../c//d/"},
                                           SignedUrlCase{"SortedQuery", "http://s3/b?prefix=z&list-type=2&a=",
                                                         "http://s3/b?a=&list-type=2&prefix=z"},
                                           SignedUrlCase{"NoValue", "http://s3/b?uploads", "http://s3/b?uploads="},
                                           SignedUrlCase{"QueryEscapes", "http://s3/b?prefix=a/b&x=1+2%2b3%203",
                                                         "http://s3/b?prefix=a%2Fb&x=1%2B2%2B3%203"},
                                           SignedUrlCase{"EqualNames", "http://s3/b?a=2&a=1", "http://s3/b?a=1&a=2"},
                                           SignedUrlCase{"EmptyQuery", "http://s3/b?", "http://s3/b"}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::http
