#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift does not call macros that have arguments.

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int copenssl_require_version_1_2(SSL_CTX *context) {
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Keeps no buffers between records, 34 KB for each connection, and writes parts of a buffer, which may move meanwhile.
static inline void copenssl_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(
      context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
