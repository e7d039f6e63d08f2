#include "tests/support/scripted_providers.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "executors/artifacts/artifact_tools.h"
#include "executors/artifacts/settings.pb.h"
#include "executors/images/images_tools.h"
#include "executors/images/settings.pb.h"
#include "executors/providers/settings.pb.h"
#include "executors/web_search/settings.pb.h"
#include "executors/web_search/web_search_tools.h"
#include "gtest/gtest.h"
#include "tests/support/sample_images.h"

namespace toolgate::testing {
namespace {

namespace artifacts = executors::artifacts;
namespace images = executors::images;
namespace web_search = executors::web_search;

ScriptedReply JsonReply(const Json& body) {
  ScriptedReply reply;
  reply.headers = {{"content-type", "application/json"}};
  reply.body = DumpJson(body);
  return reply;
}

// A streamed answer of chat completions.
ScriptedReply Completion(std::string_view model, std::string_view text) {
  const auto chunk = [&](const Json& delta, const Json& finish) {
    return Json{{"id", "1"},
                {"model", model},
                {"choices", Json::array({Json{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}};
  };
  Json last = chunk(Json::object(), "stop");
  last["usage"] = Json{{"prompt_tokens", 100}, {"completion_tokens", 50}};
  ScriptedReply reply;
  reply.headers = {{"content-type", "text/event-stream"}};
  reply.body = absl::StrCat("data: ", DumpJson(chunk(Json{{"role", "assistant"}, {"content", text}}, Json())),
                            "\n\ndata: ", DumpJson(last), "\n\ndata: [DONE]\n\n");
  return reply;
}

// Answer of a model of artifacts to a request in which `sign` occurs.
struct ArtifactAnswer {
  std::string_view sign;
  std::string_view text;
};

constexpr ArtifactAnswer kArtifacts[] = {
    {"flowchart of a web request",
     "```mermaid\nflowchart LR\n  client[Client] -->|request| gateway[Gateway]\n  gateway --> service[Service]\n"
     "  service --> database[(Database)]\n  service -->|answer| client\n```"},
    {"A counter with a button",
     "```jsx\nimport { useState } from \"react\";\n\nexport default function Counter() {\n"
     "  const [count, setCount] = useState(0);\n  return (\n    <main className=\"p-8 text-center\">\n"
     "      <p className=\"text-6xl\">{count}</p>\n"
     "      <button onClick={() => setCount((n) => n + 1)}>Add one</button>\n"
     "      <button onClick={() => setCount(0)}>Start again</button>\n    </main>\n  );\n}\n```"},
    {"whether a word is a palindrome",
     "```python\ndef is_palindrome(word: str) -> bool:\n    letters = [c.lower() for c in word if c.isalpha()]\n"
     "    return letters == letters[::-1]\n```"},
    {"A blue circle",
     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\">\n  <title>Moon</title>\n"
     "  <rect width=\"100\" height=\"100\" fill=\"white\"/>\n  <circle cx=\"50\" cy=\"50\" r=\"40\" "
     "fill=\"blue\"/>\n</svg>"},
    {"titled Opening hours",
     "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Opening hours</title></head>\n<body>\n"
     "<table>\n<tr><th>Day</th><th>Hours</th></tr>\n<tr><td>Monday</td><td>9 to "
     "17</td></tr>\n</table>\n</body>\n</html>"},
    {"first day at work", "# First day\n\n- [ ] Fetch the keys\n- [ ] Meet the team\n"},
};

ScriptedReply AnswerArtifact(const SeenRequest& request) {
  const absl::StatusOr<Json> body = ParseJson(request.body);
  if (!body.ok() || body->value("stream", false) != true) return {.status = 400};
  for (const ArtifactAnswer& answer : kArtifacts) {
    if (absl::StrContains(request.body, ToAbsl(answer.sign))) {
      return Completion((*body)["model"].get<std::string>(), answer.text);
    }
  }
  return Completion("glm", "I'm sorry, but no test has told me what to answer.");
}

ScriptedReply AnswerSearch(const SeenRequest& request) {
  const absl::StatusOr<Json> body = ParseJson(request.body);
  if (!body.ok() || request.method != "POST" || !body->contains("query")) return {.status = 400};
  return JsonReply(
      {{"query", (*body)["query"]},
       {"answer", "A summary."},
       {"results",
        Json::array(
            {Json{{"title", "First page"},
                  {"url", "https://www.example.com/first"},
                  {"content", "Line one.\nLine two."},
                  {"score", 0.9}},
             Json{{"title", "Not a page"}, {"url", "javascript:alert(1)"}, {"content", ""}, {"score", 0.1}}})}});
}

// As OpenRouter answers a request for an image: always the same one.
ScriptedReply AnswerImage(const SeenRequest& request) {
  const absl::StatusOr<Json> body = ParseJson(request.body);
  if (!body.ok() || body->value("modalities", Json()) != Json({"image", "text"})) return {.status = 400};
  const Json image{{"type", "image_url"},
                   {"image_url", {{"url", absl::StrCat("data:image/png;base64,", ToAbsl(sample_images::kPng))}}}};
  return JsonReply(
      {{"id", "1"},
       {"model", (*body)["model"]},
       {"choices",
        Json::array({Json{{"index", 0},
                          {"message", Json{{"role", "assistant"}, {"content", ""}, {"images", Json::array({image})}}},
                          {"finish_reason", "stop"}}})},
       {"usage", Json{{"prompt_tokens", 10}, {"completion_tokens", 1290}}}});
}

struct Route {
  std::string_view path;  // The beginning of it.
  ScriptedReply (*answer)(const SeenRequest& request);
};

constexpr Route kRoutes[] = {
    {"/artifacts/chat/completions", &AnswerArtifact},
    {"/images/chat/completions", &AnswerImage},
    {"/web_search/search", &AnswerSearch},
};

ScriptedReply Answer(const SeenRequest& request) {
  for (const Route& route : kRoutes) {
    if (absl::StartsWith(request.path, ToAbsl(route.path))) return route.answer(request);
  }
  return {.status = 404};
}

// Reached below `base_url`, without a key.
void Point(executors::providers::ProviderSettings& settings, std::string base_url) {
  settings.set_base_url(std::move(base_url));
  settings.set_keyless(true);
}

}  // namespace

ScriptedProviders::ScriptedProviders() : server_(&Answer) {}

void ScriptedProviders::Configure(executors::CatalogOptions& options) const {
  EXPECT_TRUE(
      executors::AddDefaults({artifacts::ArtifactFamily(), images::ImagesFamily(), web_search::WebSearchFamily()},
                             options.settings)
          .ok());
  auto& artifacts = *options.settings.MutableExtension(artifacts::ArtifactSettings::artifacts);
  Point(*artifacts.mutable_provider(), server_.url() + "/artifacts");
  auto& images = *options.settings.MutableExtension(images::ImagesSettings::images);
  Point(*images.mutable_provider(), server_.url() + "/images");
  images.mutable_store()->set_folder(blobs_.path());
  auto& search = *options.settings.MutableExtension(web_search::WebSearchSettings::web_search);
  Point(*search.mutable_provider(), server_.url() + "/web_search");
}

}  // namespace toolgate::testing
