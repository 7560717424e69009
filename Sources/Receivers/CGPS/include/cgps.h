/// A thin layer over libgps: one line of gpsd's protocol in, one flat report out.
///
/// libgps parses; this hides the layout of `struct gps_data_t`, which differs between API versions 11
/// (gpsd 3.22) and 16 (gpsd 3.27), so that nothing else depends on it. libgps' own reading and connecting are not used:
/// they block, spin on half a line and give up on a long one.
#ifndef CGPS_H
#define CGPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Which report a line holds.
enum cgps_class {
  CGPS_MALFORMED = -1, ///< Not a JSON object of gpsd's protocol, or libgps cannot read it.
  CGPS_OTHER = 0,      ///< A class that the reader does not use.
  CGPS_VERSION,
  CGPS_DEVICES,
  CGPS_DEVICE,
  CGPS_WATCH,
  CGPS_TPV,
  CGPS_SKY,
  CGPS_ATT,
  CGPS_ERROR,
  CGPS_PPS,
  CGPS_SKIPPED,        ///< A report that `cgps_session_skip` skips.
};

/// What a report says. An unknown double is not finite, an unknown string is empty, never NULL; strings belong to
/// the session and last until the next call of `cgps_parse`. Members outside a report's class are unknown.
struct cgps_report {
  /// The device that the report is from (TPV, SKY, ATT, PPS) or about (DEVICE).
  const char *device;
  /// VERSION: gpsd's release. ERROR: its message.
  const char *text;

  /// TPV, ATT: whether the time is known, and seconds and nanoseconds since 1970, UTC.
  bool has_time;
  int64_t seconds;
  int32_t nanoseconds;

  /// TPV: 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  int32_t mode;
  /// TPV: gpsd's `status`: 0 and 1 for a plain fix, 2 and more for a special kind, 8 for a simulation.
  int32_t status;
  double latitude, longitude;               ///< TPV: degrees.
  double altitude_msl, altitude_hae;        ///< TPV: metres.
  double eph, epx, epy, epv;                ///< TPV: metres of uncertainty.
  double track, epd;                        ///< TPV: degrees from true north, and their uncertainty.
  double speed, eps, climb;                 ///< TPV: metres per second.
  double geoid_separation;                  ///< TPV: metres.
  double dgps_age;                          ///< TPV: seconds since the differential correction; negative when unknown.
  int32_t dgps_station;                     ///< TPV: the station of the correction; negative when unknown.
  int32_t leap_seconds;                     ///< TPV: by which GPS time is ahead of UTC; 0 when unknown.
  int32_t jamming;                          ///< TPV: gpsd's `jam`, from 0 to 255; negative when unknown.
  int32_t antenna;                          ///< TPV: gpsd's `ant`: 1 good, 2 open, 3 short; else unknown.
  double heading, magnetic_heading;         ///< ATT: degrees.

  /// PPS: seconds by which this host's clock was ahead of the receiver's pulse of a second.
  double pulse_offset;
  /// PPS: the power of two of seconds to which that is known, as NTP has it; 0 when unknown.
  int32_t pulse_precision;

  /// SKY: whether the report lists satellites; `cgps_satellite_at` has them.
  bool has_satellites;
  /// SKY: the counts of satellites in view and of those used, which need no list; -1 when unknown.
  int32_t satellites_seen, satellites_used;
  double hdop, vdop, pdop, tdop, gdop;      ///< SKY: dilutions of precision.

  /// DEVICE: whether the device is open.
  bool is_active;
  /// DEVICES: how many there are; `cgps_device_path` names them.
  int32_t device_count;
};

/// The state of libgps between calls. One thread at a time.
struct cgps_session;

/// A new session, or NULL when there is no memory. Some daemons send pulses to every client once a second; unless they are
/// to be read, they are `CGPS_OTHER`.
struct cgps_session *cgps_session_create(bool reads_pulses);

/// Releases a session.
void cgps_session_destroy(struct cgps_session *session);

/// Chooses what to skip from now on: of SKY everything but the device, the dilutions and the satellites' identities and
/// use; of ATT everything. A new session skips nothing.
void cgps_session_skip(struct cgps_session *session, bool satellites, bool headings);

/// Parses one line, without its line end. `line` need not end in a zero byte. It must be one JSON object without zero bytes:
/// libgps fills in what it read of a broken object and does not say that it broke.
enum cgps_class cgps_parse(
  struct cgps_session *session, const char *line, size_t length, struct cgps_report *report);

/// The path of a device of the DEVICES report just parsed; empty when `index` is not one.
const char *cgps_device_path(const struct cgps_session *session, int32_t index);

/// A satellite of a SKY report.
struct cgps_satellite {
  int32_t prn;               ///< One number for all constellations, as NMEA 2.x to 4.0 count.
  int32_t gnss_id, sv_id;    ///< The constellation by u-blox's number and the number in it, which is 0 when unknown.
  double azimuth, elevation; ///< Degrees.
  double signal;             ///< Carrier to noise density in dB-Hz.
  bool is_used;              ///< Whether the solution uses it.
};

/// Copies a satellite of the SKY report just parsed; false for an index out of range.
bool cgps_satellite_at(const struct cgps_session *session, int32_t index, struct cgps_satellite *satellite);

#endif
