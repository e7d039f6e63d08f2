#include "storage/query.h"

#include <utility>

namespace toolgate::storage {

Filter Filter::And(std::vector<Filter> children) {
  Filter filter;
  filter.kind = Kind::kAnd;
  filter.children = std::move(children);
  return filter;
}

Filter Filter::Or(std::vector<Filter> children) {
  Filter filter;
  filter.kind = Kind::kOr;
  filter.children = std::move(children);
  return filter;
}

Filter Filter::Not(Filter child) {
  Filter filter;
  filter.kind = Kind::kNot;
  filter.children.push_back(std::move(child));
  return filter;
}

Filter Filter::Compare(Field field, Op op, Json value) {
  Filter filter;
  filter.kind = Kind::kCompare;
  filter.field = std::move(field);
  filter.op = op;
  filter.value = std::move(value);
  return filter;
}

}  // namespace toolgate::storage
