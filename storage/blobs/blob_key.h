// Names of blobs.
#ifndef TOOLGATE_STORAGE_BLOBS_BLOB_KEY_H_
#define TOOLGATE_STORAGE_BLOBS_BLOB_KEY_H_

#include <string>
#include <string_view>

namespace toolgate::storage::blobs {

// Whether `key` may name a blob: 1 to 512 bytes, parts of letters, digits, ".", "-" and "_" with "/" between them, and
// none of them begins with ".". Such a name is the same as a path, in a URL, and as an object of S3.
bool IsBlobKey(std::string_view key);

// "<first 32 hexadecimal digits of the scope's SHA-256>/". Nobody outside of a scope, such as a workspace, can name
// one of its blobs by chance, and no name tells what the scope is called.
std::string ScopePrefix(std::string_view scope);

// "<scope's prefix><SHA-256 of the bytes>.<extension>": the same content has one name in a scope.
std::string ContentKey(std::string_view scope, std::string_view bytes, std::string_view extension);

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_BLOB_KEY_H_
