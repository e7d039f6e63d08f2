#include "executors/tool.h"

#include "common/digest.h"

namespace toolgate::executors {

std::string StateDigest(const Json& state) { return HexEncode(Sha256(CanonicalJson(state))); }

std::string StateDigest(const Preview& shown) {
  return StateDigest(Json::array({shown.summary, shown.undo_summary, shown.reversible, shown.affected_block_ids}));
}

}  // namespace toolgate::executors
