#include "security/injection_defence/matcher.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hs/hs.h"

namespace toolgate::security::injection_defence {
namespace {

struct Scratch {
  hs_scratch_t* space = nullptr;
  uint64_t fitted_to = 0;
  ~Scratch() { hs_free_scratch(space); }
};

struct Collector {
  const std::vector<uint32_t>& lengths;
  std::vector<LiteralMatch>& matches;
};

int Collect(unsigned int id, unsigned long long, unsigned long long to, unsigned int, void* context) {
  auto& collector = *static_cast<Collector*>(context);
  const auto end = static_cast<uint32_t>(to);
  collector.matches.push_back({id, end - collector.lengths[id], end});
  return 0;
}

// `portable`: for the least processor of this architecture rather than for this one.
absl::StatusOr<hs_database_t*> Compile(const RuleSet& rules, bool portable) {
  std::vector<const char*> texts;
  std::vector<unsigned> flags;
  std::vector<unsigned> ids;
  std::vector<size_t> lengths;
  for (const Literal& literal : rules.literals()) {
    texts.push_back(literal.text.data());
    lengths.push_back(literal.text.size());
    flags.push_back(HS_FLAG_CASELESS);
    ids.push_back(static_cast<unsigned>(ids.size()));
  }
  const hs_platform_info_t least = {};
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const hs_error_t status =
      hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(), static_cast<unsigned>(texts.size()),
                           HS_MODE_BLOCK, portable ? &least : nullptr, &database, &error);
  if (status != HS_SUCCESS) {
    const std::string message = error == nullptr ? "unknown" : error->message;
    hs_free_compile_error(error);
    return absl::InternalError(absl::StrCat("injection rules do not compile: ", message));
  }
  return database;
}

std::atomic<uint64_t> next_serial{1};

}  // namespace

Matcher::Matcher(hs_database* database, std::vector<uint32_t> lengths)
    : database_(database), lengths_(std::move(lengths)), serial_(next_serial.fetch_add(1)) {}

Matcher::~Matcher() { hs_free_database(database_); }

absl::StatusOr<std::unique_ptr<Matcher>> Matcher::Create(const RuleSet& rules, std::string_view serialized) {
  hs_database_t* database = nullptr;
  if (serialized.empty() || hs_deserialize_database(serialized.data(), serialized.size(), &database) != HS_SUCCESS) {
    absl::StatusOr<hs_database_t*> compiled = Compile(rules, /*portable=*/false);
    if (!compiled.ok()) return std::move(compiled).status();
    database = *compiled;
  }
  std::vector<uint32_t> lengths;
  for (const Literal& literal : rules.literals()) lengths.push_back(static_cast<uint32_t>(literal.text.size()));
  return std::unique_ptr<Matcher>(new Matcher(database, std::move(lengths)));
}

absl::StatusOr<std::string> Matcher::Serialize(const RuleSet& rules) {
  absl::StatusOr<hs_database_t*> database = Compile(rules, /*portable=*/true);
  if (!database.ok()) return std::move(database).status();
  char* bytes = nullptr;
  size_t size = 0;
  const hs_error_t status = hs_serialize_database(*database, &bytes, &size);
  hs_free_database(*database);
  if (status != HS_SUCCESS) return absl::InternalError("injection rules do not serialise");
  std::string text(bytes, size);
  std::free(bytes);
  return text;
}

bool Matcher::Scan(std::string_view text, std::vector<LiteralMatch>& matches) const {
  matches.clear();
  thread_local Scratch scratch;
  if (scratch.fitted_to != serial_) {
    if (hs_alloc_scratch(database_, &scratch.space) != HS_SUCCESS) return false;
    scratch.fitted_to = serial_;
  }
  Collector collector{lengths_, matches};
  const hs_error_t status =
      hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch.space, Collect, &collector);
  if (status != HS_SUCCESS) return false;
  const auto by_end = [](const LiteralMatch& a, const LiteralMatch& b) { return a.end < b.end; };
  // Hyperscan promises no order, though it mostly keeps one.
  if (!std::is_sorted(matches.begin(), matches.end(), by_end)) std::sort(matches.begin(), matches.end(), by_end);
  return true;
}

}  // namespace toolgate::security::injection_defence
