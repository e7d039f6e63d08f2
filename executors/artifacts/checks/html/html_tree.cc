#include "executors/artifacts/checks/html/html_tree.h"

#include <csetjmp>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace toolgate::executors::artifacts::checks::html {
namespace {

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kAlignment = alignof(std::max_align_t);

// At least as many as the parser sees: those in comments and scripts count too.
size_t CountTags(std::string_view source) {
  size_t tags = 0;
  for (size_t i = 0; i + 1 < source.size(); ++i) {
    if (source[i] != '<') continue;
    if (source[i + 1] == '/' || absl::ascii_isalpha(static_cast<unsigned char>(source[i + 1]))) ++tags;
  }
  return tags;
}

}  // namespace

// Memory of one tree, given back as a whole: Gumbo's own clean-up recurses as deep as the tree is.
class HtmlTree::Arena {
 public:
  // Null when the tree does not fit. No frame between here and Allocate has anything to clean up: they are C.
  const GumboOutput* Parse(std::string_view source) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = [](void* arena, size_t bytes) { return static_cast<Arena*>(arena)->Allocate(bytes); };
    options.deallocator = [](void*, void*) {};
    options.userdata = this;
    options.max_errors = 100;
    chunks_.reserve(kMaxMemory / kChunk);         // No exception passes through C.
    if (setjmp(too_large_) != 0) return nullptr;  // NOLINT(cert-err52-cpp): Gumbo checks no allocation.
    return gumbo_parse_with_options(&options, source.data(), source.size());
  }

 private:
  void* Allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > left_ && !AddChunk(bytes)) std::longjmp(too_large_, 1);  // NOLINT(cert-err52-cpp)
    std::byte* const place = next_;
    next_ += bytes;
    left_ -= bytes;
    return place;
  }

  bool AddChunk(size_t bytes) {
    const size_t size = bytes > kChunk ? bytes : kChunk;
    if (size > kMaxMemory - used_) return false;
    std::unique_ptr<std::byte[]> chunk(new (std::nothrow) std::byte[size]);
    if (chunk == nullptr) return false;
    next_ = chunk.get();
    left_ = size;
    used_ += size;
    chunks_.push_back(std::move(chunk));
    return true;
  }

  std::jmp_buf too_large_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
  size_t used_ = 0;
};

HtmlTree::HtmlTree(std::string_view source, std::unique_ptr<Arena> arena, const GumboOutput* output)
    : source_(source), arena_(std::move(arena)), output_(output) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

absl::StatusOr<HtmlTree> HtmlTree::Parse(std::string_view source) {
  if (source.size() > kMaxBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("is longer than ", kMaxBytes, " bytes"));
  }
  if (CountTags(source) > kMaxTags) {
    return absl::ResourceExhaustedError(absl::StrCat("has more than ", kMaxTags, " tags"));
  }
  auto arena = std::make_unique<Arena>();
  const GumboOutput* const output = arena->Parse(source);
  if (output == nullptr) {
    return absl::ResourceExhaustedError("has too many formatting elements that are open at once");
  }
  return HtmlTree(source, std::move(arena), output);
}

size_t HtmlTree::OffsetOf(const GumboStringPiece& piece) const {
  if (piece.data == nullptr || piece.data < source_.data()) return 0;
  const auto offset = static_cast<size_t>(piece.data - source_.data());
  return offset > source_.size() ? 0 : offset;
}

}  // namespace toolgate::executors::artifacts::checks::html
