#include "common/brief_section.h"

#include <atomic>

namespace toolgate {
namespace {

thread_local int section_depth = 0;
std::atomic<uint64_t> noted_count{0};
std::atomic<const char*> last_noted{""};

// Not inlined, since a fiber may go on on another thread (common/fibers/fiber.h).
__attribute__((noinline)) int& DepthOfThread() { return section_depth; }

}  // namespace

BriefSection::BriefSection() : depth_(DepthOfThread()) { ++depth_; }

BriefSection::~BriefSection() { --depth_; }

void BriefSection::Note(const char* what) {
  if (DepthOfThread() == 0) return;
  last_noted.store(what, std::memory_order_relaxed);
  noted_count.fetch_add(1, std::memory_order_relaxed);
}

uint64_t BriefSection::noted() { return noted_count.load(std::memory_order_relaxed); }

std::string BriefSection::last() { return last_noted.load(std::memory_order_relaxed); }

}  // namespace toolgate
