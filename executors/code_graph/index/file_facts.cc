#include "executors/code_graph/index/file_facts.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::code_graph::index {
namespace {

void Put(uint64_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

// Reads what Put wrote. Once anything does not fit, `ok` is false and all further numbers are 0.
struct Reader {
  std::string_view rest;
  bool ok = true;

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    ok = false;
    return 0;
  }
  // A count of things that take a byte each at least.
  size_t Count() {
    const uint64_t count = Number();
    ok = ok && count <= rest.size();
    return ok ? static_cast<size_t>(count) : 0;
  }
  std::string Text() {
    const size_t size = Count();
    std::string text(rest.substr(0, size));
    rest.remove_prefix(size);
    return text;
  }
  // Below `bound`.
  uint32_t Index(size_t bound) {
    const uint64_t index = Number();
    ok = ok && index < bound;
    return ok ? static_cast<uint32_t>(index) : 0;
  }
};

Mention TakeMention(Reader& reader, size_t names) {
  constexpr size_t kMaxInt = INT32_MAX;
  Mention mention;
  mention.source = static_cast<int>(reader.Index(kMaxInt)) - 1;
  mention.name = reader.Index(names);
  const uint32_t qualifier = reader.Index(names + 1);
  mention.qualifier = qualifier == 0 ? Mention::kNoName : qualifier - 1;
  const uint32_t flags = reader.Index(size_t{2} * kRelationshipTypes);
  mention.type = static_cast<RelationshipType>(flags / 2);
  mention.is_member = flags % 2 != 0;
  mention.line = static_cast<int>(reader.Index(kMaxInt));
  mention.count = static_cast<int>(reader.Index(kMaxInt));
  return mention;
}

}  // namespace

std::string PackMentions(const MentionList& list) {
  std::string out;
  Put(list.names.size(), out);
  for (const std::string& name : list.names) {
    Put(name.size(), out);
    out += name;
  }
  Put(list.mentions.size(), out);
  for (const Mention& mention : list.mentions) {
    Put(static_cast<uint64_t>(mention.source) + 1, out);
    Put(mention.name, out);
    Put(mention.qualifier == Mention::kNoName ? 0 : mention.qualifier + 1, out);
    Put(static_cast<uint64_t>(mention.type) * 2 + (mention.is_member ? 1 : 0), out);
    Put(static_cast<uint64_t>(mention.line), out);
    Put(static_cast<uint64_t>(mention.count), out);
  }
  return out;
}

absl::StatusOr<MentionList> UnpackMentions(std::string_view bytes) {
  Reader reader{bytes};
  MentionList list;
  list.names.resize(reader.Count());
  for (std::string& name : list.names) name = reader.Text();
  list.mentions.resize(reader.Count());
  for (Mention& mention : list.mentions) mention = TakeMention(reader, list.names.size());
  if (!reader.ok || !reader.rest.empty()) return absl::DataLossError("the index keeps damaged mentions");
  return list;
}

bool MentionsAny(std::string_view bytes, const absl::flat_hash_set<std::string>& names) {
  Reader reader{bytes};
  for (size_t left = reader.Count(); left > 0 && reader.ok; --left) {
    const size_t size = reader.Count();
    if (names.contains(ToAbsl(reader.rest.substr(0, size)))) return true;
    reader.rest.remove_prefix(size);
  }
  return false;
}

}  // namespace toolgate::executors::code_graph::index
