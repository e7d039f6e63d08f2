#include "security/injection_defence/wording/script.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::security::injection_defence::wording {
namespace {

std::string NamesOf(std::string_view text) {
  std::string names;
  const auto scripts = ScriptsOf(text);
  for (size_t i = 0; i < kScripts; ++i) {
    if (scripts[i]) names += (names.empty() ? "" : " ") + std::string(kScriptNames[i]);
  }
  return names;
}

TEST(ScriptTest, IsTheOneOfMostLetters) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"plain words", "latin"},
      {"Grüße aus Köln", "latin"},
      {"Đăng nhập để xem hướng dẫn", "vietnamese"},
      {"Привет, мир", "cyrillic"},
      {"Καλημέρα", "greek"},
      {"שלום עולם", "hebrew"},
      {"مرحبا بالعالم", "arabic"},
      {"नमस्ते दुनिया", "indic"},
      {"สวัสดีชาวโลก", "thai"},
      {"안녕하세요 세계", "hangul"},
      {"日本語の文章です", "kana"},
      {"中文句子", "han"},
      {"ሰላም", "other"},
      {"", "latin"},
      {"12 + 3 = 15", "latin"},
  };
  for (const auto& [text, name] : rows) EXPECT_EQ(NamesOf(text), name) << text;
}

TEST(ScriptTest, TwoScriptsOfOneTextBothCount) {
  EXPECT_EQ(NamesOf("git commit сохраняет изменения"), "latin cyrillic");
  EXPECT_EQ(NamesOf("A long English sentence with one Я in it"), "latin");
}

}  // namespace
}  // namespace toolgate::security::injection_defence::wording
