#include "common/text/look_alike.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace toolgate::text {
namespace {

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

utf8proc_int32_t PlainBlank(utf8proc_int32_t character, void* /*unused*/) {
  return utf8proc_category(character) == UTF8PROC_CATEGORY_ZS ? ' ' : character;
}

}  // namespace

std::string LookAlikeForm(std::string_view name) {
  if (IsPlain(name)) return std::string(name);
  utf8proc_uint8_t* form = nullptr;
  const utf8proc_ssize_t size = utf8proc_map_custom(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()), static_cast<utf8proc_ssize_t>(name.size()), &form,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE), &PlainBlank, nullptr);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(form, &std::free);
  if (size < 0) return std::string(name);
  return {reinterpret_cast<const char*>(form), static_cast<size_t>(size)};
}

bool LooksAlike(std::string_view a, std::string_view b) {
  if (IsPlain(a) && IsPlain(b)) return a == b;
  return LookAlikeForm(a) == LookAlikeForm(b);
}

}  // namespace toolgate::text
