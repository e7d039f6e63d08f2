// Counts searches, for the operator. Queries are nobody's business: they stand in no metric and in no log.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_USAGE_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_USAGE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "executors/web_search/sources.h"

namespace toolgate::executors::web_search {

// Thread-safe.
class Usage {
 public:
  // Ends of searches, and ends of attempts to improve a query: by rules, by a model, or by a model in vain.
  static constexpr std::array<std::string_view, 3> kOutcomes = {"found", "nothing", "failed"};
  static constexpr std::array<std::string_view, 3> kRewrites = {"rules", "model", "model_failed"};
  static constexpr std::array<std::string_view, 3> kSources = {"shown", "unsafe", "repeated"};

  enum class Rewrite { kRules, kModel, kModelFailed };

  void CountRewrite(Rewrite rewrite) { Add(rewrites_[static_cast<size_t>(rewrite)], 1); }
  void CountFailure() { Add(outcomes_[2], 1); }
  void CountSearch(const Digest& digest) {
    Add(outcomes_[digest.sources.empty() ? 1 : 0], 1);
    Add(sources_[0], digest.sources.size());
    Add(sources_[1], digest.unsafe);
    Add(sources_[2], digest.repeated);
  }

  // In the order of the names above.
  std::vector<double> outcomes() const { return ValuesOf(outcomes_); }
  std::vector<double> rewrites() const { return ValuesOf(rewrites_); }
  std::vector<double> sources() const { return ValuesOf(sources_); }

 private:
  using Counts = std::array<std::atomic<uint64_t>, 3>;

  static void Add(std::atomic<uint64_t>& count, uint64_t more) { count.fetch_add(more, std::memory_order_relaxed); }
  static std::vector<double> ValuesOf(const Counts& counts) {
    std::vector<double> values;
    for (const auto& count : counts) values.push_back(static_cast<double>(count.load(std::memory_order_relaxed)));
    return values;
  }

  Counts outcomes_{};
  Counts rewrites_{};
  Counts sources_{};
};

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_USAGE_H_
