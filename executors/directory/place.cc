#include "executors/directory/place.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr char kFile[] = "place";
constexpr std::string_view kShownFile = ".toolgate/place";
constexpr size_t kIdBytes = 16;
constexpr int64_t kMaxFileBytes = 64;

// A file that a crash left half written holds none.
bool IsPlace(std::string_view text) {
  return text.size() == 2 * kIdBytes && std::ranges::all_of(text, [](char c) { return absl::ascii_isxdigit(c); });
}

absl::StatusOr<std::string> ReadPlace(const Descriptor& folder) {
  const Descriptor file = OpenBeneath(folder.get(), kFile, O_RDONLY | O_NOFOLLOW);
  if (!file.valid()) return errno == ENOENT ? absl::StatusOr<std::string>("") : FileError(errno, kShownFile);
  ASSIGN_OR_RETURN(const std::string text, ReadWhole(file.get(), kShownFile, kMaxFileBytes));
  const std::string_view place = FromAbsl(absl::StripTrailingAsciiWhitespace(text));
  return IsPlace(place) ? std::string(place) : std::string();
}

std::string NotHere(std::string_view place, std::string_view here) {
  return absl::StrCat("the files of this change are on the disk with the place ", ToAbsl(place),
                      ", and the one here is ", here.empty() ? "another" : ToAbsl(here));
}

}  // namespace

absl::StatusOr<std::string> FindPlace(const Directory& directory) {
  ASSIGN_OR_RETURN(const Descriptor folder, directory.OwnFolder());
  return ReadPlace(folder);
}

absl::StatusOr<std::string> MakePlace(const Directory& directory) {
  ASSIGN_OR_RETURN(const Descriptor folder, directory.OwnFolder());
  ASSIGN_OR_RETURN(std::string place, ReadPlace(folder));
  if (!place.empty()) return place;
  place = HexEncode(IdSource::Real().RandomBytes(kIdBytes));
  const Descriptor file = OpenBeneath(folder.get(), kFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (!file.valid()) return FileError(errno, kShownFile);
  RETURN_IF_ERROR(WriteAll(file.get(), kShownFile, absl::StrCat(place, "\n")));
  if (fsync(file.get()) != 0) return FileError(errno, kShownFile);
  const Descriptor entries = OpenBeneath(directory.root(), kOwnFolder, O_RDONLY | O_DIRECTORY);
  if (!entries.valid() || fsync(entries.get()) != 0) return FileError(errno, kShownFile);
  return place;
}

absl::Status CheckPlaceForRecovery(const Directory& directory, std::string_view place) {
  if (place.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string here, FindPlace(directory));
  if (here == place) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(NotHere(place, here), "; the process that serves that disk recovers it"));
}

absl::Status CheckPlaceForUndo(const Directory& directory, std::string_view place) {
  if (place.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string here, FindPlace(directory));
  if (here == place) return absl::OkStatus();
  return MakeError(ErrorCode::kCannotUndo, absl::StrCat(NotHere(place, here), "; undo it where that disk is served"));
}

}  // namespace toolgate::executors::directory
