#include "executors/web_search/tavily.h"

#include <algorithm>
#include <utility>

#include "common/json.h"
#include "common/status_macros.h"
#include "executors/web_search/query_text.h"
#include "executors/web_search/search_response.h"

namespace toolgate::executors::web_search {
namespace {

constexpr size_t kMaxTavilyCharacters = 400;
constexpr int kMaxTavilyResults = 20;

class TavilyEngine final : public SearchEngine {
 public:
  TavilyEngine(std::shared_ptr<providers::Provider> provider, const TavilyOptions& options)
      : provider_(std::move(provider)), options_(options) {}

  absl::StatusOr<Findings> Search(std::string_view query, int max_results, providers::Scope& scope) const override {
    const Json body{{"query", ShortenQuery(query, kMaxTavilyCharacters)},
                    {"max_results", std::min(max_results, kMaxTavilyResults)},
                    {"search_depth", options_.in_depth ? "advanced" : "basic"},
                    {"include_answer", options_.include_answer}};
    providers::ProviderRequest request;
    request.path = "/search";
    request.headers = {{"content-type", "application/json"}};
    request.body = DumpJson(body);
    request.repeatable = true;
    request.span_name = "search tavily";
    request.meanings = {{432, "has used up the credits of the plan"}, {433, "has used up the pay-as-you-go limit"}};
    ASSIGN_OR_RETURN(const http::Response response, provider_->Send(request, scope));
    ASSIGN_OR_RETURN(const Json json, ParseResponse("Tavily", response.body));
    return Findings{HitsOf(json, static_cast<size_t>(max_results)), TextOf(json, "answer")};
  }

 private:
  const std::shared_ptr<providers::Provider> provider_;
  const TavilyOptions options_;
};

}  // namespace

std::unique_ptr<SearchEngine> Tavily(std::shared_ptr<providers::Provider> provider, const TavilyOptions& options) {
  return std::make_unique<TavilyEngine>(std::move(provider), options);
}

}  // namespace toolgate::executors::web_search
