#include "executors/workspace/query_database.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/database_properties.h"
#include "executors/blocks/date_filter.h"
#include "executors/blocks/listing_total.h"

namespace toolgate::executors::workspace {
namespace {

using blocks::Property;
using blocks::PropertyType;
using storage::Field;
using storage::Filter;

std::vector<std::string> OperatorsOf(PropertyType type) {
  switch (type) {
    case PropertyType::kText:
    case PropertyType::kUrl:
    case PropertyType::kEmail:
    case PropertyType::kPhone:
      return {"equals", "not_equals", "contains", "is_empty", "is_not_empty"};
    case PropertyType::kNumber:
    case PropertyType::kDate:
      return {"equals", "not_equals", "greater_than", "less_than", "is_empty", "is_not_empty"};
    case PropertyType::kSelect:
      return {"equals", "not_equals", "is_empty", "is_not_empty"};
    case PropertyType::kMultiSelect:
    case PropertyType::kRelation:
      return {"contains", "is_empty", "is_not_empty"};
    case PropertyType::kCheckbox:
      return {"equals", "not_equals"};
  }
  return {};
}

// Converts the filter argument to a filter of the store.
class FilterBuilder {
 public:
  FilterBuilder(const std::vector<Property>& properties, const blocks::DataContext& context)
      : properties_(properties), context_(context) {}

  absl::StatusOr<Filter> Build(const Json& filter, const std::string& path) const {
    std::vector<Filter> conditions;
    if (FindArgument(filter, "property") != nullptr || FindArgument(filter, "operator") != nullptr) {
      ASSIGN_OR_RETURN(Filter condition, Compare(filter, path));
      conditions.push_back(std::move(condition));
    }
    if (const Json* all = FindArgument(filter, "and"); all != nullptr) {
      ASSIGN_OR_RETURN(std::vector<Filter> children, BuildAll(*all, path + "/and"));
      conditions.push_back(Filter::And(std::move(children)));
    }
    if (const Json* any = FindArgument(filter, "or"); any != nullptr) {
      ASSIGN_OR_RETURN(std::vector<Filter> children, BuildAll(*any, path + "/or"));
      conditions.push_back(Filter::Or(std::move(children)));
    }
    return Filter::And(std::move(conditions));
  }

 private:
  absl::StatusOr<std::vector<Filter>> BuildAll(const Json& filters, const std::string& path) const {
    std::vector<Filter> result;
    for (size_t i = 0; i < filters.size(); ++i) {
      ASSIGN_OR_RETURN(Filter filter, Build(filters[i], absl::StrCat(path, "/", i)));
      result.push_back(std::move(filter));
    }
    return result;
  }

  absl::StatusOr<Filter> Compare(const Json& filter, const std::string& path) const {
    const std::string_view name = StringArgument(filter, "property");
    const std::string_view op = StringArgument(filter, "operator");
    if (name.empty()) return MissingArgument(path + "/property", "a filter needs a property");
    if (op.empty()) return MissingArgument(path + "/operator", "a filter needs an operator");
    const Property* property = blocks::FindProperty(properties_, name);
    if (property == nullptr) return blocks::UnknownProperty(properties_, path + "/property", name);
    const std::vector<std::string> allowed = OperatorsOf(property->type);
    if (std::find(allowed.begin(), allowed.end(), op) == allowed.end()) {
      return InvalidArgument(
          path + "/operator", "operator",
          absl::StrCat("operator ", ToAbsl(op), " does not fit property \"", property->name, "\" of type ",
                       ToAbsl(blocks::PropertyTypeName(property->type)), "; use one of ", NameList(allowed)),
          NameList(allowed), op);
    }
    const Field field = Field::Data({"properties", property->id});
    if (op == "is_empty") return Filter::Compare(field, Filter::Op::kIsEmpty);
    if (op == "is_not_empty") return Filter::Compare(field, Filter::Op::kIsNotEmpty);
    const Json* value = FindArgument(filter, "value");
    if (value == nullptr)
      return MissingArgument(path + "/value", absl::StrCat("operator ", ToAbsl(op), " needs a value"));
    return CompareValue(*property, field, op, *value, path + "/value");
  }

  absl::StatusOr<Filter> CompareValue(const Property& property, const Field& field, std::string_view op,
                                      const Json& value, const std::string& path) const {
    ASSIGN_OR_RETURN(const Json wanted, Wanted(property, value, path));
    if (property.type == PropertyType::kDate) return CompareDate(field, op, wanted);
    // A checkbox that was never ticked has no value and counts as false.
    if (property.type == PropertyType::kCheckbox) {
      Filter ticked = Filter::Compare(field, Filter::Op::kEquals, true);
      const bool want_ticked = wanted.get<bool>() == (op == "equals");
      return want_ticked ? ticked : Filter::Not(std::move(ticked));
    }
    if (property.type == PropertyType::kMultiSelect && op == "contains") {
      return Filter::Compare(field, Filter::Op::kHasElement, wanted);
    }
    constexpr std::array<std::pair<std::string_view, Filter::Op>, 5> kOperators = {{
        {"equals", Filter::Op::kEquals},
        {"not_equals", Filter::Op::kNotEquals},
        {"contains", Filter::Op::kContains},
        {"greater_than", Filter::Op::kGreaterThan},
        {"less_than", Filter::Op::kLessThan},
    }};
    const auto found =
        std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& row) { return row.first == op; });
    return Filter::Compare(field, found->second, wanted);
  }

  // Converts the value to its stored form. Parts of texts and ids of related rows need not be complete values.
  absl::StatusOr<Json> Wanted(const Property& property, const Json& value, const std::string& path) const {
    switch (property.type) {
      case PropertyType::kText:
      case PropertyType::kUrl:
      case PropertyType::kEmail:
      case PropertyType::kPhone:
      case PropertyType::kRelation:
        if (value.is_string()) return value;
        return InvalidArgument(path, "type", absl::StrCat("property \"", property.name, "\" is compared with a string"),
                               "string", KindOf(value));
      case PropertyType::kMultiSelect: {
        Property one = property;
        one.type = PropertyType::kSelect;
        return blocks::CheckValue(one, value, path, context_);
      }
      case PropertyType::kNumber: {
        Property any = property;
        any.options = Json();
        return blocks::CheckValue(any, value, path, context_);
      }
      default:
        return blocks::CheckValue(property, value, path, context_);
    }
  }

  absl::StatusOr<Filter> CompareDate(const Field& field, std::string_view op, const Json& wanted) const {
    ASSIGN_OR_RETURN(const DateOrTime date, ParseStoredDate(wanted.get_ref<const std::string&>()));
    const blocks::DateFilter filter(field.path, context_.zone);
    if (op == "greater_than") return filter.After(date);
    if (op == "less_than") return filter.Before(date);
    return op == "equals" ? filter.Equals(date) : Filter::Not(filter.Equals(date));
  }

  const std::vector<Property>& properties_;
  const blocks::DataContext& context_;
};

absl::StatusOr<std::vector<storage::Sort>> SortOf(const Json& arguments, const std::vector<Property>& properties) {
  const Json* sort = FindArgument(arguments, "sort");
  if (sort == nullptr || sort->empty()) return std::vector<storage::Sort>();
  const std::string_view name = StringArgument(*sort, "property");
  if (name.empty()) return MissingArgument("/sort/property", "a sort needs a property");
  const Property* property = blocks::FindProperty(properties, name);
  if (property == nullptr) return blocks::UnknownProperty(properties, "/sort/property", name);
  if (property->type == PropertyType::kMultiSelect || property->type == PropertyType::kRelation) {
    return InvalidArgument("/sort/property", "type",
                           absl::StrCat("property \"", property->name, "\" holds lists, which have no order"),
                           "a property with single values");
  }
  return std::vector<storage::Sort>{
      {Field::Data({"properties", property->id}), StringArgument(*sort, "direction") == "desc"}};
}

absl::StatusOr<Json> RowToJson(const storage::Block& row, const std::vector<Property>& properties) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(row));
  const Json* values = FindArgument(data, "properties");
  Json by_name = Json::object();
  for (const Property& property : properties) {
    const Json* value = values == nullptr ? nullptr : FindArgument(*values, property.id);
    by_name[property.name] = value == nullptr ? Json() : *value;
  }
  return Json{{"id", row.id}, {"properties", std::move(by_name)}};
}

}  // namespace

absl::StatusOr<ToolOutput> QueryDatabase(ToolContext& context, storage::ReadView& view) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const storage::Block database, blocks::GetBlockOfType(view, StringArgument(arguments, "databaseId"),
                                                                         {blocks::kDatabase}, "/databaseId"));
  ASSIGN_OR_RETURN(const Json database_data, blocks::ParseData(database));
  ASSIGN_OR_RETURN(const std::vector<Property> properties, blocks::ReadProperties(database_data));

  const blocks::DataContext data_context{view, context.now, context.time_zone};
  storage::BlockQuery query;
  query.types = {std::string(blocks::kRow)};
  query.parent_id = database.id;
  if (const Json* filter = FindArgument(arguments, "filter"); filter != nullptr) {
    ASSIGN_OR_RETURN(query.filter, FilterBuilder(properties, data_context).Build(*filter, "/filter"));
  }
  ASSIGN_OR_RETURN(query.sort, SortOf(arguments, properties));
  query.limit = IntegerArgument(arguments, "limit");
  query.count_total = true;
  query.bounded = true;
  ASSIGN_OR_RETURN(const storage::BlockPage page, view.FindBlocks(query));

  Json rows = Json::array();
  for (const storage::Block& block : page.blocks) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json row, RowToJson(block, properties));
    rows.push_back(std::move(row));
  }
  const bool has_more = page.total > static_cast<int64_t>(rows.size()) || page.total_is_lower_bound;
  Json result{{"rows", std::move(rows)}};
  blocks::PutTotal(page, result);
  result["hasMore"] = has_more;
  ToolOutput output;
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::workspace
