// Writes drive.nmea, a simulated drive of twelve minutes, to standard output:
//
//     swiftc -O Recordings/make-drive.swift -o /tmp/make-drive && /tmp/make-drive > Recordings/drive.nmea
//
// 1 Hz, GPS, GLONASS and Galileo as a receiver of NMEA 4.11 reports them, through midnight UTC and through
// a tunnel without a fix. The same bytes at every run: nothing in it is random.

import Glibc

let epochs = 720
let startSeconds = 23 * 3600 + 54 * 60  // 2026-05-06 23:54:00 UTC
let tunnel = 400..<416
let degree = Double.pi / 180

// MARK: The drive

/// A stretch of road: how long, the speed it tends to, and how the road bends.
struct Leg {
  var seconds: Int
  var speed: Double  // m/s
  var turn: Double  // degrees per second, clockwise
}

let legs = [
  Leg(seconds: 30, speed: 0, turn: 0),
  Leg(seconds: 60, speed: 8.5, turn: 0),
  Leg(seconds: 9, speed: 5, turn: 10),
  Leg(seconds: 90, speed: 13, turn: 0),
  Leg(seconds: 60, speed: 15, turn: 0.75),
  Leg(seconds: 25, speed: 0, turn: 0),
  Leg(seconds: 120, speed: 22, turn: -0.2),
  Leg(seconds: 60, speed: 18, turn: 0.4),
  Leg(seconds: 12, speed: 6, turn: 8),
  Leg(seconds: 150, speed: 12, turn: 0.6),
  Leg(seconds: 80, speed: 9, turn: -1.1),
  Leg(seconds: 24, speed: 0, turn: 0),
]

struct State {
  var latitude = 37.785834
  var longitude = -122.406417
  var altitude = 10.1
  var course = 80.0
  var speed = 0.0
}

/// The state at each second.
func drive() -> [State] {
  var states: [State] = []
  var state = State()
  for leg in legs {
    for _ in 0..<leg.seconds where states.count < epochs {
      states.append(state)
      let change = leg.speed - state.speed
      state.speed += max(-2.5, min(1.8, change))
      if state.speed > 0.1 { state.course = (state.course + leg.turn + 360).truncatingRemainder(dividingBy: 360) }
      // WGS84 radii of curvature at this latitude.
      let sine = sin(state.latitude * degree)
      let w = 1 - 0.00669437999014 * sine * sine
      let meridian = 6_378_137 * (1 - 0.00669437999014) / (w * w.squareRoot())
      let transverse = 6_378_137 / w.squareRoot() * cos(state.latitude * degree)
      state.latitude += state.speed * cos(state.course * degree) / meridian / degree
      state.longitude += state.speed * sin(state.course * degree) / transverse / degree
      state.altitude += state.speed * 0.02 * sin(Double(states.count) / 70)
    }
  }
  return states
}

// MARK: Numbers as NMEA writes them

func padded(_ value: Int, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

func fixed(_ value: Double, _ decimals: Int, integerWidth: Int = 1) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((abs(value) * scale).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  return sign + padded(scaled / Int(scale), integerWidth) + "." + padded(scaled % Int(scale), decimals)
}

/// ddmm.mmmmm or dddmm.mmmmm and the hemisphere.
func angle(_ degrees: Double, width: Int, positive: String, negative: String) -> String {
  // In units of 0.00001 minute, so that 59.999999 does not round to 60 minutes.
  let total = Int((abs(degrees) * 60 * 100_000).rounded())
  let minutes = padded(total % 6_000_000 / 100_000, 2) + "." + padded(total % 100_000, 5)
  return padded(total / 6_000_000, width) + minutes + "," + (degrees < 0 ? negative : positive)
}

func sentence(_ body: String) -> String {
  var checksum: UInt8 = 0
  for byte in body.utf8 { checksum ^= byte }
  let hex = String(checksum, radix: 16, uppercase: true)
  return "$" + body + "*" + (hex.count < 2 ? "0" + hex : hex) + "\r\n"
}

// MARK: The sky

struct Constellation {
  var talker: String
  var systemID: Int
  var signalID: Int
  var satellites: [(id: Int, elevation: Double, azimuth: Double)]
  var used: Int
}

let sky = [
  Constellation(
    talker: "GP", systemID: 1, signalID: 1,
    satellites: [
      (5, 71, 41), (13, 58, 280), (15, 44, 145), (18, 37, 318), (20, 29, 61), (23, 21, 238), (24, 14, 101), (29, 7, 12),
    ], used: 7),
  Constellation(
    talker: "GL", systemID: 2, signalID: 1,
    satellites: [(66, 63, 15), (67, 40, 92), (76, 33, 201), (77, 25, 271), (82, 12, 333)], used: 4),
  Constellation(
    talker: "GA", systemID: 3, signalID: 7,
    satellites: [(4, 66, 170), (9, 47, 54), (11, 31, 295), (19, 22, 222), (36, 9, 130)], used: 4),
]

func gsa(_ constellation: Constellation, mode: Int, dop: String) -> String {
  var body = "GNGSA,A,\(mode)"
  for slot in 0..<12 {
    let isUsed = mode > 1 && slot < constellation.used
    body += "," + (isUsed ? padded(constellation.satellites[slot].id, 2) : "")
  }
  return sentence(body + "," + dop + ",\(constellation.systemID)")
}

func gsv(_ constellation: Constellation, second: Int, isBlocked: Bool) -> String {
  let satellites = constellation.satellites
  let count = (satellites.count + 3) / 4
  var text = ""
  for number in 0..<count {
    var body = "\(constellation.talker)GSV,\(count),\(number + 1),\(padded(satellites.count, 2))"
    for satellite in satellites[(number * 4)..<min(number * 4 + 4, satellites.count)] {
      let elevation = Int(satellite.elevation + 3 * sin(Double(second) / 600))
      let azimuth = (Int(satellite.azimuth) + second / 60) % 360
      let strength = 22 + elevation / 3 + (second * satellite.id) % 5
      body += ",\(padded(satellite.id, 2)),\(padded(elevation, 2)),\(padded(azimuth, 3)),"
      body += isBlocked ? "" : padded(strength, 2)
    }
    text += sentence(body + ",\(constellation.signalID)")
  }
  return text
}

// MARK: One epoch

func epoch(_ state: State, second: Int) -> String {
  let hasFix = !tunnel.contains(second)
  let clock = startSeconds + second
  let day = 6 + clock / 86_400
  let time =
    padded(clock % 86_400 / 3600, 2) + padded(clock % 3600 / 60, 2) + padded(clock % 60, 2) + ".00"
  let latitude = angle(state.latitude, width: 2, positive: "N", negative: "S")
  let longitude = angle(state.longitude, width: 3, positive: "E", negative: "W")
  let position = latitude + "," + longitude
  let hdop = 0.68 + 0.05 * sin(Double(second) / 90)
  let dop = hasFix ? "\(fixed(hdop * 1.9, 2)),\(fixed(hdop, 2)),\(fixed(hdop * 1.77, 2))" : "99.99,99.99,99.99"
  let isMoving = state.speed > 0.1
  let knots = fixed(state.speed / 0.514444444, 3)
  let course = isMoving ? fixed(state.course, 2) : ""

  var text = ""
  text += sentence(
    hasFix
      ? "GNRMC,\(time),A,\(position),\(knots),\(course),\(padded(day, 2))0526,,,A,V"
      : "GNRMC,\(time),V,,,,,,,\(padded(day, 2))0526,,,N,V")
  text += sentence(
    hasFix
      ? "GNVTG,\(course),T,,M,\(knots),N,\(fixed(state.speed * 3.6, 3)),K,A"
      : "GNVTG,,,,,,,,,N")
  text += sentence(
    hasFix
      ? "GNGGA,\(time),\(position),1,15,\(fixed(hdop, 2)),\(fixed(state.altitude, 1)),M,-32.5,M,,"
      : "GNGGA,\(time),,,,,0,00,99.99,,,,,,")
  for constellation in sky { text += gsa(constellation, mode: hasFix ? 3 : 1, dop: dop) }
  for constellation in sky { text += gsv(constellation, second: second, isBlocked: !hasFix) }
  text += sentence("GNZDA,\(time),\(padded(day, 2)),05,2026,00,00")
  return text
}

for (second, state) in drive().enumerated() {
  print(epoch(state, second: second), terminator: "")
}
