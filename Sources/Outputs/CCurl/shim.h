#include <curl/curl.h>

// Swift calls no C function with "...", so here is one for each kind of argument.

static inline CURLcode rx_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

// The library copies the text, but for the one of CURLOPT_ERRORBUFFER.
static inline CURLcode rx_curl_set_text(CURL *handle, CURLoption option, const char *text) {
  return curl_easy_setopt(handle, option, text);
}

// The list stays the caller's, and as long as the handle.
static inline CURLcode rx_curl_set_headers(CURL *handle, const struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode rx_curl_set_reader_of_answers(CURL *handle, curl_write_callback reader, void *object) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, reader);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, object) : code;
}

static inline long rx_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline curl_off_t rx_curl_large_number(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

// NULL where there is none; it lasts as long as the handle.
static inline const char *rx_curl_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline CURLoption rx_curl_option_quick_exit(void) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return CURLOPT_QUICK_EXIT;
#else
  return (CURLoption)0;
#endif
}
