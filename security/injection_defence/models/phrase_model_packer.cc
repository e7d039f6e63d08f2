// Writes the tables of a phrase model as C++. Run when the program is built.
//
//   phrase_model_packer MODEL.tsv NAMESPACE OUT.cc
//
// OUT.cc defines Tables() of that namespace, one of those in wording_tables.h.
#include <bit>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "security/injection_defence/wording/phrase_model.h"

namespace toolgate::security::injection_defence::models {
namespace {

std::string Hex(uint64_t value) { return absl::StrCat("0x", absl::Hex(value)); }

std::string Written(const wording::PhraseSetting& setting) {
  // Written as bits, so that no digit is lost.
  return absl::StrCat("{\"", ToAbsl(setting.name), "\", std::bit_cast<double>(uint64_t{",
                      Hex(std::bit_cast<uint64_t>(setting.value)), "})}");
}
std::string Written(const wording::PhraseWeight& entry) {
  if (entry.weight == 0) return "{}";
  return absl::StrCat("{", Hex(entry.check), ",F(", Hex(std::bit_cast<uint32_t>(entry.weight)), ")}");
}
std::string Written(uint64_t bits) { return Hex(bits); }
std::string Written(uint8_t bits) { return absl::StrCat(static_cast<int>(bits)); }

template <typename T>
void WriteArray(std::ostream& out, const char* type, const char* name, std::span<const T> values) {
  constexpr size_t kPerLine = 16;
  out << "constexpr " << type << " " << name << "[] = {";
  for (size_t i = 0; i < values.size(); ++i) out << (i % kPerLine == 0 ? "\n" : "") << Written(values[i]) << ",";
  out << "};\n";
}

int Main(const char* model_path, const std::string& name, const char* out_path) {
  std::ifstream in(model_path);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const absl::StatusOr<wording::PhraseModel> model = wording::PhraseModel::Parse(file);
  if (!in || !model.ok()) {
    std::cerr << model_path << ": " << (in ? model.status().ToString() : "cannot be read") << "\n";
    return 1;
  }
  const wording::PhraseTables& tables = model->tables();
  std::ofstream out(out_path);
  out << "#include <bit>\n#include <cstdint>\n\n#include "
         "\"security/injection_defence/models/wording_tables.h\"\n\n"
      << "namespace toolgate::security::injection_defence::models::" << name << " {\nnamespace {\n\n"
      << "constexpr float F(uint32_t bits) { return std::bit_cast<float>(bits); }\n\n";
  WriteArray(out, "wording::PhraseSetting", "kSettings", tables.settings);
  WriteArray(out, "wording::PhraseWeight", "kWeights", tables.weights);
  WriteArray(out, "uint64_t", "kFilter", tables.filter);
  WriteArray(out, "uint8_t", "kRoles", tables.roles);
  out << "\n}  // namespace\n\nwording::PhraseTables Tables() { return {kSettings, kWeights, kFilter, kRoles}; }\n\n"
      << "}  // namespace toolgate::security::injection_defence::models::" << name << "\n";
  out.close();
  if (!out) std::cerr << out_path << ": cannot be written\n";
  return out ? 0 : 1;
}

}  // namespace
}  // namespace toolgate::security::injection_defence::models

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: phrase_model_packer MODEL.tsv NAMESPACE OUT.cc\n";
    return 2;
  }
  return toolgate::security::injection_defence::models::Main(argv[1], argv[2], argv[3]);
}
