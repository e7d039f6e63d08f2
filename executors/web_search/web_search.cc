#include "executors/web_search/web_search.h"

#include <utility>

#include "common/json.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/web_search/query_text.h"

namespace toolgate::executors::web_search {
namespace {

// Pages that are asked for beyond those that are shown, since some may be repeated or unsafe.
constexpr int kSpareHits = 3;

Json AnswerOf(std::string_view asked, const std::string& searched, const std::string& note, Digest digest) {
  Json answer{{"query", asked}};
  if (searched != asked) answer["rewrittenQuery"] = searched;
  answer["context"] = std::move(digest.context);
  Json& sources = answer["sources"] = Json::array();
  for (Source& source : digest.sources) {
    sources.push_back(Json{
        {"title", std::move(source.title)}, {"url", std::move(source.url)}, {"snippet", std::move(source.snippet)}});
  }
  if (!digest.answer.empty()) answer["answer"] = std::move(digest.answer);
  if (!note.empty()) answer["note"] = note;
  return answer;
}

}  // namespace

WebSearch::WebSearch(std::unique_ptr<SearchEngine> engine, std::unique_ptr<QueryRewriter> rewriter,
                     const SourceLimits& limits)
    : engine_(std::move(engine)), rewriter_(std::move(rewriter)), limits_(limits) {}

std::string WebSearch::RewriteQuery(std::string_view query, const ToolContext& context, providers::Scope& scope) {
  std::string tidy = TidyQuery(query);
  if (tidy != query) usage_.CountRewrite(Usage::Rewrite::kRules);
  if (rewriter_ == nullptr) return tidy;
  context.Report({"Rewriting the query"});
  absl::StatusOr<std::string> rewritten =
      rewriter_->Rewrite(tidy, absl::ToCivilDay(context.now, context.time_zone), scope);
  usage_.CountRewrite(rewritten.ok() ? Usage::Rewrite::kModel : Usage::Rewrite::kModelFailed);
  return rewritten.ok() ? *std::move(rewritten) : tidy;
}

absl::StatusOr<Acted> WebSearch::Run(ToolContext& context, EffectSession& session) {
  const auto wait = [&session](fibers::Event& event, absl::Duration timeout) { return session.Wait(event, timeout); };
  Acted acted;
  providers::Scope scope{wait, context.call_span, &acted.output.retry_count};
  const std::string_view asked = StringArgument(context.arguments, "query");
  const std::string searched = RewriteQuery(asked, context, scope);

  SourceLimits limits = limits_;
  if (const auto wanted = OptionalInteger(context.arguments, "maxResults")) {
    limits.max_sources = static_cast<size_t>(*wanted);
  }
  context.Report({"Searching the web"});
  const absl::StatusOr<Findings> findings =
      engine_->Search(searched, static_cast<int>(limits.max_sources) + kSpareHits, scope);
  if (!findings.ok()) {
    usage_.CountFailure();
    return findings.status();
  }
  Digest digest = DigestFindings(*findings, limits);
  usage_.CountSearch(digest);
  acted.output.data_json = DumpJson(AnswerOf(asked, searched, findings->note, std::move(digest)));
  acted.output.untrusted = true;
  return acted;
}

}  // namespace toolgate::executors::web_search
