// Results as <tool_result> XML: whatever a result says, its elements stand once and in order, and hold what it says.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "common/json.h"
#include "services/rendering/result_renderer.h"

namespace {

using toolgate::Json;
using toolgate::security::ToolResult;

// The text up to the next zero byte, as well-formed UTF-8.
std::string TakeText(std::string_view& input) {
  const size_t end = input.find('\0');
  const std::string_view raw = input.substr(0, end);
  input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  return Json::parse(toolgate::DumpJson(std::string(raw))).get<std::string>();
}

void Expect(bool condition) {
  if (!condition) std::abort();
}

// Removes `text` from the beginning of `rest`.
void Skip(std::string_view text, std::string_view& rest) {
  Expect(rest.starts_with(text));
  rest.remove_prefix(text.size());
}

// Content of the element `name`, which must come next. With `attributes`, its tag may have some.
std::string_view TakeElement(std::string_view name, bool attributes, std::string_view& rest) {
  Skip("  <", rest);
  Skip(name, rest);
  if (attributes) rest.remove_prefix(std::min(rest.find('>'), rest.size()));
  Skip(">", rest);
  const std::string_view content = rest.substr(0, rest.find('<'));
  Expect(content.find('>') == std::string_view::npos);
  rest.remove_prefix(content.size());
  Skip("</", rest);
  Skip(name, rest);
  Skip(">\n", rest);
  return content;
}

// `content` as an XML reader reads it. No other entity may stand there.
std::string Unescape(std::string_view content) {
  constexpr std::array<std::pair<std::string_view, char>, 3> kEntities = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}};
  std::string text;
  while (!content.empty()) {
    if (content[0] != '&') {
      text.push_back(content[0]);
      content.remove_prefix(1);
      continue;
    }
    bool known = false;
    for (const auto& [entity, c] : kEntities) {
      if (known || !content.starts_with(entity)) continue;
      text.push_back(c);
      content.remove_prefix(entity.size());
      known = true;
    }
    Expect(known);
  }
  return text;
}

// `text` without the characters that XML forbids.
std::string Legal(std::string_view text) {
  std::string legal;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n' && text[i] != '\t';
    const bool none = text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF";
    legal += control || none ? std::string("\xEF\xBF\xBD") : std::string(1, text[i]);
    if (none) i += 2;
  }
  return legal;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  ToolResult result;
  result.success = (input[0] & 1) == 0;
  result.untrusted = (input[0] & 2) != 0;
  result.truncated = (input[0] & 4) != 0;
  result.boundary = "b0b1";
  input.remove_prefix(1);
  const std::string call_id = TakeText(input);
  const std::string tool = TakeText(input);
  const std::string said = TakeText(input);
  if (result.success) {
    result.data_json = toolgate::DumpJson(said);
  } else {
    result.error.emplace().message = said;
  }
  const std::string xml =
      toolgate::services::rendering::RenderResult(result, tool, call_id, toolgate::v1::RESULT_FORMAT_TOOL_RESULT_XML);
  std::string_view rest = xml;
  Skip("<tool_result>\n", rest);
  Expect(Unescape(TakeElement("tool_call_id", false, rest)) == Legal(call_id));
  Expect(Unescape(TakeElement("name", false, rest)) == Legal(tool));
  Expect(TakeElement("status", false, rest) == (result.success ? "success" : "error"));
  if (result.success && result.untrusted) static_cast<void>(TakeElement("notice", false, rest));
  if (result.success && result.truncated) static_cast<void>(TakeElement("notice", false, rest));
  const std::string content = Unescape(TakeElement("result", true, rest));
  Expect(rest == "</tool_result>");
  Expect(toolgate::ParseJson(content).ok());
  if (!result.success) {
    Expect(content == Legal(toolgate::DumpJson({{"error", toolgate::services::rendering::ErrorJson(*result.error)}})));
  } else if (!result.untrusted) {
    Expect(content == Legal(result.data_json));
  }
  return 0;
}
