// The checker's rules for expressions: variables, functions, aggregates, and types as far as the text shows them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/syntax/checker.h"

namespace toolgate::executors::cypher::syntax {
namespace {

constexpr StaticType kBoolean{kBooleanType, kAnyType};
constexpr StaticType kMap{kMapType, kAnyType};

// Kinds that have properties.
constexpr TypeSet kPropertied = kNodeType | kRelationshipType | kMapType | kTemporalType | kDurationType;

constexpr TypeSet kComputable = kNumberType | kTemporalType | kDurationType;

StaticType TypeOf(const Literal& literal) {
  struct Visitor {
    TypeSet operator()(std::monostate) const { return kAnyType; }
    TypeSet operator()(bool) const { return kBooleanType; }
    TypeSet operator()(int64_t) const { return kIntegerType; }
    TypeSet operator()(double) const { return kFloatType; }
    TypeSet operator()(const std::string&) const { return kStringType; }
  };
  return {std::visit(Visitor{}, literal.value), kAnyType};
}

// A list's elements; of anything that is perhaps no list, anything.
StaticType ElementOf(const StaticType& list) { return {list.MustBe(kListType) ? list.elements : kAnyType, kAnyType}; }

// Of +, whose operands decide much.
StaticType SumOf(const StaticType& left, const StaticType& right) {
  if (left.MustBe(kNumberType) && right.MustBe(kNumberType)) {
    const bool integers = left.MustBe(kIntegerType) && right.MustBe(kIntegerType);
    return {integers ? kIntegerType : kNumberType, kAnyType};
  }
  if (left.MustBe(kListType) || right.MustBe(kListType)) return {kListType, kAnyType};
  return {};
}

StaticType ArithmeticOf(const StaticType& left, const StaticType& right) {
  if (left.MustBe(kIntegerType) && right.MustBe(kIntegerType)) return {kIntegerType, kAnyType};
  if (left.MustBe(kNumberType) && right.MustBe(kNumberType)) return {kNumberType, kAnyType};
  return {kComputable, kAnyType};
}

TypeSet ArgumentKinds(const Function& function, size_t index) {
  index = std::min(index, function.arguments.size() - 1);
  while (index > 0 && function.arguments[index] == 0) --index;
  return function.arguments[index] == 0 ? kAnyType : function.arguments[index];
}

// A call's type: the table's, or what follows from the arguments.
StaticType ResultOf(const Function& function, const std::vector<StaticType>& arguments) {
  switch (function.id) {
    case FunctionId::kCollect:
      return ListOf(arguments[0].kinds);
    case FunctionId::kNodes:
      return ListOf(kNodeType);
    case FunctionId::kRelationships:
      return ListOf(kRelationshipType);
    case FunctionId::kHead:
    case FunctionId::kLast:
      return ElementOf(arguments[0]);
    case FunctionId::kTail:
      return ListOf(ElementOf(arguments[0]).kinds);
    case FunctionId::kKeys:
    case FunctionId::kLabels:
    case FunctionId::kSplit:
      return ListOf(kStringType);
    case FunctionId::kRange:
      return ListOf(kIntegerType);
    case FunctionId::kCoalesce: {
      StaticType type{0, 0};
      for (const StaticType& argument : arguments) type = Union(type, argument);
      return type;
    }
    default:
      return {function.result, kAnyType};
  }
}

std::string Times(int count) { return absl::StrCat(count, count == 1 ? " argument" : " arguments"); }

std::string ArityMessage(const Function& function, size_t found) {
  const std::string name(function.name);
  if (function.max_arguments == kUnboundedArguments) {
    return absl::StrCat(name, "() takes ", Times(function.min_arguments), " or more, but has ", found);
  }
  if (function.min_arguments == function.max_arguments) {
    return absl::StrCat(name, "() takes ", Times(function.min_arguments), ", but has ", found);
  }
  return absl::StrCat(name, "() takes ", function.min_arguments, " to ", Times(function.max_arguments), ", but has ",
                      found);
}

// The first call of a function whose results vary, such as rand(); null: there is none.
const Expression* FindVarying(const Expression& expression) {
  if (const auto* call = As<FunctionCall>(expression); call != nullptr) {
    const Function* function = FindFunction(call->name);
    if (function != nullptr && !function->deterministic) return &expression;
  }
  const Expression* found = nullptr;
  ForEachChild(expression, [&](const Expression& child) {
    if (found == nullptr) found = FindVarying(child);
  });
  return found;
}

}  // namespace

absl::StatusOr<StaticType> Checker::Check(Expression& expression, const Scope& scope, const Context& context) {
  ASSIGN_OR_RETURN(
      const StaticType type,
      std::visit([&](auto& node) { return CheckNode(node, expression, scope, context); }, expression.node));
  expression.has_aggregate = As<CountStar>(expression) != nullptr;
  if (const auto* call = As<FunctionCall>(expression)) expression.has_aggregate = call->function->aggregate;
  ForEachChild(expression, [&](const Expression& child) { expression.has_aggregate |= child.has_aggregate; });
  return type;
}

absl::StatusOr<StaticType> Checker::CheckOperand(Expression& operand, const Scope& scope, const Context& context,
                                                 TypeSet wanted, std::string_view kind) {
  ASSIGN_OR_RETURN(const StaticType type, Check(operand, scope, context));
  if (type.CanBe(wanted)) return type;
  return Error("InvalidArgumentType", absl::StrCat("This must be ", ToAbsl(kind)), operand.range);
}

// --- Values

absl::StatusOr<StaticType> Checker::CheckNode(Literal& literal, Expression&, const Scope&, const Context&) {
  return TypeOf(literal);
}

absl::StatusOr<StaticType> Checker::CheckNode(Parameter&, Expression&, const Scope&, const Context&) {
  return StaticType{};
}

absl::StatusOr<StaticType> Checker::CheckNode(ListLiteral& list, Expression&, const Scope& scope,
                                              const Context& context) {
  TypeSet elements = 0;
  for (ExpressionPtr& element : list.elements) {
    ASSIGN_OR_RETURN(const StaticType type, Check(*element, scope, {context.aggregates, false}));
    elements |= type.kinds;
  }
  return ListOf(elements == 0 ? kAnyType : elements);
}

absl::StatusOr<StaticType> Checker::CheckNode(MapLiteral& map, Expression&, const Scope& scope,
                                              const Context& context) {
  for (MapLiteral::Entry& entry : map.entries) {
    RETURN_IF_ERROR(Check(*entry.value, scope, {context.aggregates, false}).status());
  }
  return kMap;
}

absl::StatusOr<StaticType> Checker::CheckNode(MapProjection& projection, Expression&, const Scope& scope,
                                              const Context& context) {
  RETURN_IF_ERROR(CheckOperand(*projection.subject, scope, {context.aggregates, false},
                               kNodeType | kRelationshipType | kMapType, "a node, a relationship or a map")
                      .status());
  for (MapProjection::Item& item : projection.items) {
    if (item.value != nullptr) RETURN_IF_ERROR(Check(*item.value, scope, {context.aggregates, false}).status());
  }
  return kMap;
}

absl::StatusOr<StaticType> Checker::CheckNode(Variable& variable, Expression& self, const Scope& scope,
                                              const Context&) {
  const StaticType* type = scope.Find(variable.name);
  if (type == nullptr) return Undefined(variable.name, scope, self.range);
  return *type;
}

absl::StatusOr<StaticType> Checker::CheckNode(Property& property, Expression& self, const Scope& scope,
                                              const Context& context) {
  ASSIGN_OR_RETURN(const StaticType type, Check(*property.subject, scope, {context.aggregates, false}));
  if (type.CanBe(kPropertied)) return StaticType{};
  const std::string message = absl::StrCat("A property (here `", property.key,
                                           "`) can be read from a node, a relationship, a map or a time only");
  // A variable of a pattern is a mistake in the query's text; any other value has the wrong type.
  const bool from_pattern = type.MustBe(kPathType) || (type.MustBe(kListType) && type.elements == kRelationshipType);
  return from_pattern ? Error("InvalidArgumentType", message, self.range)
                      : TypeError("InvalidArgumentType", message, self.range);
}

absl::StatusOr<StaticType> Checker::CheckNode(Subscript& subscript, Expression& self, const Scope& scope,
                                              const Context& context) {
  ASSIGN_OR_RETURN(const StaticType type, Check(*subscript.subject, scope, {context.aggregates, false}));
  RETURN_IF_ERROR(Check(*subscript.index, scope, {context.aggregates, false}).status());
  if (!type.CanBe(kListType | kMapType | kNodeType | kRelationshipType)) {
    return TypeError("InvalidArgumentType", "Only a list, a map, a node or a relationship can be indexed", self.range);
  }
  return ElementOf(type);
}

absl::StatusOr<StaticType> Checker::CheckNode(Slice& slice, Expression&, const Scope& scope, const Context& context) {
  ASSIGN_OR_RETURN(const StaticType type, Check(*slice.subject, scope, {context.aggregates, false}));
  for (ExpressionPtr* bound : {&slice.from, &slice.to}) {
    if (*bound != nullptr) RETURN_IF_ERROR(Check(**bound, scope, {context.aggregates, false}).status());
  }
  return ListOf(ElementOf(type).kinds);
}

absl::StatusOr<StaticType> Checker::CheckNode(LabelTest& test, Expression&, const Scope& scope,
                                              const Context& context) {
  RETURN_IF_ERROR(CheckOperand(*test.subject, scope, {context.aggregates, false}, kNodeType | kRelationshipType,
                               "a node or a relationship")
                      .status());
  return kBoolean;
}

// --- Operators

absl::StatusOr<StaticType> Checker::CheckNode(Unary& unary, Expression&, const Scope& scope, const Context& context) {
  if (unary.op == UnaryOperator::kNot) {
    RETURN_IF_ERROR(
        CheckOperand(*unary.operand, scope, {context.aggregates, true}, kBooleanType, "a boolean").status());
    return kBoolean;
  }
  if (unary.op == UnaryOperator::kIsNull || unary.op == UnaryOperator::kIsNotNull) {
    RETURN_IF_ERROR(Check(*unary.operand, scope, {context.aggregates, false}).status());
    return kBoolean;
  }
  return CheckOperand(*unary.operand, scope, {context.aggregates, false}, kNumberType | kDurationType, "a number");
}

absl::StatusOr<StaticType> Checker::CheckNode(Logical& logical, Expression&, const Scope& scope,
                                              const Context& context) {
  for (ExpressionPtr& operand : logical.operands) {
    RETURN_IF_ERROR(CheckOperand(*operand, scope, {context.aggregates, true}, kBooleanType, "a boolean").status());
  }
  return kBoolean;
}

absl::StatusOr<StaticType> Checker::CheckNode(Binary& binary, Expression&, const Scope& scope, const Context& context) {
  const Context inner{context.aggregates, false};
  switch (binary.op) {
    case BinaryOperator::kIn:
      RETURN_IF_ERROR(Check(*binary.left, scope, inner).status());
      RETURN_IF_ERROR(CheckOperand(*binary.right, scope, inner, kListType, "a list").status());
      return kBoolean;
    case BinaryOperator::kStartsWith:
    case BinaryOperator::kEndsWith:
    case BinaryOperator::kContains:
    case BinaryOperator::kMatches:
      RETURN_IF_ERROR(Check(*binary.left, scope, inner).status());
      RETURN_IF_ERROR(Check(*binary.right, scope, inner).status());
      return kBoolean;
    case BinaryOperator::kAdd: {
      ASSIGN_OR_RETURN(const StaticType left, Check(*binary.left, scope, inner));
      ASSIGN_OR_RETURN(const StaticType right, Check(*binary.right, scope, inner));
      return SumOf(left, right);
    }
    default: {
      ASSIGN_OR_RETURN(const StaticType left, CheckOperand(*binary.left, scope, inner, kComputable, "a number"));
      ASSIGN_OR_RETURN(const StaticType right, CheckOperand(*binary.right, scope, inner, kComputable, "a number"));
      return binary.op == BinaryOperator::kPower ? StaticType{kFloatType, kAnyType} : ArithmeticOf(left, right);
    }
  }
}

absl::StatusOr<StaticType> Checker::CheckNode(Comparison& comparison, Expression&, const Scope& scope,
                                              const Context& context) {
  RETURN_IF_ERROR(Check(*comparison.first, scope, {context.aggregates, false}).status());
  for (Comparison::Step& step : comparison.steps) {
    RETURN_IF_ERROR(Check(*step.operand, scope, {context.aggregates, false}).status());
  }
  return kBoolean;
}

// --- Functions

absl::Status Checker::CheckAggregate(const SourceRange& range, std::string_view name, const Context& context) const {
  if (context.aggregates == Aggregates::kAllowed) return absl::OkStatus();
  if (context.aggregates == Aggregates::kInsideAggregate) {
    return Error("NestedAggregation", absl::StrCat("The aggregate ", ToAbsl(name), "() stands inside of another"),
                 range);
  }
  return Error("InvalidAggregation",
               absl::StrCat("The aggregate ", ToAbsl(name), "() may stand only in WITH and RETURN"), range);
}

absl::StatusOr<StaticType> Checker::CheckNode(CountStar&, Expression& self, const Scope&, const Context& context) {
  RETURN_IF_ERROR(CheckAggregate(self.range, "count", context));
  return StaticType{kIntegerType, kAnyType};
}

absl::StatusOr<StaticType> Checker::CheckNode(FunctionCall& call, Expression& self, const Scope& scope,
                                              const Context& context) {
  const Function* function = FindFunction(call.name);
  if (function == nullptr) {
    std::vector<std::string_view> names;
    for (const Function& known : Functions()) names.push_back(known.name);
    return Error("UnknownFunction",
                 absl::StrCat("There is no function ", call.name, "()", DidYouMean(call.name, names)), self.range);
  }
  call.function = function;
  const size_t count = call.arguments.size();
  if (count < static_cast<size_t>(function->min_arguments) ||
      (function->max_arguments != kUnboundedArguments && count > static_cast<size_t>(function->max_arguments))) {
    return Error("InvalidNumberOfArguments", ArityMessage(*function, count), self.range);
  }
  if (call.distinct && !function->aggregate) {
    return Error("UnexpectedSyntax", "DISTINCT may stand only in aggregates", self.range);
  }
  Context inner{context.aggregates, false};
  if (function->aggregate) {
    RETURN_IF_ERROR(CheckAggregate(self.range, function->name, context));
    inner.aggregates = Aggregates::kInsideAggregate;
  }
  ASSIGN_OR_RETURN(const std::vector<StaticType> arguments, CheckArguments(call, *function, scope, inner));
  return ResultOf(*function, arguments);
}

absl::StatusOr<std::vector<StaticType>> Checker::CheckArguments(FunctionCall& call, const Function& function,
                                                                const Scope& scope, const Context& context) {
  std::vector<StaticType> types;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    Expression& argument = *call.arguments[i];
    ASSIGN_OR_RETURN(const StaticType type, Check(argument, scope, context));
    if (!type.CanBe(ArgumentKinds(function, i))) {
      return Error("InvalidArgumentType",
                   absl::StrCat("Argument ", i + 1, " of ", ToAbsl(function.name), "() is of the wrong type"),
                   argument.range);
    }
    const Expression* varying = function.aggregate ? FindVarying(argument) : nullptr;
    if (varying != nullptr) {
      return Error("NonConstantExpression", "An aggregate cannot have an argument that varies by itself",
                   varying->range);
    }
    types.push_back(type);
  }
  return types;
}

// --- Expressions with variables of their own

absl::StatusOr<StaticType> Checker::CheckNode(ListComprehension& comprehension, Expression&, const Scope& scope,
                                              const Context& context) {
  ASSIGN_OR_RETURN(const StaticType list,
                   CheckOperand(*comprehension.list, scope, {context.aggregates, false}, kListType, "a list"));
  Scope inner(&scope);
  inner.Define(comprehension.variable, ElementOf(list));
  if (comprehension.where != nullptr) RETURN_IF_ERROR(CheckCondition(*comprehension.where, inner));
  if (comprehension.result == nullptr) return list;
  ASSIGN_OR_RETURN(const StaticType result, Check(*comprehension.result, inner, {}));
  return ListOf(result.kinds);
}

absl::StatusOr<StaticType> Checker::CheckNode(PatternComprehension& comprehension, Expression&, const Scope& scope,
                                              const Context&) {
  Scope inner(&scope);
  RelationshipNames relationships;
  RETURN_IF_ERROR(DefinePath(*comprehension.pattern, inner, relationships));
  RETURN_IF_ERROR(CheckProperties(*comprehension.pattern, inner));
  if (comprehension.where != nullptr) RETURN_IF_ERROR(CheckCondition(*comprehension.where, inner));
  ASSIGN_OR_RETURN(const StaticType result, Check(*comprehension.result, inner, {}));
  return ListOf(result.kinds);
}

absl::StatusOr<StaticType> Checker::CheckNode(Quantifier& quantifier, Expression&, const Scope& scope,
                                              const Context& context) {
  ASSIGN_OR_RETURN(const StaticType list,
                   CheckOperand(*quantifier.list, scope, {context.aggregates, false}, kListType, "a list"));
  Scope inner(&scope);
  inner.Define(quantifier.variable, ElementOf(list));
  if (quantifier.where != nullptr) RETURN_IF_ERROR(CheckCondition(*quantifier.where, inner));
  return kBoolean;
}

absl::StatusOr<StaticType> Checker::CheckNode(Reduce& reduce, Expression&, const Scope& scope, const Context& context) {
  RETURN_IF_ERROR(Check(*reduce.initial, scope, {context.aggregates, false}).status());
  ASSIGN_OR_RETURN(const StaticType list,
                   CheckOperand(*reduce.list, scope, {context.aggregates, false}, kListType, "a list"));
  Scope inner(&scope);
  inner.Define(reduce.accumulator, StaticType{});
  inner.Define(reduce.variable, ElementOf(list));
  RETURN_IF_ERROR(Check(*reduce.step, inner, {}).status());
  return StaticType{};
}

absl::StatusOr<StaticType> Checker::CheckNode(Case& expression, Expression&, const Scope& scope,
                                              const Context& context) {
  const Context value{context.aggregates, false};
  const bool conditions = expression.operand == nullptr;
  if (!conditions) RETURN_IF_ERROR(Check(*expression.operand, scope, value).status());
  StaticType type{0, 0};
  for (Case::Alternative& alternative : expression.alternatives) {
    RETURN_IF_ERROR(Check(*alternative.when, scope, {context.aggregates, conditions}).status());
    ASSIGN_OR_RETURN(const StaticType then, Check(*alternative.then, scope, value));
    type = Union(type, then);
  }
  if (expression.otherwise == nullptr) return type;
  ASSIGN_OR_RETURN(const StaticType otherwise, Check(*expression.otherwise, scope, value));
  return Union(type, otherwise);
}

absl::StatusOr<StaticType> Checker::CheckNode(Exists& exists, Expression&, const Scope& scope, const Context&) {
  ++subqueries_;
  RETURN_IF_ERROR(CheckQuery(*exists.query, &scope));
  --subqueries_;
  return kBoolean;
}

absl::StatusOr<StaticType> Checker::CheckNode(PatternPredicate& predicate, Expression& self, const Scope& scope,
                                              const Context& context) {
  if (!context.predicate && !predicate.in_exists) {
    return Error("UnexpectedSyntax", "A pattern may stand only as a condition, or in exists() or a comprehension",
                 self.range);
  }
  RETURN_IF_ERROR(CheckDefined(*predicate.pattern, scope));
  Scope inner(&scope);
  RelationshipNames relationships;
  RETURN_IF_ERROR(DefinePath(*predicate.pattern, inner, relationships));
  RETURN_IF_ERROR(CheckProperties(*predicate.pattern, inner));
  return kBoolean;
}

}  // namespace toolgate::executors::cypher::syntax
