// Locations of all schemas of a compilation, and targets of their references.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_REGISTRY_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/param_validation/json_schema.h"

namespace toolgate::security::param_validation {

// Meaning of the keywords according to "$schema".
struct Dialect {
  enum class Draft { k7, k2019, k2020 };  // k7 stands for drafts 4 to 7.
  Draft draft = Draft::k2020;
  bool applicator = true;
  bool unevaluated = true;
  bool validation = true;
  bool asserts_formats = false;
};

// A schema with its own identity: a document's root, or a subschema with "$id".
struct SchemaResource {
  std::string uri;
  const Json* root = nullptr;
  uint32_t document = 0;  // The resource that is the root of the document around it.
  Dialect dialect;
  absl::flat_hash_map<std::string, const Json*> anchors;
  absl::flat_hash_map<std::string, const Json*> dynamic_anchors;
};

struct SchemaPlace {
  uint32_t resource = 0;
  std::string pointer;  // From the root of its resource.
};

struct ReferenceTarget {
  const Json* schema = nullptr;
  std::string dynamic_anchor;  // Set when the reference named a $dynamicAnchor.
};

// Reads documents and finds $id, $anchor and $dynamicAnchor in them. The JSON it is given must outlive it. Used by one
// thread, for one compilation.
class SchemaRegistry {
 public:
  explicit SchemaRegistry(const SchemaDocuments* documents) : documents_(documents) {}

  absl::Status AddRoot(const Json& schema, std::string_view base_uri) { return AddDocument(schema, base_uri); }

  // Loads the document that the reference needs, if it is a given one or a metaschema.
  absl::StatusOr<ReferenceTarget> Resolve(uint32_t from_resource, std::string_view reference);

  // Of a schema that AddRoot or Resolve has visited.
  const SchemaPlace& PlaceOf(const Json* schema) const { return places_.at(schema); }
  // A place for people: the pointer, after the resource's URI unless that is the compiled one.
  std::string Describe(uint32_t resource, std::string_view pointer) const;
  const SchemaResource& resource(uint32_t index) const { return *resources_[index]; }
  uint32_t resource_count() const { return static_cast<uint32_t>(resources_.size()); }

 private:
  struct Pending {
    const Json* schema;
    uint32_t resource;
    std::string pointer;
  };

  absl::Status AddDocument(const Json& schema, std::string_view uri);
  // Registers a schema and everything below it.
  absl::Status Scan(Pending start);
  absl::Status Register(Pending& place);
  absl::Status RegisterId(Pending& place, const Json& id);
  absl::StatusOr<Dialect> DialectOf(const Pending& place, const Dialect& inherited);
  absl::StatusOr<Dialect> CustomDialect(const std::string& uri, const std::string& where);
  // True if a resource with that URI exists afterwards.
  absl::StatusOr<bool> Load(const std::string& uri);
  const Json* FindDocument(const std::string& uri);
  absl::StatusOr<const Json*> FollowPointer(uint32_t resource, std::string_view pointer);

  const SchemaDocuments* const documents_;
  std::vector<std::unique_ptr<const Json>> metaschemas_;
  std::vector<std::unique_ptr<SchemaResource>> resources_;
  absl::flat_hash_map<std::string, uint32_t> by_uri_;
  absl::flat_hash_map<const Json*, SchemaPlace> places_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_REGISTRY_H_
