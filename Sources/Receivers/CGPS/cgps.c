#define _GNU_SOURCE // strtod_l

#include "cgps.h"

#include <gps.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// gpsd 3.27 to 3.27.2 shipped a gps.h that says 0; its API is 16.
#if GPSD_API_MAJOR_VERSION == 0
#define CGPS_API 16
#else
#define CGPS_API GPSD_API_MAJOR_VERSION
#endif

#if CGPS_API < 11
#error "libgps API 11 (gpsd 3.22) or newer is needed"
#endif

struct cgps_session {
  struct gps_data_t data;
  char *buffer;
  size_t capacity;
  locale_t numbers;
  bool skips_satellites, skips_headings;
  bool reads_pulses;
};

static const struct {
  const char *tag;
  enum cgps_class class;
} classes[] = {
  {"TPV", CGPS_TPV},         {"SKY", CGPS_SKY},       {"ATT", CGPS_ATT},     {"VERSION", CGPS_VERSION},
  {"DEVICES", CGPS_DEVICES}, {"DEVICE", CGPS_DEVICE}, {"WATCH", CGPS_WATCH}, {"ERROR", CGPS_ERROR},
  {"PPS", CGPS_PPS},
};

struct cgps_session *cgps_session_create(bool reads_pulses) {
  struct cgps_session *session = calloc(1, sizeof(*session));
  if (session == NULL) return NULL;
  session->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (session->numbers == (locale_t)0) {
    free(session);
    return NULL;
  }
  session->reads_pulses = reads_pulses;
  return session;
}

void cgps_session_destroy(struct cgps_session *session) {
  if (session == NULL) return;
  freelocale(session->numbers);
  free(session->buffer);
  free(session);
}

// Removes the space between the tokens of a JSON text, in place. libgps recognises a report only as gpsd itself writes it,
// without any; other programs that speak its protocol write `"class": "TPV"`.
static void remove_space(char *text) {
  char *end = text;
  bool in_string = false;
  for (const char *p = text; *p != 0; p++) {
    if (!in_string && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) continue;
    if (in_string && *p == '\\') *end++ = *p++;
    else if (*p == '"') in_string = !in_string;
    *end++ = *p;
  }
  *end = 0;
}

static const char class_key[] = "\"class\":";
static const size_t class_key_length = sizeof(class_key) - 1;

// gpsd writes the class first. Only the classes in use reach libgps: less of its parser sees untrusted input.
static enum cgps_class class_of(const char *line) {
  if (line[0] != '{' || strncmp(line + 1, class_key, class_key_length) != 0) return CGPS_MALFORMED;
  const char *tag = line + 1 + class_key_length;
  const size_t length = strcspn(tag + 1, "\"");
  if (tag[0] != '"' || tag[1 + length] != '"') return CGPS_MALFORMED;
  for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
    if (strlen(classes[i].tag) == length && memcmp(tag + 1, classes[i].tag, length) == 0) return classes[i].class;
  }
  return CGPS_OTHER;
}

// gps_unpack starts over at the next "class" after an object that it cannot read, and when that is inside the object
// it never returns. So a line may have only one: those of the devices in a list are blanked, others are refused.
static bool leaves_one_class(char *line, enum cgps_class class) {
  static const char device[] = "\"class\":\"DEVICE\",";
  char *next = line + 1 + class_key_length;
  while ((next = strstr(next, class_key)) != NULL) {
    if (class != CGPS_DEVICES || strncmp(next, device, sizeof(device) - 1) != 0) return false;
    memset(next, ' ', sizeof(device) - 1);
  }
  return true;
}

static bool is_time(struct timespec time) {
  return time.tv_sec > 0 && time.tv_nsec >= 0 && time.tv_nsec < 1000000000;
}

static void set_time(struct cgps_report *report, struct timespec time) {
  report->has_time = is_time(time);
  report->seconds = report->has_time ? time.tv_sec : 0;
  report->nanoseconds = report->has_time ? (int32_t)time.tv_nsec : 0;
}

// The number of a member that libgps does not read; `key` is its name with quotes and a colon. NaN without it.
static double member(const struct cgps_session *session, const char *key) {
  const char *found = strstr(session->buffer, key);
  if (found == NULL) return NAN;
  const char *text = found + strlen(key);
  char *end = NULL;
  const double value = strtod_l(text, &end, session->numbers);
  return end == text ? NAN : value;
}

static int32_t pulse_precision(const struct cgps_session *session) {
  const double value = member(session, "\"precision\":");
  return value > -64 && value < 0 ? (int32_t)value : 0;
}

static int32_t count(const struct cgps_session *session, const char *key) {
  const double value = member(session, key);
  return value >= 0 && value < 1000 ? (int32_t)value : -1;
}

static double pulse_offset(const struct timedelta_t *pulse) {
  const struct timespec *real = &pulse->real, *clock = &pulse->clock;
  if (!is_time(*real) || !is_time(*clock)) return NAN;
  return (double)(clock->tv_sec - real->tv_sec) + (double)(clock->tv_nsec - real->tv_nsec) / 1e9;
}

static void read_fix(const struct cgps_session *session, struct cgps_report *report, const struct gps_fix_t *fix) {
  set_time(report, fix->time);
  report->mode = fix->mode;
  report->status = fix->status;
  report->latitude = fix->latitude;
  report->longitude = fix->longitude;
  report->altitude_msl = fix->altMSL;
  report->altitude_hae = fix->altHAE;
  // Up to 3.19 gpsd had `alt` alone, above mean sea level. Later ones send it only beside the others.
  if (isnan(report->altitude_msl) && isnan(report->altitude_hae)) report->altitude_msl = member(session, "\"alt\":");
  report->eph = fix->eph;
  report->epx = fix->epx;
  report->epy = fix->epy;
  report->epv = fix->epv;
  report->track = fix->track;
  report->epd = fix->epd;
  report->speed = fix->speed;
  report->eps = fix->eps;
  report->climb = fix->climb;
  report->geoid_separation = fix->geoid_sep;
  report->dgps_age = fix->dgps_age;
  report->dgps_station = fix->dgps_station;
}

void cgps_session_skip(struct cgps_session *session, bool satellites, bool headings) {
  session->skips_satellites = satellites;
  session->skips_headings = headings;
}

// The functions below read JSON that has been checked, has no space and no backslash.

static const char *after_value(const char *p) {
  if (*p == '"') return strchr(p + 1, '"') + 1;
  if (*p != '{' && *p != '[') return p + strcspn(p, ",]}");
  for (int depth = 0;;) {
    if (*p == '"') {
      p = strchr(p + 1, '"') + 1;
      continue;
    }
    if (*p == '{' || *p == '[') depth++;
    if (*p == '}' || *p == ']') depth--;
    p++;
    if (depth == 0) return p;
  }
}

static bool is_key(const char *key, size_t length, const char *name) {
  return strlen(name) == length && memcmp(key, name, length) == 0;
}

static const char *read_satellite(const char *p, struct satellite_t *satellite) {
  if (p[1] == '}') return p + 2;
  while (*p != '}') {
    const char *key = p + 2;
    const size_t length = strcspn(key, "\"");
    const char *value = key + length + 2;
    if (is_key(key, length, "PRN")) satellite->PRN = (short)strtol(value, NULL, 10);
    else if (is_key(key, length, "gnssid")) satellite->gnssid = (unsigned char)strtol(value, NULL, 10);
    else if (is_key(key, length, "svid")) satellite->svid = (unsigned char)strtol(value, NULL, 10);
    else if (is_key(key, length, "used")) satellite->used = *value == 't';
    p = after_value(value);
  }
  return p + 1;
}

// Reads only a SKY report's device and satellites with their use: a fraction of what libgps does.
// Returns false for a report that needs libgps.
static bool read_sky_counts(const struct cgps_session *session, struct gps_data_t *data) {
  const char *text = session->buffer;
  if (strchr(text, '\\') != NULL) return false;
  memset(data->skyview, 0, sizeof(data->skyview));
  data->dev.path[0] = 0;
  for (const char *p = text; *p == '{' || *p == ',';) {
    const char *key = p + 2;
    const size_t length = strcspn(key, "\"");
    const char *value = key + length + 2;
    p = after_value(value);
    if (is_key(key, length, "device") && *value == '"') {
      const size_t size = (size_t)(p - value) - 2;
      if (size >= sizeof(data->dev.path)) return false;
      memcpy(data->dev.path, value + 1, size);
      data->dev.path[size] = 0;
    } else if (is_key(key, length, "satellites") && *value == '[') {
      const char *element = value + 1;
      for (int i = 0; *element == '{'; i++) {
        if (i == MAXCHANNELS) return false;
        element = read_satellite(element, &data->skyview[i]);
        if (*element == ',') element++;
      }
      if (*element != ']') return false;
    }
  }
  return true;
}

static void clear(struct cgps_report *report) {
  *report = (struct cgps_report){
    .device = "", .text = "",
    .latitude = NAN, .longitude = NAN, .altitude_msl = NAN, .altitude_hae = NAN,
    .eph = NAN, .epx = NAN, .epy = NAN, .epv = NAN, .track = NAN, .epd = NAN,
    .speed = NAN, .eps = NAN, .climb = NAN, .geoid_separation = NAN, .dgps_age = NAN, .dgps_station = -1,
    .jamming = -1, .antenna = -1, .satellites_seen = -1, .satellites_used = -1,
    .hdop = NAN, .vdop = NAN, .pdop = NAN, .tdop = NAN, .gdop = NAN, .heading = NAN, .magnetic_heading = NAN,
    .pulse_offset = NAN,
  };
}

enum cgps_class cgps_parse(
  struct cgps_session *session, const char *line, size_t length, struct cgps_report *report) {
  clear(report);
  if (session->capacity <= length) {
    char *buffer = realloc(session->buffer, length + 1);
    if (buffer == NULL) return CGPS_MALFORMED;
    session->buffer = buffer;
    session->capacity = length + 1;
  }
  memcpy(session->buffer, line, length);
  session->buffer[length] = 0;
  remove_space(session->buffer);

  const enum cgps_class class = class_of(session->buffer);
  if (class <= CGPS_OTHER) return class;
  if (class == CGPS_PPS && !session->reads_pulses) return CGPS_OTHER;
  if (!leaves_one_class(session->buffer, class)) return CGPS_MALFORMED;

  if (class == CGPS_ATT && session->skips_headings) return CGPS_SKIPPED;
  struct gps_data_t *data = &session->data;
  if (class != CGPS_SKY || !session->skips_satellites || !read_sky_counts(session, data)) {
    memset(data, 0, sizeof(*data));
    gps_unpack(session->buffer, data);
  }

  report->device = data->dev.path;
  switch (class) {
  case CGPS_VERSION:
    report->text = data->version.release;
    break;
  case CGPS_ERROR:
    report->text = data->error;
    break;
  case CGPS_DEVICES:
    report->device_count = data->devices.ndevices;
    break;
  case CGPS_DEVICE:
    report->is_active = data->dev.activated.tv_sec != 0;
    break;
  case CGPS_TPV:
    read_fix(session, report, &data->fix);
    report->leap_seconds = data->leap_seconds;
    report->jamming = count(session, "\"jam\":");
    report->antenna = count(session, "\"ant\":");
    break;
  case CGPS_PPS:
    report->pulse_offset = pulse_offset(&data->pps);
    report->pulse_precision = pulse_precision(session);
    break;
  case CGPS_SKY:
    // Newer daemons also send dilutions of precision without a list of satellites, and counts beside them.
    report->has_satellites = strstr(session->buffer, "\"satellites\":[") != NULL;
    report->satellites_seen = count(session, "\"nSat\":");
    report->satellites_used = count(session, "\"uSat\":");
    report->hdop = member(session, "\"hdop\":");
    report->vdop = member(session, "\"vdop\":");
    report->pdop = member(session, "\"pdop\":");
    report->tdop = member(session, "\"tdop\":");
    report->gdop = member(session, "\"gdop\":");
    break;
  case CGPS_ATT:
    set_time(report, data->attitude.mtime);
    report->heading = data->attitude.heading;
    // gpsd reports it since 3.25, whose libgps has the same API version as 3.24's, which cannot read it.
    report->magnetic_heading = member(session, "\"mheading\":");
    break;
  default:
    break;
  }
  return class;
}

const char *cgps_device_path(const struct cgps_session *session, int32_t index) {
  if (index < 0 || index >= MAXUSERDEVS || index >= session->data.devices.ndevices) return "";
  return session->data.devices.list[index].path;
}

bool cgps_satellite_at(const struct cgps_session *session, int32_t index, struct cgps_satellite *satellite) {
  // Newer libraries count the satellites by members that not every daemon sends; the list itself is always there.
  for (int i = 0; i < MAXCHANNELS; i++) {
    const struct satellite_t *view = &session->data.skyview[i];
    if (view->PRN <= 0 || index-- > 0) continue;
    *satellite = (struct cgps_satellite){
      .prn = view->PRN, .gnss_id = view->gnssid, .sv_id = view->svid, .azimuth = view->azimuth,
      .elevation = view->elevation, .signal = view->ss, .is_used = view->used,
    };
    return true;
  }
  return false;
}
