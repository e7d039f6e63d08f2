#include "executors/blocks/integrity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/database_properties.h"
#include "executors/blocks/integrity_conflict.h"
#include "executors/blocks/occurrence_integrity.h"
#include "executors/blocks/series_premise.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Block;
using storage::BlockDelta;

constexpr int64_t kAllChildren = std::numeric_limits<int64_t>::max();

template <typename List>
auto FindById(const List& list, std::string_view id) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& row) { return row.id == id; });
  return found == list.end() ? nullptr : &*found;
}

// A member of a row's or a block's data; null when it is absent.
const Json& Member(const Json& data, std::string_view name) {
  static const Json* const null = new Json();
  const Json* value = FindArgument(data, name);
  return value == nullptr ? *null : *value;
}

// One block before and after the undo.
struct Changed {
  const Block& block;
  const Json data;
  const Block* before;  // Null: it is new, or was restored.
  const Json old_data;  // Null if `before` is null.

  bool moved() const { return before == nullptr || before->parent_id != block.parent_id; }
  bool differs(std::string_view name) const { return Member(data, name) != Member(old_data, name); }
};

class Checker {
 public:
  explicit Checker(storage::Transaction& transaction) : transaction_(transaction) {}

  absl::Status Check(const storage::Changes& changes) {
    for (const BlockDelta& delta : changes.blocks) {
      if (delta.after) touched_.insert(delta.after->id);
    }
    for (const BlockDelta& delta : changes.blocks) {
      if (delta.after) RETURN_IF_ERROR(CheckOne(delta));
    }
    for (const std::string& id : series_) RETURN_IF_ERROR(CheckSeries(id));
    return absl::OkStatus();
  }

 private:
  // A block that contains others, read once.
  struct Container {
    Block block;
    Json data;
    Columns columns;  // Of a database.
  };

  absl::Status CheckOne(const BlockDelta& delta) {
    const BlockType* type = FindBlockType(delta.after->type);
    if (type == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(Json data, ParseData(*delta.after));
    Json old_data;
    if (delta.before) {
      ASSIGN_OR_RETURN(old_data, ParseData(*delta.before));
    }
    const Changed changed{*delta.after, std::move(data), delta.before ? &*delta.before : nullptr, std::move(old_data)};
    if (changed.moved()) RETURN_IF_ERROR(CheckPlace(*type, changed));
    if (type->name == kCard) return CheckCard(changed);
    if (type->name == kColumn) return CheckCardsOf(changed);
    if (type->name == kRow) return CheckRow(changed);
    if (type->name == kDatabase) return CheckDatabase(changed);
    if (type->name == kEvent) return NoteSeries(changed);
    return absl::OkStatus();
  }

  absl::Status CheckPlace(const BlockType& type, const Changed& changed) {
    if (type.parents.empty()) return absl::OkStatus();
    if (changed.block.parent_id.empty()) {
      return Conflict(changed.block, absl::StrCat(Name(changed.block), " would come to lie at the root"));
    }
    ASSIGN_OR_RETURN(const Container* parent, ContainerOf(changed.block));
    if (MayLieIn(type, parent->block.type)) return absl::OkStatus();
    return Conflict(parent->block, absl::StrCat(Name(changed.block), " would come to lie in ", Name(parent->block)));
  }

  absl::Status CheckCard(const Changed& changed) {
    if (!changed.moved() && !changed.differs("status")) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Container* column, ContainerOf(changed.block));
    return CheckStatus(changed.block, changed.data, column->block, column->data, column->block);
  }

  static absl::Status CheckStatus(const Block& card, const Json& card_data, const Block& column,
                                  const Json& column_data, const Block& obstacle) {
    const std::string_view is = StringArgument(card_data, "status");
    const std::string_view wanted = StringArgument(column_data, "status");
    if (is == wanted) return absl::OkStatus();
    return Conflict(obstacle, absl::StrCat(Name(card), " would have the status \"", ToAbsl(is), "\" in ", Name(column),
                                           ", whose cards have \"", ToAbsl(wanted), "\""));
  }

  absl::Status CheckCardsOf(const Changed& column) {
    if (column.before == nullptr || !column.differs("status")) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<Block> children, transaction_.ListChildren(column.block.id, kAllChildren));
    for (const Block& card : children) {
      if (card.type != kCard || touched_.contains(card.id)) continue;
      ASSIGN_OR_RETURN(const Json data, ParseData(card));
      RETURN_IF_ERROR(CheckStatus(card, data, column.block, column.data, card));
    }
    return absl::OkStatus();
  }

  absl::Status CheckRow(const Changed& row) {
    const Json& values = Member(row.data, "properties");
    if (!values.is_object()) return absl::OkStatus();
    const Json& old_values = Member(row.old_data, "properties");
    ASSIGN_OR_RETURN(const Container* database, ContainerOf(row.block));
    for (const auto& member : values.get_ref<const Json::object_t&>()) {
      const Json& old_value = Member(old_values, member.first);
      if (old_value == member.second) continue;
      const absl::Status fits = CheckValueOf(row, *database, member.first, member.second, old_value);
      const std::optional<ToolError> error = GetToolError(fits);
      if (!error.has_value()) RETURN_IF_ERROR(fits);
      if (error.has_value()) {
        return Conflict(database->block, absl::StrCat("a value of ", Name(row.block), " does not fit ",
                                                      Name(database->block), " any more: ", error->message));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckValueOf(const Changed& row, const Container& database, const std::string& id, const Json& value,
                            const Json& old_value) {
    const DataContext context{transaction_, transaction_.context().now, absl::UTCTimeZone(),
                              row.before == nullptr ? Dangling::kKeep : Dangling::kRefuse};
    if (const Property* property = FindById(database.columns.properties, id); property != nullptr) {
      return CheckValue(*property, value, "", context, &old_value).status();
    }
    const FormerProperty* former = FindById(database.columns.former, id);
    if (former == nullptr || row.before != nullptr) return UnknownProperty(database.columns.properties, "", id);
    return CheckValue({former->id, former->id, former->type, Json()}, value, "", context).status();
  }

  absl::Status CheckDatabase(const Changed& database) {
    if (database.before == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Columns before, ReadColumns(database.old_data));
    ASSIGN_OR_RETURN(const Columns after, ReadColumns(database.data));
    const auto stays = [&](const auto& property) {
      const Property* present = FindById(after.properties, property.id);
      const FormerProperty* former = FindById(after.former, property.id);
      return (present != nullptr && present->type == property.type) ||
             (former != nullptr && former->type == property.type);
    };
    for (const Property& property : before.properties) {
      if (!stays(property)) RETURN_IF_ERROR(CheckUnused(database.block, property.id));
    }
    for (const FormerProperty& property : before.former) {
      if (!stays(property)) RETURN_IF_ERROR(CheckUnused(database.block, property.id));
    }
    for (const Property& property : after.properties) {
      const Property* old = FindById(before.properties, property.id);
      if (old != nullptr && old->options != property.options) RETURN_IF_ERROR(CheckRelation(database.block, property));
    }
    return absl::OkStatus();
  }

  // Checks that no row holds a value of a property that is removed without being listed in "formerProperties".
  absl::Status CheckUnused(const Block& database, const std::string& property_id) {
    storage::BlockQuery query;
    query.types = {std::string(kRow)};
    query.parent_id = database.id;
    query.filter =
        storage::Filter::Compare(storage::Field::Data({"properties", property_id}), storage::Filter::Op::kIsNotEmpty);
    query.limit = 1;
    ASSIGN_OR_RETURN(const storage::BlockPage rows, transaction_.FindBlocks(query));
    if (rows.blocks.empty()) return absl::OkStatus();
    return Conflict(rows.blocks[0], absl::StrCat(Name(rows.blocks[0]), " holds a value of property \"", property_id,
                                                 "\", which ", Name(database), " would not have"));
  }

  absl::Status CheckRelation(const Block& database, const Property& property) {
    if (property.type != PropertyType::kRelation) return absl::OkStatus();
    const std::string target(StringArgument(property.options, "databaseId"));
    ASSIGN_OR_RETURN(const std::optional<Block> block, transaction_.FindBlock(target));
    if (block.has_value() && block->type == kDatabase) return absl::OkStatus();
    return Conflict(database.id, "",
                    absl::StrCat("property \"", property.name, "\" of ", Name(database), " would point at database ",
                                 target, ", which is gone"));
  }

  // Collects the series, so that each is checked once, as a whole.
  absl::Status NoteSeries(const Changed& event) {
    const bool is_occurrence = event.data.contains("recurrenceId");
    if (is_occurrence && (event.moved() || event.differs("recurrenceId"))) {
      if (event.block.parent_id.empty()) {
        return Conflict(event.block, absl::StrCat(Name(event.block), ", an occurrence, would come to lie at the root"));
      }
      series_.insert(event.block.parent_id);
    }
    if (event.before != nullptr && event.old_data.contains("recurrence") && !event.data.contains("recurrence")) {
      series_.insert(event.block.id);
    }
    return absl::OkStatus();
  }

  absl::Status CheckSeries(const std::string& id) {
    ASSIGN_OR_RETURN(const Block series, transaction_.GetBlock(id));
    ASSIGN_OR_RETURN(const Json series_data, ParseData(series));
    const bool recurs = series.type == kEvent && series_data.contains("recurrence");
    ASSIGN_OR_RETURN(const std::vector<Block> children, transaction_.ListChildren(id, kAllChildren));
    std::map<std::string, const Block*> changed_days;
    for (const Block& child : children) {
      if (child.type != kEvent) continue;
      ASSIGN_OR_RETURN(const Json data, ParseData(child));
      const std::string day(StringArgument(data, "recurrenceId"));
      if (day.empty()) continue;
      if (!recurs) {
        return Conflict(touched_.contains(id) ? child : series,
                        absl::StrCat(Name(child), " is the changed occurrence of ", day, ", but ", Name(series),
                                     " would not recur"));
      }
      const auto [other, is_first] = changed_days.emplace(day, &child);
      if (is_first) continue;
      const Block& obstacle = touched_.contains(child.id) ? *other->second : child;
      return Conflict(obstacle, absl::StrCat("the occurrence of ", day, " of ", Name(series),
                                             " has been changed by another block since, ", Name(obstacle)));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const Container*> ContainerOf(const Block& block) {
    const auto known = containers_.find(block.parent_id);
    if (known != containers_.end()) return &known->second;
    Container container;
    ASSIGN_OR_RETURN(container.block, transaction_.GetBlock(block.parent_id));
    ASSIGN_OR_RETURN(container.data, ParseData(container.block));
    if (container.block.type == kDatabase) {
      ASSIGN_OR_RETURN(container.columns, ReadColumns(container.data));
    }
    return &containers_.emplace(block.parent_id, std::move(container)).first->second;
  }

  storage::Transaction& transaction_;
  absl::flat_hash_set<std::string> touched_;
  std::map<std::string, Container> containers_;
  std::set<std::string> series_;
};

// Records, before anything is restored, what undoing this undo will rely on.
absl::Status RecordPremises(storage::Transaction& transaction, const storage::Changes& changes) {
  absl::flat_hash_set<std::string_view> touched;
  for (const BlockDelta& delta : changes.blocks) {
    if (delta.after) touched.insert(delta.after->id);
  }
  PremiseRecorder recorder(transaction);
  for (const BlockDelta& delta : changes.blocks) {
    if (!delta.after || delta.after->type != kEvent || touched.contains(delta.after->parent_id)) continue;
    if (!delta.before || delta.before->parent_id != delta.after->parent_id) {
      RETURN_IF_ERROR(recorder.BeforeGoing(*delta.after));
    }
    if (!delta.before) continue;
    ASSIGN_OR_RETURN(const Json present, ParseData(*delta.after));
    ASSIGN_OR_RETURN(const Json restored, ParseData(*delta.before));
    RETURN_IF_ERROR(recorder.BeforeUpdate(*delta.after, present, restored));
  }
  return absl::OkStatus();
}

absl::Status CheckApplied(storage::Transaction& transaction, const storage::Changes& changes) {
  RETURN_IF_ERROR(CheckIntegrity(transaction, changes));
  ASSIGN_OR_RETURN(const SeriesPremises premises, SeriesPremises::Parse(changes.effects));
  return CheckOccurrences(transaction, changes, premises);
}

}  // namespace

absl::Status CheckIntegrity(storage::Transaction& transaction, const storage::Changes& changes) {
  return Checker(transaction).Check(changes);
}

absl::Status Revert(storage::Transaction& transaction, storage::Changes changes) {
  return transaction.Nested([&]() -> absl::Status {
    RETURN_IF_ERROR(RecordPremises(transaction, changes));
    ASSIGN_OR_RETURN(const SeriesPremises premises, SeriesPremises::Parse(changes.effects));
    storage::Changes done;
    RETURN_IF_ERROR(transaction.Nested([&] { return transaction.Revert(std::move(changes)); }, &done));
    RETURN_IF_ERROR(CheckIntegrity(transaction, done));
    return CheckOccurrences(transaction, done, premises);
  });
}

absl::Status Apply(storage::Transaction& transaction, const storage::Changes& changes) {
  return transaction.Nested([&]() -> absl::Status {
    RETURN_IF_ERROR(transaction.Apply(changes));
    for (const storage::Effect& effect : changes.effects) RETURN_IF_ERROR(transaction.RecordEffect(effect));
    const absl::Status fits = CheckApplied(transaction, changes);
    return GetToolError(fits).has_value() ? absl::AbortedError(fits.message()) : fits;
  });
}

}  // namespace toolgate::executors::blocks
