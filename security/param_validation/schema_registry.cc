#include "security/param_validation/schema_registry.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "security/param_validation/schema_keywords.h"
#include "security/param_validation/toolgate_security_param_validation_metaschemas.h"
#include "security/param_validation/uri.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

constexpr std::string_view kBase2020 = "https://json-schema.org/draft/2020-12/";
constexpr std::string_view kVocabulary2020 = "https://json-schema.org/draft/2020-12/vocab/";
constexpr std::string_view kMetaschemaFolder = "security/param_validation/metaschema/";

std::string WithoutEmptyFragment(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  return std::string(uri);
}

absl::Status Refuse(std::string_view place, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(place), ": ", ToAbsl(what)));
}

std::optional<Dialect> KnownDialect(std::string_view uri) {
  using Draft = Dialect::Draft;
  if (uri == "https://json-schema.org/draft/2020-12/schema") return Dialect{};
  if (uri == "https://json-schema.org/draft/2019-09/schema") return Dialect{.draft = Draft::k2019};
  for (const std::string_view scheme : {"http", "https"}) {
    for (const std::string_view number : {"04", "06", "07"}) {
      if (uri == absl::StrCat(ToAbsl(scheme), "://json-schema.org/draft-", ToAbsl(number), "/schema")) {
        return Dialect{.draft = Draft::k7};
      }
    }
  }
  return std::nullopt;
}

const Json* Step(const Json& value, const std::string& token) {
  if (value.is_object()) {
    const auto found = value.find(token);
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array() || token.empty() || token.size() > 9) return nullptr;
  size_t index = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return nullptr;
    index = index * 10 + static_cast<size_t>(c - '0');
  }
  if ((token.size() > 1 && token.front() == '0') || index >= value.size()) return nullptr;
  return &value[index];
}

}  // namespace

std::string SchemaRegistry::Describe(uint32_t resource, std::string_view pointer) const {
  if (resource != 0) return absl::StrCat(resources_[resource]->uri, "#", ToAbsl(pointer));
  return pointer.empty() ? "the root" : std::string(pointer);
}

absl::Status SchemaRegistry::AddDocument(const Json& schema, std::string_view uri) {
  auto resource = std::make_unique<SchemaResource>();
  resource->uri = WithoutEmptyFragment(uri);
  resource->root = &schema;
  const auto index = static_cast<uint32_t>(resources_.size());
  resource->document = index;
  by_uri_.emplace(resource->uri, index);
  resources_.push_back(std::move(resource));
  return Scan({&schema, index, ""});
}

absl::Status SchemaRegistry::Scan(Pending start) {
  std::vector<Pending> open;
  open.push_back(std::move(start));
  while (!open.empty()) {
    Pending place = std::move(open.back());
    open.pop_back();
    if (places_.contains(place.schema)) continue;
    RETURN_IF_ERROR(Register(place));
    if (!place.schema->is_object()) continue;
    const bool draft7 = resources_[place.resource]->dialect.draft == Dialect::Draft::k7;
    ForEachSubschema(*place.schema, draft7, [&](const Json& subschema, std::string_view path) {
      open.push_back({&subschema, place.resource, absl::StrCat(place.pointer, ToAbsl(path))});
    });
  }
  return absl::OkStatus();
}

absl::Status SchemaRegistry::Register(Pending& place) {
  const Json& schema = *place.schema;
  if (schema.is_object()) {
    const bool is_root = resources_[place.resource]->root == &schema;
    if (is_root) {
      ASSIGN_OR_RETURN(resources_[place.resource]->dialect, DialectOf(place, Dialect{}));
    }
    const bool draft7 = resources_[place.resource]->dialect.draft == Dialect::Draft::k7;
    const bool only_ref = draft7 && schema.contains("$ref");
    auto id = schema.find("$id");
    if (id == schema.end() && draft7) id = schema.find("id");
    if (id != schema.end() && !only_ref && (id->is_string() || !draft7)) RETURN_IF_ERROR(RegisterId(place, *id));
    SchemaResource& resource = *resources_[place.resource];
    for (const char* const keyword : {"$anchor", "$dynamicAnchor"}) {
      const auto anchor = schema.find(keyword);
      if (anchor == schema.end()) continue;
      const std::string where = Describe(place.resource, absl::StrCat(place.pointer, "/", keyword));
      if (!anchor->is_string() || !IsAnchorName(anchor->get_ref<const std::string&>())) {
        return Refuse(where, "must be a name such as \"node\"");
      }
      const auto& name = anchor->get_ref<const std::string&>();
      const bool dynamic = std::string_view(keyword) == "$dynamicAnchor";
      auto& names = dynamic ? resource.dynamic_anchors : resource.anchors;
      // Both are fragments of one URI.
      const auto& others = dynamic ? resource.anchors : resource.dynamic_anchors;
      const auto other = others.find(name);
      if ((other != others.end() && other->second != &schema) || !names.emplace(name, &schema).second) {
        return Refuse(where, "is the anchor of another schema already");
      }
    }
  }
  places_.emplace(&schema, SchemaPlace{place.resource, place.pointer});
  return absl::OkStatus();
}

absl::Status SchemaRegistry::RegisterId(Pending& place, const Json& id) {
  const std::string where = Describe(place.resource, place.pointer + "/$id");
  if (!id.is_string()) return Refuse(where, "must be a URI reference");
  const auto& text = id.get_ref<const std::string&>();
  SchemaResource& current = *resources_[place.resource];
  const size_t hash = text.find('#');
  if (hash != std::string::npos && hash + 1 != text.size()) {
    if (current.dialect.draft != Dialect::Draft::k7) return Refuse(where, "must not have a fragment");
    if (hash == 0) {
      const bool is_new = current.anchors.emplace(text.substr(1), place.schema).second;
      return is_new ? absl::OkStatus() : Refuse(where, "is the anchor of another schema already");
    }
  }
  const std::string uri = WithoutEmptyFragment(ResolveUri(current.uri, text));
  if (current.root == place.schema) {
    current.uri = uri;
    by_uri_.emplace(uri, place.resource);
    return absl::OkStatus();
  }
  // Independent documents may use the same URI; the first counts.
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) {
    const bool is_here = resources_[known->second]->document == current.document;
    if (is_here) return Refuse(where, "is the URI of another schema already");
  }
  auto resource = std::make_unique<SchemaResource>();
  resource->uri = uri;
  resource->root = place.schema;
  resource->document = current.document;
  ASSIGN_OR_RETURN(resource->dialect, DialectOf(place, current.dialect));
  place.resource = static_cast<uint32_t>(resources_.size());
  place.pointer.clear();
  by_uri_.emplace(uri, place.resource);
  resources_.push_back(std::move(resource));
  return absl::OkStatus();
}

absl::StatusOr<Dialect> SchemaRegistry::DialectOf(const Pending& place, const Dialect& inherited) {
  const auto found = place.schema->find("$schema");
  if (found == place.schema->end()) return inherited;
  const std::string where = Describe(place.resource, place.pointer + "/$schema");
  if (!found->is_string()) return Refuse(where, "must be a URI");
  const std::string uri = WithoutEmptyFragment(found->get_ref<const std::string&>());
  if (const std::optional<Dialect> known = KnownDialect(uri); known.has_value()) return *known;
  return CustomDialect(uri, where);
}

absl::StatusOr<Dialect> SchemaRegistry::CustomDialect(const std::string& uri, const std::string& where) {
  const Json* metaschema = FindDocument(uri);
  if (metaschema == nullptr) return Refuse(where, "names a dialect that is not known");
  const auto vocabularies = metaschema->is_object() ? metaschema->find("$vocabulary") : metaschema->end();
  if (vocabularies == metaschema->end() || !vocabularies->is_object()) return Dialect{};
  Dialect dialect{.applicator = false, .unevaluated = false, .validation = false};
  constexpr std::array<std::string_view, 4> kAnnotations = {"core", "meta-data", "format-annotation", "content"};
  for (const auto& [vocabulary, required] : vocabularies->items()) {
    const std::string_view full = vocabulary;
    const std::string_view name = full.starts_with(kVocabulary2020) ? full.substr(kVocabulary2020.size()) : "";
    if (name == "applicator") {
      dialect.applicator = true;
    } else if (name == "unevaluated") {
      dialect.unevaluated = true;
    } else if (name == "validation") {
      dialect.validation = true;
    } else if (name == "format-assertion") {
      dialect.asserts_formats = true;
    } else if (std::find(kAnnotations.begin(), kAnnotations.end(), name) == kAnnotations.end() && required == true) {
      return Refuse(where, "names a dialect that requires a vocabulary which is not known");
    }
  }
  return dialect;
}

const Json* SchemaRegistry::FindDocument(const std::string& uri) {
  if (documents_ != nullptr) {
    const auto found = documents_->find(uri);
    if (found != documents_->end()) return &found->second;
  }
  if (!absl::StartsWith(uri, ToAbsl(kBase2020))) return nullptr;
  std::string_view name = std::string_view(uri).substr(kBase2020.size());
  if (name.starts_with("meta/")) name.remove_prefix(5);
  const std::string path = absl::StrCat(ToAbsl(kMetaschemaFolder), ToAbsl(name), ".json");
  for (const EmbeddedFile& file : Metaschemas()) {
    if (file.path != path) continue;
    metaschemas_.push_back(std::make_unique<const Json>(Json::parse(file.text, nullptr, /*allow_exceptions=*/false)));
    return metaschemas_.back().get();
  }
  return nullptr;
}

absl::StatusOr<bool> SchemaRegistry::Load(const std::string& uri) {
  if (by_uri_.contains(uri)) return true;
  if (const Json* document = FindDocument(uri); document != nullptr) {
    RETURN_IF_ERROR(AddDocument(*document, uri));
    return true;
  }
  // It may be the $id of a document that was given under another name, or of a schema inside one.
  if (documents_ == nullptr) return false;
  for (const auto& [name, document] : *documents_) {
    if (places_.contains(&document)) continue;
    RETURN_IF_ERROR(AddDocument(document, name));
    if (by_uri_.contains(uri)) return true;
  }
  return false;
}

absl::StatusOr<const Json*> SchemaRegistry::FollowPointer(uint32_t resource, std::string_view pointer) {
  const Json* at = resources_[resource]->root;
  SchemaPlace place = places_.at(at);
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t slash = pointer.find('/');
    const std::string token = UnescapePointerToken(pointer.substr(0, slash));
    pointer = slash == std::string_view::npos ? std::string_view() : pointer.substr(slash);
    at = Step(*at, token);
    if (at == nullptr) return nullptr;
    place.pointer += "/" + EscapePointerToken(token);
    if (const auto known = places_.find(at); known != places_.end()) place = known->second;
  }
  // A reference to a place that no keyword declares as a schema.
  if (!places_.contains(at)) RETURN_IF_ERROR(Scan({at, place.resource, place.pointer}));
  return at;
}

absl::StatusOr<ReferenceTarget> SchemaRegistry::Resolve(uint32_t from_resource, std::string_view reference) {
  const std::string full = ResolveUri(resources_[from_resource]->uri, reference);
  const size_t hash = full.find('#');
  const std::string uri = full.substr(0, hash);
  const std::string fragment = hash == std::string::npos ? "" : PercentDecode(std::string_view(full).substr(hash + 1));
  ASSIGN_OR_RETURN(const bool loaded, Load(uri));
  if (!loaded) return absl::NotFoundError("leads to a document that is not here; nothing is fetched");
  const uint32_t index = by_uri_.at(uri);
  const SchemaResource& resource = *resources_[index];
  if (fragment.empty()) return ReferenceTarget{resource.root, ""};
  if (fragment.front() == '/') {
    ASSIGN_OR_RETURN(const Json* target, FollowPointer(index, fragment));
    if (target == nullptr) return absl::NotFoundError("leads to a place that its document does not have");
    return ReferenceTarget{target, ""};
  }
  if (const auto found = resource.dynamic_anchors.find(fragment); found != resource.dynamic_anchors.end()) {
    return ReferenceTarget{found->second, fragment};
  }
  if (const auto found = resource.anchors.find(fragment); found != resource.anchors.end()) {
    return ReferenceTarget{found->second, ""};
  }
  return absl::NotFoundError("names an anchor that its document does not have");
}

}  // namespace toolgate::security::param_validation
