// A connected socket whose reader has to wait.
#ifndef TOOLGATE_SERVICES_GRPC_ACCEPTOR_READ_HOLD_H_
#define TOOLGATE_SERVICES_GRPC_ACCEPTOR_READ_HOLD_H_

namespace toolgate::services::grpc::acceptor {

// Keeps a TCP socket from becoming readable, for the owner of its descriptor, until this goes: the low-water mark of
// reading (SO_RCVLOWAT) lies above what the client may have sent. More bytes than that, a full window, or the end of
// the connection make it readable all the same. Has a descriptor of its own, so the owner may close the socket
// meanwhile. Not thread-safe.
class ReadHold {
 public:
  explicit ReadHold(int fd);
  ~ReadHold();
  ReadHold(const ReadHold&) = delete;
  ReadHold& operator=(const ReadHold&) = delete;

 private:
  const int fd_;
};

}  // namespace toolgate::services::grpc::acceptor

#endif  // TOOLGATE_SERVICES_GRPC_ACCEPTOR_READ_HOLD_H_
