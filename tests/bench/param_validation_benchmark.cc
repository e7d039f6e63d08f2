// Cost of layer 2 for a call with 1 KiB of typical arguments.
#include <memory>
#include <string>

#include "benchmark/benchmark.h"
#include "common/json.h"
#include "security/param_validation/argument_guards.h"
#include "security/param_validation/argument_parser.h"
#include "security/param_validation/json_schema.h"

namespace toolgate::security::param_validation {
namespace {

constexpr const char* kSchema = R"({"type":"object","required":["parentId","type","properties"],"properties":{
  "parentId":{"type":"string","minLength":1,"maxLength":64},
  "type":{"enum":["page","todo","task","heading","database"]},
  "position":{"type":"integer","minimum":0,"default":0},
  "properties":{"type":"object","properties":{
    "title":{"type":"string","maxLength":500},
    "description":{"type":"string","maxLength":10000},
    "dueDate":{"type":"string","format":"date"},
    "startTime":{"type":"string","format":"date-time"},
    "priority":{"enum":["low","medium","high"],"default":"medium"},
    "estimate":{"type":"number","minimum":0,"maximum":1000},
    "assignees":{"type":"array","maxItems":20,"items":{"type":"string","minLength":1}},
    "tags":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[a-z0-9-]+$"}},
    "checklist":{"type":"array","items":{"type":"object","required":["text"],"properties":{
      "text":{"type":"string"},"done":{"type":"boolean","default":false}}}}}},
  "notify":{"type":"boolean","default":true}}})";

// 1,024 bytes after the description is filled up.
std::string Arguments() {
  Json arguments = Json::parse(R"({"parentId":"01j9zq6t8m3x5v7b2n4k6h8g0d","type":"task","position":3,"properties":{
    "title":"Review the quarterly report before the board meeting","description":"","dueDate":"2026-03-31",
    "startTime":"2026-03-30T09:30:00+02:00","priority":"high","estimate":2.5,
    "assignees":["01j9zq6t8m3x5v7b2n4k6h8g0e","01j9zq6t8m3x5v7b2n4k6h8g0f"],"tags":["finance","board","q1-2026"],
    "checklist":[{"text":"Read the draft","done":true},{"text":"Check the figures"},{"text":"Write comments","done":false}]},
    "notify":false})");
  auto& description = arguments["properties"]["description"].get_ref<std::string&>();
  constexpr std::string_view kSentence = "The figures of the third quarter still need a second look. ";
  while (DumpJson(arguments).size() < 1024) description += kSentence[description.size() % kSentence.size()];
  return DumpJson(arguments);
}

std::unique_ptr<const JsonSchema> Schema() {
  auto schema = JsonSchema::Compile(Json::parse(kSchema), {.assert_formats = true, .close_objects = true});
  return schema.ok() ? *std::move(schema) : nullptr;
}

void BM_Parse(benchmark::State& state) {
  const std::string text = Arguments();
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_Parse);

void BM_Guards(benchmark::State& state) {
  const Json arguments = Json::parse(Arguments());
  for (auto _ : state) benchmark::DoNotOptimize(FindPrototypeKey(arguments));
}
BENCHMARK(BM_Guards);

void BM_FillDefaults(benchmark::State& state) {
  const auto schema = Schema();
  Json arguments = Json::parse(Arguments());
  for (auto _ : state) {
    schema->FillDefaults(arguments);
    benchmark::DoNotOptimize(arguments);
  }
}
BENCHMARK(BM_FillDefaults);

void BM_Validate(benchmark::State& state) {
  const auto schema = Schema();
  const Json arguments = Json::parse(Arguments());
  if (!schema->IsValid(arguments)) state.SkipWithError("the arguments are not valid");
  for (auto _ : state) benchmark::DoNotOptimize(schema->Validate(arguments));
}
BENCHMARK(BM_Validate);

void BM_WholeLayer(benchmark::State& state) {
  const auto schema = Schema();
  const std::string text = Arguments();
  config::v1::ParamValidation limits;
  limits.set_max_bytes(1 << 20);
  limits.set_max_depth(64);
  limits.set_max_keys(10'000);
  const ArgumentParser parser(limits);
  for (auto _ : state) {
    Json arguments = *parser.Parse(text);
    benchmark::DoNotOptimize(FindPrototypeKey(arguments));
    schema->RemoveNulls(arguments);
    schema->FillDefaults(arguments);
    benchmark::DoNotOptimize(schema->Validate(arguments));
  }
}
BENCHMARK(BM_WholeLayer);

void BM_CanonicalJson(benchmark::State& state) {
  const Json arguments = Json::parse(Arguments());
  for (auto _ : state) benchmark::DoNotOptimize(CanonicalJson(arguments));
}
BENCHMARK(BM_CanonicalJson);

void BM_Explain(benchmark::State& state) {
  const auto schema = Schema();
  Json arguments = Json::parse(Arguments());
  arguments["properties"]["dueDate"] = "tomorrow";
  arguments["propertis"] = 1;
  for (auto _ : state) benchmark::DoNotOptimize(schema->Validate(arguments));
}
BENCHMARK(BM_Explain);

}  // namespace
}  // namespace toolgate::security::param_validation

BENCHMARK_MAIN();
