// Changes of a graph under construction.
#ifndef TOOLGATE_EXECUTORS_CYPHER_GRAPH_WRITER_H_
#define TOOLGATE_EXECUTORS_CYPHER_GRAPH_WRITER_H_

#include <string>
#include <vector>

#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

// Receives what CREATE makes. Properties that are null are left out.
class GraphWriter {
 public:
  virtual ~GraphWriter() = default;

  virtual values::Node AddNode(std::vector<std::string> labels, values::Map properties) = 0;
  // Both ends exist.
  virtual values::Relationship AddRelationship(values::NodeId start, values::NodeId end, std::string type,
                                               values::Map properties) = 0;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_GRAPH_WRITER_H_
