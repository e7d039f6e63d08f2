// Descriptors on their way from one process to another.
#ifndef TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PASS_DESCRIPTOR_H_
#define TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PASS_DESCRIPTOR_H_

#include <cstddef>

namespace toolgate::executors::shell::launcher {

// Sends bytes through a socket and, unless it is -1, a descriptor.
void SendDescriptor(int socket, const void* bytes, size_t size, int descriptor);

// A descriptor that SendDescriptor has sent without bytes; -1 when the other end was closed before.
int ReceiveDescriptor(int socket);

}  // namespace toolgate::executors::shell::launcher

#endif  // TOOLGATE_EXECUTORS_SHELL_LAUNCHER_PASS_DESCRIPTOR_H_
