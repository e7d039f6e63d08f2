#include "executors/web_search/searxng.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/web_search/search_response.h"
#include "executors/web_search/source_text.h"

namespace toolgate::executors::web_search {
namespace {

// Everything but unreserved characters (RFC 3986) is encoded.
std::string EncodeQuery(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 0xF]});
    }
  }
  return encoded;
}

// Answers are texts in older versions, and objects in newer ones.
std::string FirstAnswer(const Json& response) {
  const Json* const answers = FindArgument(response, "answers");
  if (answers == nullptr || !answers->is_array() || answers->empty()) return "";
  const Json& first = answers->front();
  return first.is_string() ? first.get<std::string>() : TextOf(first, "answer");
}

constexpr std::string_view kNoJson =
    "refused the request, as it does while it serves no JSON: search.formats in its settings.yml must list json, as in "
    "formats: [html, json]";
constexpr size_t kMaxNamedEngines = 5;
constexpr size_t kMaxEngineBytes = 60;

bool IsEmpty(const Json& response, std::string_view list) {
  const Json* const found = FindArgument(response, list);
  return found == nullptr || !found->is_array() || found->empty();
}

// Whether any of its engines has said something, be it that there is nothing.
bool HasAnything(const Json& response) {
  for (const char* const list : {"results", "answers", "infoboxes", "suggestions", "corrections"}) {
    if (!IsEmpty(response, list)) return true;
  }
  return false;
}

// "google (timeout)": an engine that did not answer is a pair of its name and the cause.
std::string EngineText(const Json& engine) {
  const auto text = [](const Json& part) {
    return part.is_string() ? CleanLine(part.get<std::string>(), kMaxEngineBytes) : std::string();
  };
  if (!engine.is_array() || engine.empty()) return text(engine);
  const std::string cause = engine.size() > 1 ? text(engine[1]) : "";
  return cause.empty() ? text(engine[0]) : absl::StrCat(text(engine[0]), " (", cause, ")");
}

// The engines that did not answer; empty when all did.
std::string UnresponsiveEngines(const Json& response) {
  if (IsEmpty(response, "unresponsive_engines")) return "";
  const Json& engines = *FindArgument(response, "unresponsive_engines");
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(engines.size(), kMaxNamedEngines); ++i) named.push_back(EngineText(engines[i]));
  if (engines.size() > named.size()) named.push_back(absl::StrCat(engines.size() - named.size(), " more"));
  return absl::StrJoin(named, ", ");
}

absl::Status NoEngineAnswered(std::string_view engines) {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message = absl::StrCat("SearXNG found nothing because its search engines did not answer: ", ToAbsl(engines));
  error.retryable = true;
  return ToStatus(error);
}

class SearxngEngine final : public SearchEngine {
 public:
  explicit SearxngEngine(std::shared_ptr<providers::Provider> provider) : provider_(std::move(provider)) {}

  absl::StatusOr<Findings> Search(std::string_view query, int max_results, providers::Scope& scope) const override {
    providers::ProviderRequest request;
    request.method = "GET";
    request.path = absl::StrCat("/search?q=", EncodeQuery(query), "&format=json");
    request.headers = {{"accept", "application/json"}};
    request.repeatable = true;
    request.span_name = "search searxng";
    request.meanings = {{403, kNoJson}};
    ASSIGN_OR_RETURN(const http::Response response, provider_->Send(request, scope));
    ASSIGN_OR_RETURN(const Json json, ParseResponse("SearXNG", response.body));
    const std::string silent = UnresponsiveEngines(json);
    if (!silent.empty() && !HasAnything(json)) return NoEngineAnswered(silent);
    return Findings{
        HitsOf(json, static_cast<size_t>(max_results)), FirstAnswer(json),
        silent.empty() ? "" : absl::StrCat("these engines did not answer, so pages may be missing: ", silent)};
  }

 private:
  const std::shared_ptr<providers::Provider> provider_;
};

}  // namespace

std::unique_ptr<SearchEngine> Searxng(std::shared_ptr<providers::Provider> provider) {
  return std::make_unique<SearxngEngine>(std::move(provider));
}

}  // namespace toolgate::executors::web_search
