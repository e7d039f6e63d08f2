#include "executors/shell/launcher/pass_descriptor.h"

#include <sys/socket.h>

#include <cstring>

namespace toolgate::executors::shell::launcher {

void SendDescriptor(int socket, const void* bytes, size_t size, int descriptor) {
  char none = 0;
  iovec data{size == 0 ? &none : const_cast<void*>(bytes), size == 0 ? 1 : size};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = space;
    message.msg_controllen = sizeof(space);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  sendmsg(socket, &message, MSG_NOSIGNAL);
}

int ReceiveDescriptor(int socket) {
  char none = 0;
  iovec data{&none, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  int descriptor = -1;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
  return descriptor;
}

}  // namespace toolgate::executors::shell::launcher
