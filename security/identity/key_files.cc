#include "security/identity/key_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/descriptor.h"
#include "common/http/curl_library.h"
#include "common/status_macros.h"

namespace toolgate::security::identity {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 10;
constexpr long kGood = 200;

absl::Status SystemError(const std::string& path, int error) {
  const std::string message = absl::StrCat("cannot read ", path, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(message);
  if (error == EACCES) return absl::PermissionDeniedError(message);
  return absl::InvalidArgumentError(message);
}

absl::StatusOr<std::string> Read(const std::string& path, bool secret) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0) return SystemError(path, errno);
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, " is no regular file"));
  if (secret && (info.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " can be read or written by every user of this machine; run: chmod o= ", path));
  }
  std::string text(kMaxBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, errno);
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size > kMaxBytes) return absl::InvalidArgumentError(absl::StrCat(path, " is larger than 256 KiB"));
  text.resize(size);
  return text;
}

size_t Append(char* data, size_t size, size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kMaxBytes) return 0;  // Ends the transfer.
  text.append(data, size * count);
  return size * count;
}

int StopAsked(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
}

void SetUp(const http::CurlLibrary& library, CURL* curl, const HttpGet& request, const std::atomic<bool>& stop,
           std::string& body) {
  const bool plain = absl::StartsWithIgnoreCase(request.url, "http:");
  library.easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  library.easy_setopt(curl, CURLOPT_PROTOCOLS_STR, plain ? "http" : "https");
  // Plain HTTP is for the loopback only, so proxies from the environment must not be used.
  if (plain) library.easy_setopt(curl, CURLOPT_PROXY, "");
  library.easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  library.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  library.easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(absl::ToInt64Milliseconds(request.timeout)));
  library.easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  library.easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  library.easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!request.ca_file.empty()) library.easy_setopt(curl, CURLOPT_CAINFO, request.ca_file.c_str());
  library.easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Append);
  library.easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  library.easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  library.easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &StopAsked);
  library.easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&stop));
}

}  // namespace

absl::StatusOr<std::string> ReadKeyFile(const std::string& path) { return Read(path, /*secret=*/false); }

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) { return Read(path, /*secret=*/true); }

absl::StatusOr<std::string> FetchOverHttp(const HttpGet& request, const std::atomic<bool>& stop) {
  ASSIGN_OR_RETURN(const http::CurlLibrary* const library, http::CurlLibrary::Load());
  const std::unique_ptr<CURL, decltype(library->easy_cleanup)> curl(library->easy_init(), library->easy_cleanup);
  if (curl == nullptr) return absl::UnavailableError("no memory for an HTTP request");
  std::string body;
  SetUp(*library, curl.get(), request, stop, body);
  const CURLcode code = library->easy_perform(curl.get());
  if (code != CURLE_OK) {
    return absl::UnavailableError(
        absl::StrCat("cannot fetch ", request.url, ": ",
                     code == CURLE_WRITE_ERROR ? "the answer is larger than 256 KiB" : library->easy_strerror(code)));
  }
  long answer = 0;
  library->easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer);
  if (answer == kGood) return body;
  return absl::UnavailableError(absl::StrCat(request.url, " answered ", answer, " instead of 200"));
}

}  // namespace toolgate::security::identity
