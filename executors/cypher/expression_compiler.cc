#include "executors/cypher/expression_compiler.h"

#include <algorithm>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/entities.h"
#include "executors/cypher/functions/arithmetic.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/functions/strings.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher {
namespace {

using values::List;
using values::Map;
using values::Ternary;
using values::Value;

using Result = absl::StatusOr<Value>;

// Adds the place in the query to an error that has none.
absl::Status Located(const absl::Status& status, const Execution& execution, size_t offset) {
  std::optional<syntax::CypherError> error = syntax::GetCypherError(status);
  if (!error.has_value() || error->line != 0) return status;
  syntax::SetPosition(*error, execution.text(), offset);
  return syntax::ToStatus(*error);
}

Result Located(Result result, const Execution& execution, size_t offset) {
  if (!result.ok()) return Located(result.status(), execution, offset);
  return result;
}

Evaluation Constant(Value value) {
  return [value = std::move(value)](Execution&) -> Result { return value; };
}

Value LiteralValue(const syntax::Literal& literal) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return Value();
        } else {
          return Value(value);
        }
      },
      literal.value);
}

// The value of an expression made of literals alone.
std::optional<Value> ConstantValue(const syntax::Expression& expression) {
  if (const auto* literal = syntax::As<syntax::Literal>(expression)) return LiteralValue(*literal);
  const auto* list = syntax::As<syntax::ListLiteral>(expression);
  if (list == nullptr) return std::nullopt;
  List values;
  for (const syntax::ExpressionPtr& element : list->elements) {
    std::optional<Value> value = ConstantValue(*element);
    if (!value.has_value()) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return Value(std::move(values));
}

absl::StatusOr<Ternary> TruthOf(const Value& value) {
  if (value.is_null()) return Ternary();
  if (value.is_boolean()) return Ternary(value.boolean());
  return functions::WrongType("A condition", "a Boolean", value);
}

absl::StatusOr<Ternary> TruthOf(const Evaluation& condition, Execution& execution) {
  ASSIGN_OR_RETURN(const Value value, condition(execution));
  return TruthOf(value);
}

Value FromTernary(Ternary truth) { return truth.has_value() ? Value(*truth) : Value(); }

Result StartsWith(const Value& text, const Value& part) {
  if (!text.is_string() || !part.is_string()) return Value();
  return Value(absl::StartsWith(text.string(), part.string()));
}

Result EndsWith(const Value& text, const Value& part) {
  if (!text.is_string() || !part.is_string()) return Value();
  return Value(absl::EndsWith(text.string(), part.string()));
}

Result Contains(const Value& text, const Value& part) {
  if (!text.is_string() || !part.is_string()) return Value();
  return Value(functions::Find(text.string(), part.string()) != std::string_view::npos);
}

using BinaryFunction = Result (*)(const Value&, const Value&);

BinaryFunction FunctionOf(syntax::BinaryOperator op) {
  switch (op) {
    case syntax::BinaryOperator::kAdd:
      return functions::Add;
    case syntax::BinaryOperator::kSubtract:
      return functions::Subtract;
    case syntax::BinaryOperator::kMultiply:
      return functions::Multiply;
    case syntax::BinaryOperator::kDivide:
      return functions::Divide;
    case syntax::BinaryOperator::kModulo:
      return functions::Modulo;
    case syntax::BinaryOperator::kPower:
      return functions::Power;
    case syntax::BinaryOperator::kIn:
      return functions::In;
    case syntax::BinaryOperator::kStartsWith:
      return StartsWith;
    case syntax::BinaryOperator::kEndsWith:
      return EndsWith;
    case syntax::BinaryOperator::kContains:
      return Contains;
    case syntax::BinaryOperator::kMatches:
      break;
  }
  return nullptr;
}

Ternary Compared(syntax::ComparisonOperator op, const Value& a, const Value& b) {
  using syntax::ComparisonOperator;
  if (op == ComparisonOperator::kEqual) return values::Equal(a, b);
  if (op == ComparisonOperator::kNotEqual) {
    const Ternary equal = values::Equal(a, b);
    return equal.has_value() ? Ternary(!*equal) : Ternary();
  }
  const std::optional<std::partial_ordering> order = values::Compare(a, b);
  if (!order.has_value()) return std::nullopt;
  switch (op) {
    case ComparisonOperator::kLess:
      return std::is_lt(*order);
    case ComparisonOperator::kLessOrEqual:
      return std::is_lteq(*order);
    case ComparisonOperator::kGreater:
      return std::is_gt(*order);
    default:
      return std::is_gteq(*order);
  }
}

absl::StatusOr<Ternary> Conjunction(const std::vector<Evaluation>& operands, Execution& execution) {
  Ternary all = true;
  for (const Evaluation& operand : operands) {
    ASSIGN_OR_RETURN(const Ternary truth, TruthOf(operand, execution));
    if (truth == false) return Ternary(false);
    if (!truth.has_value()) all = std::nullopt;
  }
  return all;
}

absl::StatusOr<Ternary> Disjunction(const std::vector<Evaluation>& operands, Execution& execution) {
  Ternary any = false;
  for (const Evaluation& operand : operands) {
    ASSIGN_OR_RETURN(const Ternary truth, TruthOf(operand, execution));
    if (truth == true) return Ternary(true);
    if (!truth.has_value()) any = std::nullopt;
  }
  return any;
}

absl::StatusOr<Ternary> ExclusiveDisjunction(const std::vector<Evaluation>& operands, Execution& execution) {
  bool odd = false;
  bool known = true;
  for (const Evaluation& operand : operands) {
    ASSIGN_OR_RETURN(const Ternary truth, TruthOf(operand, execution));
    odd ^= truth.value_or(false);
    known &= truth.has_value();
  }
  return known ? Ternary(odd) : Ternary();
}

// Evaluates a list to iterate over; nullopt for null.
absl::StatusOr<std::optional<Value>> ListToIterate(const Evaluation& list, Execution& execution) {
  ASSIGN_OR_RETURN(Value value, list(execution));
  if (value.is_null()) return std::optional<Value>();
  if (!value.is_list()) return functions::WrongType("An iteration", "a List", value);
  return std::optional<Value>(std::move(value));
}

Ternary Quantified(syntax::QuantifierKind kind, size_t trues, size_t falses, size_t nulls) {
  switch (kind) {
    case syntax::QuantifierKind::kAll:
      return falses > 0 ? Ternary(false) : nulls > 0 ? Ternary() : Ternary(true);
    case syntax::QuantifierKind::kAny:
      return trues > 0 ? Ternary(true) : nulls > 0 ? Ternary() : Ternary(false);
    case syntax::QuantifierKind::kNone:
      return trues > 0 ? Ternary(false) : nulls > 0 ? Ternary() : Ternary(true);
    case syntax::QuantifierKind::kSingle:
      return trues > 1 ? Ternary(false) : nulls > 0 ? Ternary() : Ternary(trues == 1);
  }
  return std::nullopt;
}

Evaluation ExistsRow(const Operator* subquery) {
  return [subquery](Execution& execution) -> Result {
    bool found = false;
    const auto take = [&]() -> absl::StatusOr<bool> {
      found = true;
      return false;
    };
    RETURN_IF_ERROR(subquery->Run(execution, take).status());
    return Value(found);
  };
}

}  // namespace

absl::StatusOr<bool> IsTrue(const Evaluation& condition, Execution& execution) {
  ASSIGN_OR_RETURN(const Ternary truth, TruthOf(condition, execution));
  return truth == true;
}

absl::StatusOr<Evaluation> ExpressionCompiler::Compile(const syntax::Expression& expression, const Scope& scope) {
  if (const std::optional<int> slot = scope.FindComputed(expression)) {
    return Evaluation([slot = *slot](Execution& execution) -> Result { return execution.slot(slot); });
  }
  return std::visit([&](const auto& node) { return Node(node, expression.range.begin, scope); }, expression.node);
}

absl::StatusOr<std::vector<Evaluation>> ExpressionCompiler::CompileAll(
    const std::vector<syntax::ExpressionPtr>& expressions, const Scope& scope) {
  std::vector<Evaluation> compiled;
  compiled.reserve(expressions.size());
  for (const syntax::ExpressionPtr& expression : expressions) {
    ASSIGN_OR_RETURN(Evaluation evaluation, Compile(*expression, scope));
    compiled.push_back(std::move(evaluation));
  }
  return compiled;
}

absl::StatusOr<Evaluation> ExpressionCompiler::CompileOptional(const syntax::ExpressionPtr& expression,
                                                               const Scope& scope) {
  if (expression == nullptr) return Evaluation();
  return Compile(*expression, scope);
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Literal& node, size_t /*offset*/,
                                                    const Scope& /*scope*/) {
  return Constant(LiteralValue(node));
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::ListLiteral& node, size_t offset,
                                                    const Scope& scope) {
  const bool constant = std::all_of(node.elements.begin(), node.elements.end(),
                                    [](const auto& element) { return ConstantValue(*element).has_value(); });
  if (constant) {
    List values;
    for (const syntax::ExpressionPtr& element : node.elements) values.push_back(*ConstantValue(*element));
    return Constant(Value(std::move(values)));
  }
  ASSIGN_OR_RETURN(std::vector<Evaluation> elements, CompileAll(node.elements, scope));
  return Evaluation([elements = std::move(elements), offset](Execution& execution) -> Result {
    List list;
    list.reserve(elements.size());
    for (const Evaluation& element : elements) {
      ASSIGN_OR_RETURN(Value value, element(execution));
      list.push_back(std::move(value));
    }
    return Located(execution.Checked(Value(std::move(list))), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::MapLiteral& node, size_t offset, const Scope& scope) {
  std::vector<std::pair<std::string, Evaluation>> entries;
  for (const syntax::MapLiteral::Entry& entry : node.entries) {
    ASSIGN_OR_RETURN(Evaluation value, Compile(*entry.value, scope));
    entries.emplace_back(entry.key, std::move(value));
  }
  return Evaluation([entries = std::move(entries), offset](Execution& execution) -> Result {
    Map map;
    for (const auto& [key, evaluation] : entries) {
      ASSIGN_OR_RETURN(Value value, evaluation(execution));
      map.insert_or_assign(key, std::move(value));
    }
    return Located(execution.Checked(Value(std::move(map))), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::MapProjection& node, size_t offset,
                                                    const Scope& scope) {
  struct Item {
    bool all_properties;
    std::string key;
    Evaluation value;
  };
  ASSIGN_OR_RETURN(Evaluation subject, Compile(*node.subject, scope));
  std::vector<Item> items;
  for (const syntax::MapProjection::Item& item : node.items) {
    ASSIGN_OR_RETURN(Evaluation value, CompileOptional(item.value, scope));
    items.push_back({item.all_properties, item.key, std::move(value)});
  }
  return Evaluation([subject = std::move(subject), items = std::move(items), offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value source, subject(execution));
    if (source.is_null()) return Value();
    Map map;
    for (const Item& item : items) {
      if (item.all_properties) {
        absl::StatusOr<Map> properties = PropertiesOf(execution.graph(), source);
        if (!properties.ok()) return Located(properties.status(), execution, offset);
        for (auto& [key, value] : *properties) map.insert_or_assign(key, std::move(value));
        continue;
      }
      ASSIGN_OR_RETURN(Value value, item.value(execution));
      map.insert_or_assign(item.key, std::move(value));
    }
    return Located(execution.Checked(Value(std::move(map))), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Parameter& node, size_t offset,
                                                    const Scope& /*scope*/) {
  const auto found = parameters_.find(node.name);
  if (found != parameters_.end()) return Constant(found->second);
  return syntax::ToStatus({.phase = syntax::ErrorPhase::kCompile,
                           .kind = "ParameterMissing",
                           .detail = "MissingParameter",
                           .message = absl::StrCat("The parameter $", node.name, " has no value."),
                           .offset = offset});
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Variable& node, size_t /*offset*/,
                                                    const Scope& scope) {
  const std::optional<int> slot = scope.Find(node.name);
  if (!slot.has_value()) return absl::InternalError(absl::StrCat("no slot for the variable ", node.name));
  return Evaluation([slot = *slot](Execution& execution) -> Result { return execution.slot(slot); });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Property& node, size_t offset, const Scope& scope) {
  const auto* variable = syntax::As<syntax::Variable>(*node.subject);
  if (variable != nullptr && !scope.FindComputed(*node.subject).has_value()) {
    if (const std::optional<int> slot = scope.Find(variable->name)) {
      return Evaluation([slot = *slot, key = node.key, offset](Execution& execution) -> Result {
        return Located(PropertyOf(execution.graph(), execution.slot(slot), key), execution, offset);
      });
    }
  }
  ASSIGN_OR_RETURN(Evaluation subject, Compile(*node.subject, scope));
  return Evaluation([subject = std::move(subject), key = node.key, offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value value, subject(execution));
    return Located(PropertyOf(execution.graph(), value, key), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Subscript& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation subject, Compile(*node.subject, scope));
  ASSIGN_OR_RETURN(Evaluation index, Compile(*node.index, scope));
  return Evaluation([subject = std::move(subject), index = std::move(index), offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value container, subject(execution));
    ASSIGN_OR_RETURN(const Value position, index(execution));
    return Located(SubscriptOf(execution.graph(), container, position), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Slice& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation subject, Compile(*node.subject, scope));
  ASSIGN_OR_RETURN(Evaluation from, CompileOptional(node.from, scope));
  ASSIGN_OR_RETURN(Evaluation to, CompileOptional(node.to, scope));
  return Evaluation([subject = std::move(subject), from = std::move(from), to = std::move(to),
                     offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value list, subject(execution));
    Value first;
    Value last;
    if (from) {
      ASSIGN_OR_RETURN(first, from(execution));
    }
    if (to) {
      ASSIGN_OR_RETURN(last, to(execution));
    }
    return Located(functions::Slice(list, from ? &first : nullptr, to ? &last : nullptr), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::LabelTest& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation subject, Compile(*node.subject, scope));
  return Evaluation([subject = std::move(subject), labels = node.labels, offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value value, subject(execution));
    return Located(HasLabels(execution.graph(), value, labels), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Unary& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation operand, Compile(*node.operand, scope));
  return Evaluation([operand = std::move(operand), op = node.op, offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value value, operand(execution));
    switch (op) {
      case syntax::UnaryOperator::kIsNull:
        return Value(value.is_null());
      case syntax::UnaryOperator::kIsNotNull:
        return Value(!value.is_null());
      case syntax::UnaryOperator::kMinus:
        return Located(functions::Negate(value), execution, offset);
      case syntax::UnaryOperator::kPlus:
        if (value.is_null() || value.is_number()) return value;
        return Located(functions::WrongType("The operator +", "a number", value), execution, offset);
      case syntax::UnaryOperator::kNot:
        break;
    }
    absl::StatusOr<Ternary> truth = TruthOf(value);
    if (!truth.ok()) return Located(truth.status(), execution, offset);
    return truth->has_value() ? Value(!**truth) : Value();
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Logical& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(std::vector<Evaluation> operands, CompileAll(node.operands, scope));
  return Evaluation([operands = std::move(operands), op = node.op, offset](Execution& execution) -> Result {
    absl::StatusOr<Ternary> truth = op == syntax::LogicalOperator::kAnd  ? Conjunction(operands, execution)
                                    : op == syntax::LogicalOperator::kOr ? Disjunction(operands, execution)
                                                                         : ExclusiveDisjunction(operands, execution);
    if (!truth.ok()) return Located(truth.status(), execution, offset);
    return FromTernary(*truth);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Binary& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation left, Compile(*node.left, scope));
  ASSIGN_OR_RETURN(Evaluation right, Compile(*node.right, scope));
  return Evaluation([left = std::move(left), right = std::move(right), function = FunctionOf(node.op),
                     offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const Value a, left(execution));
    ASSIGN_OR_RETURN(const Value b, right(execution));
    RETURN_IF_ERROR(execution.StepOverBytes(a.MemoryBytes() + b.MemoryBytes()));
    Result result = function == nullptr ? functions::Matches(a, b, execution.call()) : function(a, b);
    if (function == nullptr) RETURN_IF_ERROR(execution.StepOverBytes(functions::StepsOfMatch(a, execution.call())));
    if (result.ok()) result = execution.Checked(*std::move(result));
    return Located(std::move(result), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Comparison& node, size_t /*offset*/,
                                                    const Scope& scope) {
  struct Step {
    syntax::ComparisonOperator op;
    Evaluation operand;
  };
  ASSIGN_OR_RETURN(Evaluation first, Compile(*node.first, scope));
  std::vector<Step> steps;
  for (const syntax::Comparison::Step& step : node.steps) {
    ASSIGN_OR_RETURN(Evaluation operand, Compile(*step.operand, scope));
    steps.push_back({step.op, std::move(operand)});
  }
  return Evaluation([first = std::move(first), steps = std::move(steps)](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(Value left, first(execution));
    Ternary all = true;
    for (const Step& step : steps) {
      ASSIGN_OR_RETURN(Value right, step.operand(execution));
      const Ternary truth = Compared(step.op, left, right);
      if (truth == false) return Value(false);
      if (!truth.has_value()) all = std::nullopt;
      left = std::move(right);
    }
    return FromTernary(all);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::FunctionCall& node, size_t offset,
                                                    const Scope& scope) {
  const syntax::FunctionId id = node.function->id;
  ASSIGN_OR_RETURN(std::vector<Evaluation> arguments, CompileAll(node.arguments, scope));
  if (id == syntax::FunctionId::kCoalesce) {
    return Evaluation([arguments = std::move(arguments)](Execution& execution) -> Result {
      for (const Evaluation& argument : arguments) {
        ASSIGN_OR_RETURN(Value value, argument(execution));
        if (!value.is_null()) return value;
      }
      return Value();
    });
  }
  return Evaluation([arguments = std::move(arguments), id, offset](Execution& execution) -> Result {
    List values;
    values.reserve(arguments.size());
    for (const Evaluation& argument : arguments) {
      ASSIGN_OR_RETURN(Value value, argument(execution));
      RETURN_IF_ERROR(execution.StepOverBytes(value.MemoryBytes()));
      values.push_back(std::move(value));
    }
    Result result = IsEntityFunction(id) ? CallEntity(execution.graph(), id, values[0])
                                         : functions::Call(id, values, execution.call());
    if (result.ok()) {
      RETURN_IF_ERROR(execution.StepOverBytes(result->MemoryBytes()));
      result = execution.Checked(*std::move(result));
    }
    return Located(std::move(result), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::CountStar& /*node*/, size_t /*offset*/,
                                                    const Scope& /*scope*/) {
  return absl::InternalError("count(*) outside of a projection");
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::ListComprehension& node, size_t offset,
                                                    const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation list, Compile(*node.list, scope));
  Scope inner = scope;
  const int slot = plan_.NewSlot();
  inner.Define(node.variable, slot);
  ASSIGN_OR_RETURN(Evaluation where, CompileOptional(node.where, inner));
  ASSIGN_OR_RETURN(Evaluation result, CompileOptional(node.result, inner));
  return Evaluation([list = std::move(list), where = std::move(where), result = std::move(result), slot,
                     offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const std::optional<Value> source, ListToIterate(list, execution));
    if (!source.has_value()) return Value();
    List values;
    Held held(execution);
    for (const Value& item : source->list()) {
      RETURN_IF_ERROR(execution.Step());
      execution.slot(slot) = item;
      if (where) {
        ASSIGN_OR_RETURN(const bool chosen, IsTrue(where, execution));
        if (!chosen) continue;
      }
      Value value = item;
      if (result) {
        ASSIGN_OR_RETURN(value, result(execution));
      }
      RETURN_IF_ERROR(held.Add(value.MemoryBytes()));
      values.push_back(std::move(value));
    }
    return Located(execution.Checked(Value(std::move(values))), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::PatternComprehension& node, size_t offset,
                                                    const Scope& scope) {
  Scope inner = scope;
  ASSIGN_OR_RETURN(const Operator* matches, planner_.PlanPattern(*node.pattern, node.where.get(), inner));
  ASSIGN_OR_RETURN(Evaluation result, Compile(*node.result, inner));
  return Evaluation([matches, result = std::move(result), offset](Execution& execution) -> Result {
    List values;
    Held held(execution);
    const auto take = [&]() -> absl::StatusOr<bool> {
      ASSIGN_OR_RETURN(Value value, result(execution));
      RETURN_IF_ERROR(held.Add(value.MemoryBytes()));
      values.push_back(std::move(value));
      return true;
    };
    RETURN_IF_ERROR(matches->Run(execution, take).status());
    return Located(execution.Checked(Value(std::move(values))), execution, offset);
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Quantifier& node, size_t offset, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation list, Compile(*node.list, scope));
  Scope inner = scope;
  const int slot = plan_.NewSlot();
  inner.Define(node.variable, slot);
  ASSIGN_OR_RETURN(Evaluation where, CompileOptional(node.where, inner));
  return Evaluation([list = std::move(list), where = std::move(where), kind = node.kind, slot,
                     offset](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const std::optional<Value> source, ListToIterate(list, execution));
    if (!source.has_value()) return Value();
    size_t counts[3] = {0, 0, 0};  // Trues, falses, nulls.
    for (const Value& item : source->list()) {
      RETURN_IF_ERROR(execution.Step());
      execution.slot(slot) = item;
      absl::StatusOr<Ternary> truth = where ? TruthOf(where, execution) : TruthOf(item);
      if (!truth.ok()) return Located(truth.status(), execution, offset);
      ++counts[!truth->has_value() ? 2 : **truth ? 0 : 1];
    }
    return FromTernary(Quantified(kind, counts[0], counts[1], counts[2]));
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Reduce& node, size_t /*offset*/, const Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation initial, Compile(*node.initial, scope));
  ASSIGN_OR_RETURN(Evaluation list, Compile(*node.list, scope));
  Scope inner = scope;
  const int accumulator = plan_.NewSlot();
  const int element = plan_.NewSlot();
  inner.Define(node.accumulator, accumulator);
  inner.Define(node.variable, element);
  ASSIGN_OR_RETURN(Evaluation step, Compile(*node.step, inner));
  return Evaluation([initial = std::move(initial), list = std::move(list), step = std::move(step), accumulator,
                     element](Execution& execution) -> Result {
    ASSIGN_OR_RETURN(const std::optional<Value> source, ListToIterate(list, execution));
    if (!source.has_value()) return Value();
    ASSIGN_OR_RETURN(Value value, initial(execution));
    for (const Value& item : source->list()) {
      RETURN_IF_ERROR(execution.Step());
      execution.slot(accumulator) = std::move(value);
      execution.slot(element) = item;
      ASSIGN_OR_RETURN(value, step(execution));
    }
    return value;
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Case& node, size_t /*offset*/, const Scope& scope) {
  struct Alternative {
    Evaluation when;
    Evaluation then;
  };
  ASSIGN_OR_RETURN(Evaluation operand, CompileOptional(node.operand, scope));
  ASSIGN_OR_RETURN(Evaluation otherwise, CompileOptional(node.otherwise, scope));
  std::vector<Alternative> alternatives;
  for (const syntax::Case::Alternative& alternative : node.alternatives) {
    ASSIGN_OR_RETURN(Evaluation when, Compile(*alternative.when, scope));
    ASSIGN_OR_RETURN(Evaluation then, Compile(*alternative.then, scope));
    alternatives.push_back({std::move(when), std::move(then)});
  }
  return Evaluation([operand = std::move(operand), alternatives = std::move(alternatives),
                     otherwise = std::move(otherwise)](Execution& execution) -> Result {
    Value subject;
    if (operand) {
      ASSIGN_OR_RETURN(subject, operand(execution));
    }
    for (const Alternative& alternative : alternatives) {
      ASSIGN_OR_RETURN(const Value when, alternative.when(execution));
      const bool chosen = operand ? values::Equal(subject, when) == true : when.is_boolean() && when.boolean();
      if (chosen) return alternative.then(execution);
    }
    return otherwise ? otherwise(execution) : Value();
  });
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::Exists& node, size_t /*offset*/, const Scope& scope) {
  ASSIGN_OR_RETURN(const Operator* subquery, planner_.PlanSubquery(*node.query, scope));
  return ExistsRow(subquery);
}

absl::StatusOr<Evaluation> ExpressionCompiler::Node(const syntax::PatternPredicate& node, size_t /*offset*/,
                                                    const Scope& scope) {
  Scope inner = scope;
  ASSIGN_OR_RETURN(const Operator* matches, planner_.PlanPattern(*node.pattern, nullptr, inner));
  return ExistsRow(matches);
}

}  // namespace toolgate::executors::cypher
