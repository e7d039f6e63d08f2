// Rows that a statement returned, in PostgreSQL's binary format.
#ifndef TOOLGATE_STORAGE_POSTGRES_RESULT_H_
#define TOOLGATE_STORAGE_POSTGRES_RESULT_H_

#include <postgresql/libpq-fe.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "storage/postgres/libpq.h"

namespace toolgate::storage::postgres {

// One row, borrowed from its result.
class Row {
 public:
  Row(const PGresult& result, int row) : result_(&result), row_(row) {}

  bool IsNull(int column) const { return Pq().PQgetisnull(result_, row_, column) != 0; }
  // Of a bigint; 0 if it is NULL, and likewise below.
  int64_t Int(int column) const {
    uint64_t value = 0;
    for (const char byte : Bytes(column)) value = (value << 8) | static_cast<unsigned char>(byte);
    return static_cast<int64_t>(value);
  }
  bool Bool(int column) const {
    const std::string_view bytes = Bytes(column);
    return !bytes.empty() && bytes[0] != 0;
  }
  // Of a bytea or text. Borrowed.
  std::string_view Bytes(int column) const {
    return {Pq().PQgetvalue(result_, row_, column), static_cast<size_t>(Pq().PQgetlength(result_, row_, column))};
  }
  std::string String(int column) const { return std::string(Bytes(column)); }

 private:
  const PGresult* result_;
  int row_;
};

class Result {
 public:
  // Owns it.
  explicit Result(PGresult* result) : result_(result) {}

  int rows() const { return Pq().PQntuples(result_.get()); }
  bool empty() const { return rows() == 0; }
  Row operator[](int row) const { return {*result_, row}; }
  // Number of rows that a statement changed.
  int64_t changed() const { return std::strtoll(Pq().PQcmdTuples(result_.get()), nullptr, 10); }
  // Such as "COMMIT".
  std::string_view command() const { return Pq().PQcmdStatus(result_.get()); }
  const PGresult* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { Pq().PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_RESULT_H_
