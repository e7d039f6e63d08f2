// Builds JSON text around existing JSON text.
#ifndef TOOLGATE_SERVICES_RENDERING_JSON_TEXT_H_
#define TOOLGATE_SERVICES_RENDERING_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace toolgate::services::rendering {

// Appends `text`, which must be well-formed UTF-8, to `out` as a JSON string with its quotes.
void AppendJsonString(std::string_view text, std::string* out);

// `json`, a JSON text, with every "<" written as \u003c: the same value, but it cannot contain markup. ("<" occurs in
// JSON only inside strings.)
std::string WithoutMarkup(std::string_view json);

// Whether `json`, a JSON text, is an object.
bool IsJsonObject(std::string_view json);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_JSON_TEXT_H_
