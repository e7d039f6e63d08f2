// Reads the JSON of definition files and records where problems are.
#ifndef TOOLGATE_EXECUTORS_MEMBER_READER_H_
#define TOOLGATE_EXECUTORS_MEMBER_READER_H_

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/json.h"

namespace toolgate::executors {

// Reads one JSON object member by member; the first problem is kept, with its place.
class MemberReader {
 public:
  MemberReader(std::string_view path, std::string_view pointer, const Json& object)
      : path_(path), pointer_(pointer), object_(object) {
    if (!object.is_object()) Fail("", "must be an object");
  }

  void AllowOnly(std::span<const std::string_view> names) {
    if (!object_.is_object()) return;
    for (const auto& member : object_.get_ref<const Json::object_t&>()) {
      if (std::find(names.begin(), names.end(), member.first) != names.end()) continue;
      Fail(member.first, absl::StrCat("is not a member of the format; known: ",
                                      absl::StrJoin(names, ", ", [](std::string* out, std::string_view name) {
                                        absl::StrAppend(out, ToAbsl(name));
                                      })));
    }
  }

  // nullptr if absent or after an earlier failure.
  const Json* Find(std::string_view name) const {
    if (!status_.ok()) return nullptr;
    const auto found = object_.find(std::string(name));
    return found == object_.end() ? nullptr : &*found;
  }

  const Json* Require(std::string_view name, std::string_view what) {
    const Json* value = Find(name);
    if (value == nullptr) Fail(name, absl::StrCat("is missing: ", ToAbsl(what)));
    return value;
  }

  std::string String(std::string_view name) {
    const Json* value = Require(name, "a string that is not empty");
    if (value == nullptr) return "";
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
      Fail(name, "must be a string that is not empty");
      return "";
    }
    return value->get<std::string>();
  }

  template <typename Enum, size_t N>
  Enum OneOf(std::string_view name, const std::array<std::pair<std::string_view, Enum>, N>& values) {
    const std::string text = String(name);
    for (const auto& [value_name, value] : values) {
      if (value_name == text) return value;
    }
    Fail(name, absl::StrCat("must be one of ", absl::StrJoin(values, ", ", [](std::string* out, const auto& value) {
                              absl::StrAppend(out, ToAbsl(value.first));
                            })));
    return values[0].second;
  }

  void Bool(std::string_view name, bool& target) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Fail(name, "must be true or false");
    target = value->get<bool>();
  }

  absl::Duration Duration(std::string_view name, absl::Duration fallback) {
    if (Find(name) == nullptr) return fallback;
    absl::Duration duration;
    if (!absl::ParseDuration(String(name), &duration) || duration <= absl::ZeroDuration() ||
        duration == absl::InfiniteDuration()) {
      Fail(name, "must be a duration above zero such as \"60s\", \"5m\" or \"24h\"");
      return fallback;
    }
    return duration;
  }

  void Fail(std::string_view name, std::string_view problem) {
    if (!status_.ok()) return;
    const std::string place =
        name.empty() ? std::string(pointer_) : absl::StrCat(ToAbsl(pointer_), "/", EscapePointerToken(name));
    status_ = absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(path_), ": ", place.empty() ? "the file" : place, " ", ToAbsl(problem)));
  }
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  const absl::Status& status() const { return status_; }

 private:
  std::string_view path_;
  std::string_view pointer_;
  const Json& object_;
  absl::Status status_;
};

// 1 to 64 of the characters that are allowed in tool ids.
inline bool IsToolId(std::string_view id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), allowed);
}

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_MEMBER_READER_H_
