#include "services/api/input_budget.h"

#include <algorithm>

namespace toolgate::services::api {

bool InputBudget::Take(int64_t bytes) {
  if (taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= max_bytes_) return true;
  taken_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool InputBudget::Lease::Grow(int64_t bytes) {
  if (budget_ == nullptr) return true;
  const int64_t before = std::max<int64_t>(0, bytes_ - kFreeBytes);
  const int64_t after = std::max<int64_t>(0, bytes_ + bytes - kFreeBytes);
  if (after > before && !budget_->Take(after - before)) return false;
  bytes_ += bytes;
  return true;
}

void InputBudget::Lease::Release() {
  const int64_t bytes = std::max<int64_t>(0, std::exchange(bytes_, 0) - kFreeBytes);
  if (bytes > 0) budget_->taken_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace toolgate::services::api
