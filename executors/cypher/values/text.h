// Values as text.
#ifndef TOOLGATE_EXECUTORS_CYPHER_VALUES_TEXT_H_
#define TOOLGATE_EXECUTORS_CYPHER_VALUES_TEXT_H_

#include <string>

namespace toolgate::executors::cypher::values {

// The shortest decimal that reads back as `number`, always with a point or an exponent: "1.0", "0.1", "1.0E10", "NaN",
// "-Infinity".
std::string FloatText(double number);

}  // namespace toolgate::executors::cypher::values

#endif  // TOOLGATE_EXECUTORS_CYPHER_VALUES_TEXT_H_
