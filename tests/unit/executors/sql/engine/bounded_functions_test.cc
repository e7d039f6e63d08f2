// Our versions of SQLite's functions give the same results as SQLite's.
#include "executors/sql/engine/bounded_functions.h"

#include <sqlite3.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/sqlite/sqlite_budget.h"
#include "gtest/gtest.h"

namespace toolgate::executors::sql::engine {
namespace {

// Two connections: one with SQLite's functions, one with ours.
class BoundedFunctionsTest : public ::testing::Test {
 protected:
  BoundedFunctionsTest() {
    sqlite::SqliteBudget::Install();  // For later tests in the same process.
    for (sqlite3** db : {&theirs_, &ours_}) {
      EXPECT_EQ(sqlite3_open(":memory:", db), SQLITE_OK);
      sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, 512 << 10);
    }
    EXPECT_EQ(AddBoundedFunctions(ours_, guard_), SQLITE_OK);
  }
  ~BoundedFunctionsTest() override {
    sqlite3_close(theirs_);
    sqlite3_close(ours_);
  }

  // The type and the bytes of the expression's value, or the error.
  static std::string Evaluate(sqlite3* db, const std::string& expression) {
    sqlite3_stmt* statement = nullptr;
    const std::string sql = absl::StrCat("SELECT ", expression);
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return sqlite3_errmsg(db);
    std::string text;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const int type = sqlite3_column_type(statement, 0);
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      text = absl::StrCat(type, ":", std::string(bytes == nullptr ? "" : bytes, sqlite3_column_bytes(statement, 0)));
    } else {
      text = sqlite3_errmsg(db);
    }
    sqlite3_finalize(statement);
    return text;
  }
  void ExpectSame(const std::string& expression) {
    EXPECT_EQ(Evaluate(ours_, expression), Evaluate(theirs_, expression)) << expression;
  }

  fibers::Cancellation cancellation_;
  StatementGuard guard_{Clock::Real(), cancellation_, absl::Minutes(5)};
  sqlite3* theirs_ = nullptr;
  sqlite3* ours_ = nullptr;
};

// Literals of every type, with few letters so that they match often.
std::vector<std::string> Literals(uint32_t seed, int count) {
  const std::vector<std::string> letters = {"a", "b", "A", "é", "É", "日", "%", "_",
                                            "*", "?", "[", "]", "-", "^",  " ", "\xF0\x9F\x98\x80"};
  std::mt19937 random(seed);
  std::vector<std::string> literals = {"NULL", "''", "x''", "12", "-1.5", "x'6162'", "x'61'", "'a' || char(0) || 'b'"};
  for (int i = 0; i < count; ++i) {
    std::string text;
    for (int n = static_cast<int>(random() % 7); n > 0; --n) text += letters[random() % letters.size()];
    literals.push_back(absl::StrCat("'", text, "'"));
  }
  return literals;
}

TEST_F(BoundedFunctionsTest, TwoArgumentsAnswerTheSame) {
  const std::vector<std::string> literals = Literals(1, 90);
  for (const char* function : {"instr", "trim", "ltrim", "rtrim", "like", "glob"}) {
    for (const std::string& a : literals) {
      for (const std::string& b : literals) ExpectSame(absl::StrCat(function, "(", a, ", ", b, ")"));
    }
  }
}

TEST_F(BoundedFunctionsTest, OneArgumentAnswersTheSame) {
  for (const char* function : {"trim", "ltrim", "rtrim"}) {
    for (const std::string& a : Literals(2, 60)) ExpectSame(absl::StrCat(function, "(", a, ")"));
  }
}

TEST_F(BoundedFunctionsTest, ThreeArgumentsAnswerTheSame) {
  const std::vector<std::string> literals = Literals(3, 24);
  for (const char* function : {"replace", "like"}) {
    for (const std::string& a : literals) {
      for (const std::string& b : literals) {
        for (const std::string& c : literals) {
          ExpectSame(absl::StrCat(function, "(", a, ", ", b, ", ", c, ")"));
        }
      }
    }
  }
}

TEST_F(BoundedFunctionsTest, SetsOfGlobAnswerTheSame) {
  for (const char* pattern :
       {"[a-c]x", "[^a-c]x", "[]]x",        "[^]]x",  "[]-a]x", "[a-]x",    "[-a]x", "[a", "[",   "[]",
        "[^]",    "[a-",     "*[0-9][0-9]", "[é-ü]*", "[b-a]x", "[a-b-c]x", "[[]x",  "**", "*?*", "?*?"}) {
    for (const char* text : {"ax", "bx", "dx", "]x", "-x", "^x", "a12", "12", "", "a", "éa", "[x", "a-", "[a", "x"}) {
      ExpectSame(absl::StrCat("glob('", pattern, "', '", text, "')"));
    }
  }
}

TEST_F(BoundedFunctionsTest, FormatsAnswerTheSame) {
  std::vector<std::string> specs;
  for (const char* flags : {"", "-", "+", " ", "#", "0", ",", "!", "-+", "+0", "0-", "#0", "-!"}) {
    for (const char* width : {"", "1", "7", "12", "*"}) {
      for (const char* precision : {"", ".", ".0", ".3", ".11", ".*"}) {
        for (const char type : std::string("diuxXorpcsqQwzeEfgGn%")) {
          specs.push_back(absl::StrCat("%", flags, width, precision, std::string(1, type)));
        }
      }
    }
  }
  const std::vector<std::string> values = {"42",   "-7",      "NULL",     "3.14159",   "-0.5",
                                           "1e20", "'it''s'", "'日本語'", "x'616263'", "9223372036854775807"};
  for (const std::string& spec : specs) {
    const bool takes_width = spec.find('*') != std::string::npos;
    for (const std::string& value : values) {
      // Enough numbers for asterisks, then the value.
      const std::string arguments = takes_width ? absl::StrCat("5, 4, ", value) : value;
      ExpectSame(absl::StrCat("printf('<", spec, "> tail', ", arguments, ", 'more')"));
      if (takes_width) ExpectSame(absl::StrCat("printf('<", spec, ">', -5, ", value, ", ", value, ")"));
    }
    ExpectSame(absl::StrCat("printf('<", spec, ">')"));
  }
}

TEST_F(BoundedFunctionsTest, OddFormatsAnswerTheSame) {
  for (const char* expression : {"printf()",
                                 "printf(NULL)",
                                 "printf('')",
                                 "printf('%')",
                                 "printf('a%')",
                                 "printf('%y')",
                                 "printf('%5')",
                                 "printf('%-')",
                                 "printf('%lld', 5)",
                                 "printf('%ld|%lx', 5, 255)",
                                 "printf('%.c', 'x')",
                                 "printf('%.5c', 'é')",
                                 "printf('%s %s', 'a')",
                                 "printf('%d %d', 1)",
                                 "printf('%s', 12.5)",
                                 "printf('%d', '12abc')",
                                 "printf('%f', 'x')",
                                 "format('%s', 'a')",
                                 "printf(12)",
                                 "printf('%s%n%s', 'a', 'b')",
                                 "printf('%!s', 'é')",
                                 "printf('%.2s', 'éé')",
                                 "printf('%!.1s', 'éé')",
                                 "printf('%j', 1)",
                                 "printf('%%%d', 1)",
                                 "printf('%q', NULL)",
                                 "printf('%Q', NULL)",
                                 "printf('%w', NULL)",
                                 "printf('%c', NULL)",
                                 "printf('%c', '')",
                                 "printf('%r', 11)",
                                 "printf('%,d', -1234567)",
                                 "printf('%+,d', 1234)",
                                 "printf('%.30f', 0.1)",
                                 "printf('%!.20f', 0.1)",
                                 "printf('%g', 9e999)",
                                 "printf('%d', 9e999)",
                                 "printf('%5s|', NULL)"}) {
    ExpectSame(expression);
  }
}

TEST_F(BoundedFunctionsTest, LongArgumentsTakeLittleTime) {
  // For each of these, SQLite's own function takes minutes.
  const char* const long_texts[] = {
      "instr(zeroblob(500000), zeroblob(250000) || x'01')",
      "length(replace(hex(zeroblob(250000)), hex(zeroblob(125000)) || '1', 'x'))",
      "length(trim(hex(zeroblob(250000)), hex(zeroblob(125000)) || 'abc'))",
      "length(ltrim(hex(zeroblob(250000)) || 'x', replace(hex(zeroblob(125000)), '0', '1') || '0'))",
  };
  const absl::Time start = absl::Now();
  for (const char* expression : long_texts) Evaluate(ours_, expression);
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

}  // namespace
}  // namespace toolgate::executors::sql::engine
