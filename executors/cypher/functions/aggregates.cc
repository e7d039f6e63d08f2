#include "executors/cypher/functions/aggregates.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/status_macros.h"
#include "executors/cypher/functions/arithmetic.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::List;
using values::Value;

class CountStar : public Aggregate {
 public:
  absl::Status Add(const Value& /*value*/) override {
    ++count_;
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return Value(count_); }

 private:
  int64_t count_ = 0;
};

class Count : public CountStar {
 public:
  absl::Status Add(const Value& value) override { return value.is_null() ? absl::OkStatus() : CountStar::Add(value); }
};

class Collect : public Aggregate {
 public:
  absl::Status Add(const Value& value) override {
    if (!value.is_null()) list_.push_back(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return Value(std::move(list_)); }
  size_t KeptBytes(const Value& value) const override { return value.MemoryBytes(); }

 private:
  List list_;
};

// min and max, in the order of ORDER BY.
class Extreme : public Aggregate {
 public:
  explicit Extreme(bool greatest) : greatest_(greatest) {}

  absl::Status Add(const Value& value) override {
    if (value.is_null()) return absl::OkStatus();
    const bool better =
        best_.is_null() || std::is_lt(greatest_ ? values::Order(best_, value) : values::Order(value, best_));
    if (better) best_ = value;
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return best_; }

 private:
  const bool greatest_;
  Value best_;
};

// Adds numbers and durations with the operator "+".
class Sum : public Aggregate {
 public:
  explicit Sum(bool average) : average_(average) {}

  absl::Status Add(const Value& value) override {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_number() && !value.is_temporal()) {
      return WrongType(average_ ? "avg()" : "sum()", "numbers or durations", value);
    }
    const Value addend = average_ && value.is_integer() ? Value(value.number()) : value;
    if (count_++ == 0) {
      sum_ = addend;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(sum_, functions::Add(sum_, addend));
    return absl::OkStatus();
  }

  absl::StatusOr<Value> Result() override {
    if (count_ == 0) return average_ ? Value() : Value(0);
    return average_ ? Divide(sum_, Value(static_cast<double>(count_))) : sum_;
  }

 private:
  const bool average_;
  int64_t count_ = 0;
  Value sum_;
};

// Standard deviation by Welford's method, of a sample or of the whole population.
class Deviation : public Aggregate {
 public:
  explicit Deviation(bool population) : population_(population) {}

  absl::Status Add(const Value& value) override {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_number()) return WrongType("A standard deviation", "numbers", value);
    ++count_;
    const double delta = value.number() - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value.number() - mean_);
    return absl::OkStatus();
  }

  absl::StatusOr<Value> Result() override {
    if (count_ < 2) return Value(0.0);
    return Value(std::sqrt(squares_ / static_cast<double>(population_ ? count_ : count_ - 1)));
  }

 private:
  const bool population_;
  int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

class Percentile : public Aggregate {
 public:
  explicit Percentile(bool continuous) : continuous_(continuous) {}

  absl::Status SetParameter(const Value& value) override {
    if (!value.is_number()) return WrongType("A percentile", "a number from 0.0 to 1.0", value);
    fraction_ = value.number();
    if (fraction_ >= 0 && fraction_ <= 1) return absl::OkStatus();
    return ArgumentFailure("NumberOutOfRange", "A percentile must be from 0.0 to 1.0.");
  }

  absl::Status Add(const Value& value) override {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_number()) return WrongType("A percentile", "numbers", value);
    numbers_.push_back(value);
    return absl::OkStatus();
  }

  absl::StatusOr<Value> Result() override {
    if (numbers_.empty()) return Value();
    std::sort(numbers_.begin(), numbers_.end(),
              [](const Value& a, const Value& b) { return std::is_lt(values::Order(a, b)); });
    return continuous_ ? Interpolated() : Nearest();
  }

  size_t KeptBytes(const Value& /*value*/) const override { return sizeof(Value); }

 private:
  Value Nearest() const {
    const auto size = static_cast<double>(numbers_.size());
    const auto rank = static_cast<size_t>(std::ceil(fraction_ * size));
    return numbers_[rank == 0 ? 0 : rank - 1];
  }

  Value Interpolated() const {
    const double rank = fraction_ * static_cast<double>(numbers_.size() - 1);
    const auto below = static_cast<size_t>(std::floor(rank));
    const auto above = static_cast<size_t>(std::ceil(rank));
    const double low = numbers_[below].number();
    return Value(low + (rank - static_cast<double>(below)) * (numbers_[above].number() - low));
  }

  const bool continuous_;
  double fraction_ = 0;
  std::vector<Value> numbers_;
};

struct HashValue {
  size_t operator()(const Value& value) const { return values::Hash(value); }
};
struct SameValue {
  bool operator()(const Value& a, const Value& b) const { return values::Equivalent(a, b); }
};

class Distinct : public Aggregate {
 public:
  explicit Distinct(std::unique_ptr<Aggregate> inner) : inner_(std::move(inner)) {}

  absl::Status SetParameter(const Value& value) override { return inner_->SetParameter(value); }
  absl::Status Add(const Value& value) override {
    return seen_.insert(value).second ? inner_->Add(value) : absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return inner_->Result(); }
  size_t KeptBytes(const Value& value) const override {
    return seen_.contains(value) ? 0 : value.MemoryBytes() + inner_->KeptBytes(value);
  }

 private:
  std::unique_ptr<Aggregate> inner_;
  absl::flat_hash_set<Value, HashValue, SameValue> seen_;
};

std::unique_ptr<Aggregate> Plain(FunctionId function) {
  switch (function) {
    case FunctionId::kAvg:
      return std::make_unique<Sum>(true);
    case FunctionId::kCollect:
      return std::make_unique<Collect>();
    case FunctionId::kMax:
      return std::make_unique<Extreme>(true);
    case FunctionId::kMin:
      return std::make_unique<Extreme>(false);
    case FunctionId::kPercentileCont:
      return std::make_unique<Percentile>(true);
    case FunctionId::kPercentileDisc:
      return std::make_unique<Percentile>(false);
    case FunctionId::kStDev:
      return std::make_unique<Deviation>(false);
    case FunctionId::kStDevP:
      return std::make_unique<Deviation>(true);
    case FunctionId::kSum:
      return std::make_unique<Sum>(false);
    default:
      return std::make_unique<Count>();
  }
}

}  // namespace

std::unique_ptr<Aggregate> MakeAggregate(FunctionId function, bool distinct) {
  std::unique_ptr<Aggregate> plain = Plain(function);
  return distinct ? std::make_unique<Distinct>(std::move(plain)) : std::move(plain);
}

std::unique_ptr<Aggregate> MakeCountStar() { return std::make_unique<CountStar>(); }

}  // namespace toolgate::executors::cypher::functions
