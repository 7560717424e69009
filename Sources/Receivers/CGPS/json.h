#ifndef CGPS_JSON_H
#define CGPS_JSON_H

#include <stdbool.h>
#include <stddef.h>

/// Whether `text` is one JSON object and nothing else (RFC 8259, except that nesting deeper than 8 is refused and
/// bytes above 127 pass as they are). `text[length]` is zero; no other byte may be.
bool cgps_is_json_object(const char *text, size_t length);

#endif
