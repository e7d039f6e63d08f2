#include "executors/directory/content.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kPieceBytes = size_t{256} << 10;

}  // namespace

absl::Status ReadPieces(int file, std::string_view path, int64_t max_bytes,
                        absl::FunctionRef<absl::Status(std::string_view)> take,
                        const fibers::Cancellation& cancellation) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  for (int64_t at = 0;;) {
    RETURN_IF_ERROR(cancellation.Check());
    const ssize_t got = pread(file, buffer.get(), kPieceBytes, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(errno, path);
    if (got == 0) return absl::OkStatus();
    at += got;
    if (at > max_bytes) return absl::ResourceExhaustedError(absl::StrCat("\"", ShownPath(path), "\" is too large"));
    RETURN_IF_ERROR(take({buffer.get(), static_cast<size_t>(got)}));
  }
}

absl::StatusOr<std::string> ReadWhole(int file, std::string_view path, int64_t max_bytes,
                                      const fibers::Cancellation& cancellation) {
  std::string content;
  const auto append = [&](std::string_view piece) {
    content.append(piece);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadPieces(file, path, max_bytes, append, cancellation));
  return content;
}

absl::StatusOr<ContentDigest> DigestOf(int file, std::string_view path, const fibers::Cancellation& cancellation) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 cannot be computed");
  }
  ContentDigest digest;
  const auto update = [&](std::string_view piece) {
    EVP_DigestUpdate(context.get(), piece.data(), piece.size());
    digest.size += static_cast<int64_t>(piece.size());
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadPieces(file, path, std::numeric_limits<int64_t>::max(), update, cancellation));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), bytes.data(), &length);
  digest.sha256.assign(reinterpret_cast<const char*>(bytes.data()), length);
  return digest;
}

absl::Status WriteAll(int file, std::string_view path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return FileError(errno, path);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

}  // namespace toolgate::executors::directory
