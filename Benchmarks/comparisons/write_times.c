// Preloaded into gpsd. Notes when gpsd writes a TPV report, to which port, and its epoch, one line each on the
// descriptor in WRITE_TIMES_FD: nanoseconds of CLOCK_MONOTONIC, port, the report's time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void note(int descriptor, const char *text, size_t length) {
  static const char start[] = "{\"class\":\"TPV\"";
  static const char key[] = "\"time\":\"";
  if (length < sizeof(start) || memcmp(text, start, sizeof(start) - 1) != 0) return;
  const char *time_text = memmem(text, length, key, sizeof(key) - 1);
  const char *output = getenv("WRITE_TIMES_FD");
  struct sockaddr_storage peer;
  socklen_t peer_length = sizeof(peer);
  if (time_text == NULL || output == NULL || getpeername(descriptor, (struct sockaddr *)&peer, &peer_length) != 0) return;
  const int port = peer.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&peer)->sin6_port)
                                              : ntohs(((struct sockaddr_in *)&peer)->sin_port);
  char line[96];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int count = snprintf(line, sizeof(line), "%lld %d %.24s\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec, port,
                             time_text + sizeof(key) - 1);
  if (syscall(SYS_write, atoi(output), line, (size_t)count) < 0) return;
}

ssize_t send(int descriptor, const void *buffer, size_t length, int flags) {
  static ssize_t (*real)(int, const void *, size_t, int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "send");
  note(descriptor, buffer, length);
  return real(descriptor, buffer, length, flags);
}

ssize_t write(int descriptor, const void *buffer, size_t length) {
  static ssize_t (*real)(int, const void *, size_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "write");
  note(descriptor, buffer, length);
  return real(descriptor, buffer, length);
}
