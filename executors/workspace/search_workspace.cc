#include "executors/workspace/search_workspace.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/listing_total.h"
#include "executors/blocks/row_view.h"
#include "executors/workspace/search_intent.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Block;

constexpr size_t kMaxContentCharacters = 500;
constexpr int kMaxLevels = 200;  // Maximum number of ancestors searched for a page's title.

std::string Cut(std::string_view text) {
  const std::string_view shown = text::PrefixOfCharacters(text, kMaxContentCharacters);
  return shown.size() == text.size() ? std::string(text) : absl::StrCat(ToAbsl(shown), "…");
}

void AppendText(const Json& value, std::string_view separator, std::string& out) {
  if (value.is_array()) {
    for (const Json& item : value) AppendText(item, separator, out);
    return;
  }
  if (value.is_object() || value.is_null()) return;
  if (!out.empty()) out += separator;
  out += value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value);
}

// Text of the block: its title or content, then its other texts.
std::string ContentOf(const Block& block, const Json& data) {
  std::string content;
  const blocks::BlockType* type = blocks::FindBlockType(block.type);
  if (type != nullptr && !type->title_field.empty()) content = std::string(StringArgument(data, type->title_field));
  for (const char* name : {"description", "body"}) {
    if (const Json* more = FindArgument(data, name); more != nullptr) AppendText(*more, "\n", content);
  }
  if (block.type == "table") {
    for (const char* name : {"header", "rows"}) {
      if (const Json* cells = FindArgument(data, name); cells != nullptr) AppendText(*cells, " ", content);
    }
  }
  const Json* values = block.type == blocks::kRow ? FindArgument(data, "properties") : nullptr;
  if (values != nullptr) {
    for (const auto& member : values->get_ref<const Json::object_t&>()) {
      std::string text;
      AppendText(member.second, ", ", text);
      if (!text.empty()) absl::StrAppend(&content, content.empty() ? "" : "; ", member.first, ": ", text);
    }
  }
  return Cut(content);
}

// Finds the page of a block; caches pages.
class PageTitles {
 public:
  explicit PageTitles(storage::ReadView& view) : view_(view) {}

  // Title of the nearest page from the block upwards, or else of the nearest ancestor with a title, or else "".
  absl::StatusOr<std::string> TitleFor(const Block& block, const Json& data) {
    if (block.type == blocks::kPage) return blocks::TitleOf(block.type, data);
    std::string nearest;
    std::string id = block.parent_id;
    for (int level = 0; level < kMaxLevels && !id.empty(); ++level) {
      ASSIGN_OR_RETURN(const Ancestor* ancestor, Find(id));
      if (ancestor->is_page) return ancestor->title;
      if (nearest.empty()) nearest = ancestor->title;
      id = ancestor->parent_id;
    }
    return nearest;
  }

 private:
  struct Ancestor {
    std::string title;
    std::string parent_id;
    bool is_page = false;
  };

  absl::StatusOr<const Ancestor*> Find(const std::string& id) {
    const auto known = ancestors_.find(id);
    if (known != ancestors_.end()) return &known->second;
    ASSIGN_OR_RETURN(const Block block, view_.GetBlock(id));
    ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
    Ancestor ancestor{blocks::TitleOf(block.type, data), block.parent_id, block.type == blocks::kPage};
    return &ancestors_.emplace(id, std::move(ancestor)).first->second;
  }

  storage::ReadView& view_;
  absl::flat_hash_map<std::string, Ancestor> ancestors_;
};

std::vector<std::string> AskedTypes(const Json& arguments) {
  const Json* asked = FindArgument(arguments, "blockTypes");
  return asked == nullptr ? std::vector<std::string>() : asked->get<std::vector<std::string>>();
}

// Intersection of the two type lists; an empty list means any type.
std::vector<std::string> CommonTypes(std::vector<std::string> asked, const std::vector<std::string>& intended) {
  if (asked.empty()) return intended;
  if (intended.empty()) return asked;
  std::erase_if(asked, [&](const std::string& type) {
    return std::find(intended.begin(), intended.end(), type) == intended.end();
  });
  return asked;
}

absl::StatusOr<Json> HitToJson(storage::SearchHit& hit, PageTitles& titles, blocks::RowView& rows) {
  RETURN_IF_ERROR(rows.Hide(hit.block));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(hit.block));
  ASSIGN_OR_RETURN(std::string page_title, titles.TitleFor(hit.block, data));
  return Json{{"blockId", hit.block.id},
              {"blockType", hit.block.type},
              {"content", ContentOf(hit.block, data)},
              {"pageTitle", std::move(page_title)},
              {"relevanceScore", hit.score}};
}

}  // namespace

absl::StatusOr<ToolOutput> SearchWorkspace(ToolContext& context, storage::ReadView& view) {
  const Json& arguments = context.arguments;
  SearchIntent intent =
      ParseSearchIntent(StringArgument(arguments, "query"), {context.now, context.time_zone, context.caller.user_id});
  storage::SearchQuery query;
  std::vector<std::string> asked = AskedTypes(arguments);
  query.types = CommonTypes(asked, intent.types);
  if (query.types.empty() && !asked.empty()) {
    // The intent does not apply to the requested types (there are no overdue pages), so its words are plain text.
    query.types = std::move(asked);
    query.text = StringArgument(arguments, "query");
  } else {
    query.text = std::move(intent.text);
    query.filter = std::move(intent.filter);
  }
  query.limit = IntegerArgument(arguments, "limit");
  absl::StatusOr<storage::SearchPage> page = view.Search(query);
  if (!page.ok()) return AtArgument(page.status(), "/query");
  PageTitles titles(view);
  blocks::RowView rows(view);
  Json results = Json::array();
  for (storage::SearchHit& hit : page->hits) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json result, HitToJson(hit, titles, rows));
    results.push_back(std::move(result));
  }
  ToolOutput output;
  Json result{{"results", std::move(results)}};
  blocks::PutTotal(*page, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::workspace
