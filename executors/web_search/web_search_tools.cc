#include "executors/web_search/web_search_tools.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "executors/models/chat_model.h"
#include "executors/providers/check_provider.h"
#include "executors/providers/provider.h"
#include "executors/web_search/query_rewriter.h"
#include "executors/web_search/searxng.h"
#include "executors/web_search/tavily.h"
#include "executors/web_search/web_search.h"
#include "executors/web_search/web_search_defaults.h"
#include "executors/web_search/web_search_definitions.h"
#include "observability/sampled_metric.h"

namespace toolgate::executors::web_search {
namespace {

using providers::Provider;

// As in the tool's definition, and so in limits and breakers.
constexpr char kProviderName[] = "web_search";

void CheckWebSearch(const google::protobuf::Message& section, yaml::ReportProblem report) {
  WebSearchSettings settings;
  settings.CopyFrom(section);
  providers::CheckProvider("web_search.provider", settings.provider(), report);
  providers::CheckProvider("web_search.rewrite_provider", settings.rewrite_provider(), report);
  if (settings.engine() == WebSearchSettings::SEARXNG &&
      absl::StrContains(settings.provider().base_url(), "tavily.com")) {
    report("web_search.provider.base_url", "is Tavily's; must be the address of your SearXNG when engine is SEARXNG");
  }
  if (!settings.rewrite_provider().base_url().empty() && settings.rewrite_provider().model().empty()) {
    report("web_search.rewrite_provider.model", "is empty; must name the model that rewrites queries");
  }
}

absl::StatusOr<std::shared_ptr<Provider>> ProviderOf(const FamilyContext& context, std::string name,
                                                     providers::KeyForm key,
                                                     const providers::ProviderSettings& settings, std::string section) {
  return Provider::Create({.name = std::move(name),
                           .key = key,
                           .settings = settings,
                           .section = std::move(section),
                           .clients = context.http_clients,
                           .on_failure = context.on_provider_failure},
                          Clock::Real(), context.on_provider_call);
}

// Null when no model is configured.
absl::StatusOr<std::unique_ptr<QueryRewriter>> RewriterOf(const FamilyContext& context,
                                                          const WebSearchSettings& settings) {
  if (settings.rewrite_provider().base_url().empty()) return nullptr;
  ASSIGN_OR_RETURN(std::shared_ptr<Provider> provider,
                   ProviderOf(context, "web_search_rewrite", providers::KeyForm::kBearer, settings.rewrite_provider(),
                              "web_search.rewrite_provider"));
  std::shared_ptr<models::ChatModel> model =
      models::OpenAiChatModel(std::move(provider), models::OpenAiDialect::kOpenAi);
  return std::make_unique<QueryRewriter>(std::move(model));
}

std::unique_ptr<SearchEngine> EngineOf(const WebSearchSettings& settings, std::shared_ptr<Provider> provider) {
  if (settings.engine() == WebSearchSettings::SEARXNG) return Searxng(std::move(provider));
  return Tavily(std::move(provider), {settings.include_answer(), settings.search_in_depth()});
}

template <typename Names, typename Read>
void AddCounter(const AddMetric& add, std::string name, std::string help, std::string label, const Names& names,
                Read read) {
  observability::SampledMetric metric{{std::move(name), std::move(help), {std::move(label)}, {}},
                                      observability::SampledMetric::Kind::kCounter,
                                      std::move(read)};
  for (const std::string_view row : names) metric.rows.rows.push_back({std::string(row)});
  add(std::move(metric));
}

void AddMetrics(const AddMetric& add, const std::shared_ptr<WebSearch>& search) {
  if (add == nullptr) return;
  AddCounter(add, "toolgate_web_search_searches_total", "Searches on the web, by how they ended.", "outcome",
             Usage::kOutcomes, [search] { return search->usage().outcomes(); });
  AddCounter(add, "toolgate_web_search_rewrites_total", "Queries that were rewritten, and attempts that failed.", "by",
             Usage::kRewrites, [search] { return search->usage().rewrites(); });
  AddCounter(add, "toolgate_web_search_sources_total", "Pages that were found: shown, or left out with the reason.",
             "state", Usage::kSources, [search] { return search->usage().sources(); });
}

absl::StatusOr<FamilyTools> WebSearchTools(const FamilyContext& context) {
  const WebSearchSettings& settings = context.settings.GetExtension(WebSearchSettings::web_search);
  const bool keyless = settings.engine() == WebSearchSettings::SEARXNG;
  ASSIGN_OR_RETURN(const std::shared_ptr<Provider> provider,
                   ProviderOf(context, kProviderName, keyless ? providers::KeyForm::kNone : providers::KeyForm::kBearer,
                              settings.provider(), "web_search.provider"));
  ASSIGN_OR_RETURN(std::unique_ptr<QueryRewriter> rewriter, RewriterOf(context, settings));
  const auto search =
      std::make_shared<WebSearch>(EngineOf(settings, provider), std::move(rewriter), LimitsOf(settings));
  AddMetrics(context.add_metric, search);

  ToolHandlers handlers;
  handlers.id = "browser.search";
  handlers.run =
      EffectHandler([search](ToolContext& call, EffectSession& session) { return search->Run(call, session); });
  FamilyTools tools;
  tools.handlers.push_back(std::move(handlers));
  tools.available = [provider](const Caller&) { return provider->Configured(); };
  return tools;
}

}  // namespace

Family WebSearchFamily() {
  FamilySettings settings = SettingsOf<WebSearchSettings>(DefaultFiles().front());
  settings.check = CheckWebSearch;
  return {"web_search", &DefinitionFiles(), WebSearchTools, settings, {"web:search"}};
}

SourceLimits LimitsOf(const WebSearchSettings& settings) {
  return {.max_sources = static_cast<size_t>(settings.max_results()),
          .max_snippet_bytes = static_cast<size_t>(settings.max_snippet_bytes()),
          .max_context_bytes = static_cast<size_t>(settings.max_context_bytes())};
}

}  // namespace toolgate::executors::web_search
