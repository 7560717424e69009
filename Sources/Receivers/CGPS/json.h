#ifndef CGPS_JSON_H
#define CGPS_JSON_H

#include <stdbool.h>
#include <stddef.h>

/// Whether `text` is one JSON object and nothing else (RFC 8259, except that nesting deeper than 8 is refused and
/// bytes above 127 pass as they are). `text[length]` is zero; no other byte may be.
bool cgps_is_json_object(const char *text, size_t length);

/// Removes the space between the tokens of a JSON text, in place. libgps recognises a report only as gpsd itself writes
/// it, without any; other programs that speak its protocol write `"class": "TPV"`.
void cgps_remove_json_space(char *text);

#endif
