#include "services/http/raw_head.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

// Memory as the library leaves it: `lines` without their ends, where "|" stands for a NUL in place of one byte.
class Head {
 public:
  explicit Head(std::string_view picture) : memory_(picture) {
    for (char& c : memory_) {
      if (c == '|') c = '\0';
    }
    head.bytes = memory_;
  }
  std::string_view Find(std::string_view part) const {
    return std::string_view(memory_).substr(memory_.find(part), part.size());
  }
  // The request line, with the target in one piece or split at its query.
  Head& Line(std::string_view method, std::string_view target, std::string_view version = "HTTP/1.1") {
    head.method = Find(method);
    head.target = Find(target).data();
    head.target_end = Find(version).data() - 1;
    head.version = Find(version);
    return *this;
  }
  Head& Field(std::string_view name, std::string_view value) {
    head.fields.push_back({Find(name), Find(value)});
    return *this;
  }
  bool plain() const { return IsPlain(head); }

  RawHead head;

 private:
  std::string memory_;
};

TEST(RawHeadTest, TakesWhatTheGrammarSays) {
  EXPECT_TRUE(Head("GET|/|HTTP/1.1||||").Line("GET", "/").plain());
  EXPECT_TRUE(Head("GET|/a|b|c&d|HTTP/1.1||Host| x||||").Line("GET", "/a").Field("Host", "x").plain()) << "a query";
  EXPECT_TRUE(Head("POST|/a|HTTP/1.1||Host|x||X-Long|\t  y \t z ||||")
                  .Line("POST", "/a")
                  .Field("Host", "x")
                  .Field("X-Long", "y \t z ")
                  .plain());
  Head empty("GET|/|HTTP/1.1||X-E|||||");
  empty.Line("GET", "/");
  empty.head.fields.push_back({empty.Find("X-E"), empty.head.bytes.substr(20, 0)});
  EXPECT_TRUE(empty.plain());
}

TEST(RawHeadTest, RefusesTheRest) {
  const struct {
    std::string name;
    bool plain;
  } rows[] = {
      {"a blank before the colon", Head("GET|/|HTTP/1.1||Host |x||||").Line("GET", "/").Field("Host ", "x").plain()},
      {"a tab before the colon", Head("GET|/|HTTP/1.1||Host\t|x||||").Line("GET", "/").Field("Host\t", "x").plain()},
      {"a blank before the name", Head("GET|/|HTTP/1.1|| Host|x||||").Line("GET", "/").Field(" Host", "x").plain()},
      {"no name", Head("GET|/|HTTP/1.1|||x||||").Line("GET", "/").Field("", "x").plain()},
      {"a folded line, gone from the list",
       Head("GET|/|HTTP/1.1||Host|x|| y||||").Line("GET", "/").Field("Host", "x").plain()},
      {"a bare LF behind a field",
       Head("GET|/|HTTP/1.1||Host|x|A|b||||").Line("GET", "/").Field("Host", "x").Field("A", "b").plain()},
      {"a bare LF behind the request line",
       Head("GET|/|HTTP/1.1|Host|x||||").Line("GET", "/").Field("Host", "x").plain()},
      {"a bare LF for the empty line", Head("GET|/|HTTP/1.1||Host|x|||").Line("GET", "/").Field("Host", "x").plain()},
      {"a NUL in a value", Head("GET|/|HTTP/1.1||Host|x|y||||").Line("GET", "/").Field("Host", "x").plain()},
      {"a CR in a value", Head("GET|/|HTTP/1.1||Host|x\ry||||").Line("GET", "/").Field("Host", "x\ry").plain()},
      {"two blanks in the request line", Head("GET| /a|HTTP/1.1||||").Line("GET", "/a").plain()},
      {"something behind the version", Head("GET|/|HTTP/1.1 ||||").Line("GET", "/", "HTTP/1.1 ").plain()},
      {"a head that ends later", Head("GET|/|HTTP/1.1||||Host|x||||").Line("GET", "/").plain()},
      {"a method that is no token", Head("G(T|/|HTTP/1.1||||").Line("G(T", "/").plain()},
  };
  for (const auto& row : rows) EXPECT_FALSE(row.plain) << row.name;
}

TEST(RawHeadTest, RefusesATargetThatGoesOnBehindANul) {
  Head head("GET|/a|/b|HTTP/1.1||||");
  head.Line("GET", "/a");
  head.head.target_end = head.Find("/a").data() + 2;
  EXPECT_FALSE(head.plain());
  head.head.target_end = nullptr;
  EXPECT_FALSE(head.plain());
}

TEST(RawHeadTest, RefusesAFieldThatTheLibraryHasMoved) {
  const std::string elsewhere = "Transfer-Encodingchunked";
  Head head("GET|/|HTTP/1.1||Transfer-Encoding||| chunked||||");
  head.Line("GET", "/");
  head.head.fields.push_back({elsewhere, head.head.bytes.substr(36, 0)});
  EXPECT_FALSE(head.plain());
}

TEST(RawHeadTest, ATargetHasNoControlCharacters) {
  EXPECT_TRUE(IsPlainTarget("/v1/tools?a=b%20c"));
  EXPECT_TRUE(IsPlainTarget("/v1/\xC3\xA9"));
  EXPECT_FALSE(IsPlainTarget("/v1\r/tools"));
  EXPECT_FALSE(IsPlainTarget("/v1\t/tools"));
  EXPECT_FALSE(IsPlainTarget("/v1 /tools"));
  EXPECT_FALSE(IsPlainTarget("/v1\x7F"));
}

}  // namespace
}  // namespace toolgate::services::http
