#include "security/tool_call.h"

#include <cstdio>
#include <cstdlib>

#include "openssl/sha.h"

namespace toolgate::security {

Json& ToolCall::mutable_arguments() {
  if (frozen_) {
    // Continuing would run the tool with arguments that have not been validated.
    std::fputs("toolgate: a layer tried to change the arguments of a tool call after they were validated\n", stderr);
    std::abort();
  }
  return arguments_;
}

void ToolCall::FreezeArguments() { frozen_ = true; }

const std::string& ToolCall::arguments_digest() const {
  if (!arguments_digest_.empty()) return arguments_digest_;
  if (!frozen_) {
    std::fputs("toolgate: the digest of a tool call's arguments was asked for before they were validated\n", stderr);
    std::abort();
  }
  const std::string text = tool_id + '\n' + CanonicalJson(arguments_);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  arguments_digest_.assign(reinterpret_cast<const char*>(digest), sizeof(digest));
  return arguments_digest_;
}

}  // namespace toolgate::security
