#include "common/config_path.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate {
namespace {

constexpr char kPayload[] = "toolgate/config_path";

}  // namespace

absl::Status AtConfigPath(std::string_view path, const absl::Status& status) {
  if (status.ok() || !ConfigPathOf(status).empty()) return status;
  absl::Status placed(status.code(), absl::StrCat(ToAbsl(path), ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) { placed.SetPayload(url, value); });
  placed.SetPayload(kPayload, absl::Cord(ToAbsl(path)));
  return placed;
}

std::string ConfigPathOf(const absl::Status& status) {
  const auto path = status.GetPayload(kPayload);
  return path.has_value() ? std::string(*path) : std::string();
}

}  // namespace toolgate
