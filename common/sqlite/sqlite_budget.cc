#include "common/sqlite/sqlite_budget.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace toolgate::sqlite {
namespace {

// Small allocations are too many to ask each time.
constexpr int64_t kLarge = 4096;
constexpr uint32_t kAskEvery = 64;

thread_local SqliteBudget* current = nullptr;

// SQLite's own allocator. Written once, before SQLite starts.
sqlite3_mem_methods& Real() {
  static sqlite3_mem_methods methods;
  return methods;
}

void* Malloc(int bytes) {
  SqliteBudget* const budget = current;
  if (budget == nullptr) return Real().xMalloc(bytes);
  if (!budget->Admit(bytes)) return nullptr;
  void* const memory = Real().xMalloc(bytes);
  if (memory != nullptr) budget->Count(Real().xSize(memory));
  return memory;
}

void Free(void* memory) {
  if (current != nullptr) current->Count(-int64_t{Real().xSize(memory)});
  Real().xFree(memory);
}

void* Realloc(void* memory, int bytes) {
  SqliteBudget* const budget = current;
  if (budget == nullptr) return Real().xRealloc(memory, bytes);
  const int64_t before = Real().xSize(memory);
  if (bytes > before && !budget->Admit(bytes - before)) return nullptr;
  void* const moved = Real().xRealloc(memory, bytes);
  if (moved != nullptr) budget->Count(Real().xSize(moved) - before);
  return moved;
}

int Size(void* memory) { return Real().xSize(memory); }
int RoundUp(int bytes) { return Real().xRoundup(bytes); }
int Init(void*) { return Real().xInit(Real().pAppData); }
void Shutdown(void*) { Real().xShutdown(Real().pAppData); }

bool InstallOnce() {
  // SQLite's own count of all memory is one lock for all threads at every allocation, and nobody reads it.
  if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK) return false;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &Real()) != SQLITE_OK) return false;
  sqlite3_mem_methods ours = {Malloc, Free, Realloc, Size, RoundUp, Init, Shutdown, nullptr};
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK;
}

}  // namespace

bool SqliteBudget::Install() {
  static const bool installed = InstallOnce();
  return installed;
}

SqliteBudget::SqliteBudget(int64_t max_bytes, StackBound stack, std::function<bool()> may_go_on,
                           fairness::MemoryBudget::Reservation* memory)
    : max_bytes_(max_bytes), stack_(stack), may_go_on_(std::move(may_go_on)), memory_(memory) {
  current = this;
}

SqliteBudget::~SqliteBudget() { current = nullptr; }

bool SqliteBudget::Admit(int64_t bytes) {
  if (used_ + bytes > max_bytes_) {
    exhausted_ = true;
    return false;
  }
  if (memory_ != nullptr && !memory_->Resize(used_ + bytes)) {
    may_go_on_();
    return false;
  }
  if (bytes < kLarge && ++admitted_ % kAskEvery != 0 && stack_.Holds()) return true;
  return may_go_on_();
}

void SqliteBudget::Count(int64_t bytes) {
  used_ += bytes;
  peak_ = std::max(peak_, used_);
}

SqliteBudget::Pause::Pause() : paused_(current) { current = nullptr; }

SqliteBudget::Pause::~Pause() { current = paused_; }

}  // namespace toolgate::sqlite
