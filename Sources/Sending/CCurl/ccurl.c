// Without it the library's macros would not let its functions be called through pointers.
#define CURL_DISABLE_TYPECHECK
#include "ccurl.h"

#include <dlfcn.h>
#include <stddef.h>

#define FUNCTIONS(X) \
  X(curl_global_init) X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_strerror) X(curl_easy_setopt) \
  X(curl_easy_getinfo) X(curl_easy_header) X(curl_multi_init) X(curl_multi_cleanup) X(curl_multi_add_handle) X(curl_multi_remove_handle) \
  X(curl_multi_perform) X(curl_multi_poll) X(curl_multi_info_read) X(curl_slist_append) X(curl_slist_free_all)

#define MEMBER(name) __typeof__(&name) name;
static struct { FUNCTIONS(MEMBER) } library;

_Bool ccurl_load(void) {
  // It stays for good: its own threads may still run when the last handle has gone.
  void *file = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!file) return 0;
#define FIND(name) \
  if (!(library.name = (__typeof__(&name))dlsym(file, #name))) return 0;
  FUNCTIONS(FIND)
  return library.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

CURL *ccurl_easy_init(void) { return library.curl_easy_init(); }

void ccurl_easy_cleanup(CURL *handle) { library.curl_easy_cleanup(handle); }

const char *ccurl_easy_strerror(CURLcode code) { return library.curl_easy_strerror(code); }

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return library.curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *text) {
  return library.curl_easy_setopt(handle, option, text);
}

CURLcode ccurl_set_headers(CURL *handle, const struct curl_slist *headers) {
  return library.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *object) {
  CURLcode code = library.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
  return code == CURLE_OK ? library.curl_easy_setopt(handle, CURLOPT_WRITEDATA, object) : code;
}

long ccurl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  library.curl_easy_getinfo(handle, info, &value);
  return value;
}

curl_off_t ccurl_large_number(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  library.curl_easy_getinfo(handle, info, &value);
  return value;
}

const char *ccurl_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  library.curl_easy_getinfo(handle, info, &value);
  return value;
}

const char *ccurl_header(CURL *handle, const char *name) {
  struct curl_header *header = NULL;
  if (library.curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}

void ccurl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  library.curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)handle;
#endif
}

CURLM *ccurl_multi_init(void) { return library.curl_multi_init(); }

void ccurl_multi_cleanup(CURLM *multi) { library.curl_multi_cleanup(multi); }

CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle) { return library.curl_multi_add_handle(multi, handle); }

CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle) {
  return library.curl_multi_remove_handle(multi, handle);
}

CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return library.curl_multi_perform(multi, running); }

CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds) {
  return library.curl_multi_poll(multi, others, count, milliseconds, NULL);
}

CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) { return library.curl_multi_info_read(multi, left); }

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
  return library.curl_slist_append(list, line);
}

void ccurl_slist_free_all(struct curl_slist *list) { library.curl_slist_free_all(list); }
