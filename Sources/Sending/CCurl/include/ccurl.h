/// A thin layer over libcurl, which is loaded when it is first needed: it brings some twenty other libraries along, for
/// which a process that publishes to no HTTP server would pay with memory.
///
/// Functions are libcurl's of the same names, with one for each kind of argument where libcurl has "...", which Swift does
/// not call.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

/// Loads the library, once; false when it is not there or too old. Nothing else may be called before.
_Bool ccurl_load(void);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
const char *ccurl_easy_strerror(CURLcode code);
CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
/// The library copies the text, but for the one of CURLOPT_ERRORBUFFER.
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *text);
/// The list stays the caller's, and must last as long as the handle.
CURLcode ccurl_set_headers(CURL *handle, const struct curl_slist *headers);
CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *object);
long ccurl_number(CURL *handle, CURLINFO info);
curl_off_t ccurl_large_number(CURL *handle, CURLINFO info);
/// NULL where there is none; it lasts as long as the handle.
const char *ccurl_text(CURL *handle, CURLINFO info);
/// A header of the last answer; NULL where there is none. It lasts until the next request.
const char *ccurl_header(CURL *handle, const char *name);
/// Has a handle's end not wait for a lookup of a name, where the library can do that.
void ccurl_set_quick_exit(CURL *handle);

CURLM *ccurl_multi_init(void);
void ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line);
void ccurl_slist_free_all(struct curl_slist *list);

#endif
