// Cases that the official suite in Debian's package lacks; that suite runs in json_schema_suite_test.cc.
#include "security/param_validation/formats.h"

#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

struct FormatRow {
  const char* format;
  const char* text;
  bool valid;
};

TEST(FormatsTest, HoldWhatTheirStandardsSay) {
  for (const FormatRow& row : {
           FormatRow{"email", "a@[IPv6:::1]", true},
           FormatRow{"email", "a@[ipv6:::1]", true},
           FormatRow{"email", "a@[ipv6:1.2.3.4]", false},
           FormatRow{"email", "a@xn--bcher-kva.example", true},
           FormatRow{"email", "a@xn--X.example", false},
           FormatRow{"uri-template", "it's/{name}", true},
           FormatRow{"uri-template", "a\"b", false},
           FormatRow{"uri-template", "a{b", false},
           FormatRow{"hostname", "xn--bcher-kva", true},
           FormatRow{"hostname", "XN--BCHER-KVA.example", true},
           FormatRow{"hostname", "xn--9n2bp8q.xn--9t4b11yi5a", true},
           FormatRow{"hostname", "xn--X", false},
           FormatRow{"hostname", "xn--", false},
           // U+302E, which combines with the preceding character; a mark at the beginning.
           FormatRow{"hostname", "xn--07jt112bpxg", false},
           FormatRow{"hostname", "xn--hello-txk", false},
           // Two hyphens as the third and fourth character of the decoded label.
           FormatRow{"hostname", "XN--aa---o47jg78q", false},
           // Characters that need a context, out of it and in it: a middle dot between two l.
           FormatRow{"hostname", "xn--al-0ea", false},
           FormatRow{"hostname", "xn--ll-0ea", true},
           FormatRow{"hostname", "ab--cd", true},
       }) {
    const Format* const format = FindFormat(row.format);
    ASSERT_NE(format, nullptr) << row.format;
    EXPECT_EQ(format->matches(row.text), row.valid) << row.format << " " << row.text;
  }
}

}  // namespace
}  // namespace toolgate::security::param_validation
