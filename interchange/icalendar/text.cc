#include "interchange/icalendar/text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"

namespace toolgate::interchange::icalendar {
namespace {

constexpr size_t kFoldAt = 75;
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxProperties = 2'000'000;

absl::Status Wrong(int64_t line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", ToAbsl(what)));
}

bool IsNameCharacter(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; }

std::string Upper(std::string_view text) { return absl::AsciiStrToUpper(ToAbsl(text)); }

// Joins folded lines.
class LineUnfolder {
 public:
  explicit LineUnfolder(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
  }

  // False at the end. Skips empty lines.
  bool Next() {
    line_.clear();
    while (line_.empty() && !text_.empty()) {
      number_ = next_number_;
      line_ = TakeLine();
      while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
        text_.remove_prefix(1);
        line_ += TakeLine();
      }
    }
    return !line_.empty();
  }

  const std::string& line() const { return line_; }
  int64_t number() const { return number_; }

 private:
  std::string_view TakeLine() {
    const size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++next_number_;
    return line;
  }

  std::string_view text_;
  std::string line_;
  int64_t number_ = 0;
  int64_t next_number_ = 1;
};

// Parses one content line.
class PropertyReader {
 public:
  PropertyReader(std::string_view line, int64_t number) : rest_(line), number_(number) {}

  absl::StatusOr<IcalProperty> Read() {
    IcalProperty property;
    property.line = number_;
    property.name = Upper(TakeName());
    if (property.name.empty()) return Wrong(number_, "a line must begin with the name of a property");
    // A group before the name, as in vCards, has no meaning here.
    if (!rest_.empty() && rest_.front() == '.') {
      rest_.remove_prefix(1);
      property.name = Upper(TakeName());
    }
    while (!rest_.empty() && rest_.front() == ';') {
      rest_.remove_prefix(1);
      RETURN_IF_ERROR(ReadParameter(property));
    }
    if (rest_.empty() || rest_.front() != ':') {
      return Wrong(number_, absl::StrCat("a colon is missing after ", property.name.substr(0, 64)));
    }
    property.value = rest_.substr(1);
    return property;
  }

 private:
  std::string_view TakeName() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsNameCharacter);
    return Take(static_cast<size_t>(end - rest_.begin()));
  }

  std::string_view Take(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  absl::Status ReadParameter(IcalProperty& property) {
    const std::string name = Upper(TakeName());
    if (name.empty() || rest_.empty() || rest_.front() != '=') {
      return Wrong(number_, absl::StrCat("a parameter of ", property.name.substr(0, 64), " is not NAME=value"));
    }
    std::string value;
    do {
      rest_.remove_prefix(1);
      if (!value.empty()) value += ',';
      if (!rest_.empty() && rest_.front() == '"') {
        const size_t end = rest_.find('"', 1);
        if (end == std::string_view::npos) return Wrong(number_, "a quotation mark is not closed");
        value += Take(end + 1).substr(1, end - 1);
      } else {
        value += Take(std::min(rest_.find_first_of(";:,"), rest_.size()));
      }
    } while (!rest_.empty() && rest_.front() == ',');
    property.parameters.emplace_back(name, std::move(value));
    return absl::OkStatus();
  }

  std::string_view rest_;
  const int64_t number_;
};

class ComponentReader {
 public:
  absl::Status Take(IcalProperty property) {
    if (property.name == "BEGIN") return Begin(property);
    if (property.name == "END") return End(property);
    if (open_.empty()) {
      return Wrong(property.line, "this stands outside of BEGIN:VCALENDAR and END:VCALENDAR; is it an iCalendar file?");
    }
    if (++count_ > kMaxProperties) return Wrong(property.line, "there are too many properties in the file");
    open_.back().properties.push_back(std::move(property));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<IcalComponent>> Finish() && {
    if (!open_.empty()) {
      return Wrong(open_.back().line, absl::StrCat("BEGIN:", open_.back().name.substr(0, 64),
                                                   " has no END; the file may have been cut off"));
    }
    return std::move(done_);
  }

 private:
  static std::string NameIn(const IcalProperty& property) {
    return Upper(FromAbsl(absl::StripAsciiWhitespace(property.value)));
  }

  absl::Status Begin(const IcalProperty& property) {
    if (open_.size() == kMaxDepth) return Wrong(property.line, "components are nested too deep");
    if (++count_ > kMaxProperties) return Wrong(property.line, "there are too many components in the file");
    open_.push_back({NameIn(property), property.line, {}, {}});
    return absl::OkStatus();
  }

  absl::Status End(const IcalProperty& property) {
    const std::string name = NameIn(property);
    if (open_.empty() || open_.back().name != name) {
      const std::string wanted = open_.empty() ? "nothing is open"
                                               : absl::StrCat("BEGIN:", open_.back().name.substr(0, 64), " of line ",
                                                              open_.back().line, " is open");
      return Wrong(property.line, absl::StrCat("END:", name.substr(0, 64), " does not fit: ", wanted));
    }
    IcalComponent closed = std::move(open_.back());
    open_.pop_back();
    (open_.empty() ? done_ : open_.back().components).push_back(std::move(closed));
    return absl::OkStatus();
  }

  std::vector<IcalComponent> open_;
  std::vector<IcalComponent> done_;
  size_t count_ = 0;
};

}  // namespace

std::string_view IcalProperty::Parameter(std::string_view parameter) const {
  for (const auto& [own, text] : parameters) {
    if (own == parameter) return text;
  }
  return {};
}

const IcalProperty* IcalComponent::Find(std::string_view property) const {
  const auto found =
      std::find_if(properties.begin(), properties.end(), [&](const IcalProperty& own) { return own.name == property; });
  return found == properties.end() ? nullptr : &*found;
}

absl::StatusOr<std::vector<IcalComponent>> ParseIcal(std::string_view text) {
  if (text.size() > kMaxIcalBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the file is larger than ", kMaxIcalBytes >> 20, " MiB"));
  }
  LineUnfolder lines(text);
  ComponentReader components;
  while (lines.Next()) {
    ASSIGN_OR_RETURN(IcalProperty property, PropertyReader(lines.line(), lines.number()).Read());
    RETURN_IF_ERROR(components.Take(std::move(property)));
  }
  return std::move(components).Finish();
}

std::string UnescapeIcal(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      text += value[i];
      continue;
    }
    const char next = value[++i];
    text += next == 'n' || next == 'N' ? '\n' : next;
  }
  return text;
}

std::string EscapeIcal(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\n') {
      value += "\\n";
      continue;
    }
    if (c == '\\' || c == ';' || c == ',') value += '\\';
    value += c;
  }
  return value;
}

std::vector<std::string> UnescapeIcalList(std::string_view value) {
  std::vector<std::string> texts;
  size_t begin = 0;
  for (size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size() && value[i] == '\\') {
      ++i;
    } else if (i == value.size() || value[i] == ',') {
      texts.push_back(UnescapeIcal(value.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (begin < value.size()) texts.push_back(UnescapeIcal(value.substr(begin)));
  return texts;
}

void AppendIcalLine(std::string_view line, std::string& out) {
  size_t room = kFoldAt;
  while (line.size() > room) {
    const size_t end = std::max<size_t>(text::PrefixOfBytes(line, room).size(), 1);
    out.append(line.substr(0, end));
    out += "\r\n ";
    line.remove_prefix(end);
    room = kFoldAt - 1;
  }
  out.append(line);
  out += "\r\n";
}

}  // namespace toolgate::interchange::icalendar
