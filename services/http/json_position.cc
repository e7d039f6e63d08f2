#include "services/http/json_position.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/json.h"

namespace toolgate::services::http {
namespace {

// Takes everything and keeps nothing but the position of the first error.
class PositionReader {
 public:
  // Names and signatures are those that nlohmann's parser calls.
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(size_t) { return true; }
  bool key(std::string&) { return true; }
  bool end_object() { return true; }
  bool start_array(size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(size_t position, const std::string&, const Json::exception&) {
    position_ = position;
    return false;
  }

  // Number of bytes that were read, the offending one included.
  std::optional<size_t> position() const { return position_; }

 private:
  std::optional<size_t> position_;
};

}  // namespace

std::optional<TextPosition> FindSyntaxError(std::string_view text) {
  PositionReader reader;
  Json::sax_parse(text.begin(), text.end(), &reader);
  if (!reader.position().has_value()) return std::nullopt;
  const size_t offset = std::min(*reader.position() == 0 ? 0 : *reader.position() - 1, text.size());
  const std::string_view before = text.substr(0, offset);
  const size_t line_start = before.rfind('\n');
  return TextPosition{1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
                      line_start == std::string_view::npos ? offset + 1 : offset - line_start};
}

}  // namespace toolgate::services::http
