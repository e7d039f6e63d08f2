// Compiles the injection rules at build time, so that a start need not: writes the serialised database as C++ source.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

#include "security/injection_defence/injection_rules.h"
#include "security/injection_defence/matcher.h"
#include "security/injection_defence/rule_set.h"

namespace {

using toolgate::security::injection_defence::InjectionRuleFiles;
using toolgate::security::injection_defence::Matcher;
using toolgate::security::injection_defence::RuleSet;

void WriteSource(const std::string& bytes, std::ostream& out) {
  out << "#include \"security/injection_defence/injection_database.h\"\n"
         "namespace toolgate::security::injection_defence {\n"
         "namespace {\nalignas(64) constexpr unsigned char kBytes[] = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 32 == 0) out << '\n';
    out << static_cast<int>(static_cast<uint8_t>(bytes[i])) << ',';
  }
  out << "};\n}  // namespace\n"
         "std::string_view InjectionDatabase() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }\n"
         "}  // namespace toolgate::security::injection_defence\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: rule_compiler OUTPUT\n";
    return 2;
  }
  const auto rules = RuleSet::Parse(InjectionRuleFiles());
  if (!rules.ok()) {
    std::cerr << rules.status() << "\n";
    return 1;
  }
  const auto bytes = Matcher::Serialize(*rules);
  if (!bytes.ok()) {
    std::cerr << bytes.status() << "\n";
    return 1;
  }
  std::ofstream out(argv[1]);
  WriteSource(*bytes, out);
  return out.good() ? 0 : 1;
}
