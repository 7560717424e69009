#include "json.h"

#include <ctype.h>
#include <string.h>

// libgps fills in what it read of a broken object and does not say that it broke; so its input is checked first.
// Each function takes a zero-terminated text and returns where its part ends, or NULL.

static const char *value(const char *p, int depth);

// Plain loops: the parts are a few characters long, and strspn sets up a table for each.
static const char *space(const char *p) {
  while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++;
  return p;
}

static const char *string(const char *p) {
  if (*p++ != '"') return NULL;
  for (; *p != '"'; p++) {
    if ((unsigned char)*p < 0x20) return NULL;
    if (*p != '\\') continue;
    p++;
    if (*p == 'u') {
      for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)*++p)) return NULL;
      }
    } else if (*p == 0 || strchr("\"\\/bfnrt", *p) == NULL) {
      return NULL;
    }
  }
  return p + 1;
}

static const char *digits(const char *p) {
  if (*p < '0' || *p > '9') return NULL;
  while (*p >= '0' && *p <= '9') p++;
  return p;
}

static const char *number(const char *p) {
  if (*p == '-') p++;
  if ((p = digits(p)) == NULL) return NULL;
  if (*p == '.' && (p = digits(p + 1)) == NULL) return NULL;
  if (*p != 'e' && *p != 'E') return p;
  p++;
  if (*p == '+' || *p == '-') p++;
  return digits(p);
}

// The members of an object (`}`) or the elements of an array (`]`), from behind the opening bracket.
static const char *items(const char *p, char close, int depth) {
  p = space(p);
  if (*p == close) return p + 1;
  for (;;) {
    p = space(p);
    if (close == '}') {
      if ((p = string(p)) == NULL) return NULL;
      p = space(p);
      if (*p++ != ':') return NULL;
    }
    if ((p = value(p, depth)) == NULL) return NULL;
    p = space(p);
    if (*p == close) return p + 1;
    if (*p++ != ',') return NULL;
  }
}

static const char *value(const char *p, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  p = space(p);
  if (*p == '"') return string(p);
  if (*p == '-' || (*p >= '0' && *p <= '9')) return number(p);
  if (*p == '{' || *p == '[') return depth > 0 ? items(p + 1, *p == '{' ? '}' : ']', depth - 1) : NULL;
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
  }
  return NULL;
}

bool cgps_is_json_object(const char *text, size_t length) {
  return text[0] == '{' && value(text, 8) == text + length;
}

void cgps_remove_json_space(char *text) {
  char *end = text;
  bool in_string = false;
  for (const char *p = text; *p != 0; p++) {
    if (!in_string && space(p) != p) continue;
    if (in_string && *p == '\\') *end++ = *p++;
    else if (*p == '"') in_string = !in_string;
    *end++ = *p;
  }
  *end = 0;
}
