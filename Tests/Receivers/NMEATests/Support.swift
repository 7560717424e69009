import Foundation
import LocationKit
import NMEA
import Replay

/// A sentence with its checksum and line end.
func line(_ body: String, end: String = "\r\n") -> String {
  let sum = body.utf8.reduce(UInt8(0), ^)
  return "$\(body)*" + String(format: "%02X", Int(sum)) + end
}

func lines(_ bodies: String...) -> String { bodies.map { line($0) }.joined() }

/// An RMC with a fix in Munich, so many minutes north of 48°.
func rmc(_ time: String, _ minutes: String = "07.038", date: String = "230324") -> String {
  line("GPRMC,\(time),A,48\(minutes),N,01131.324,E,022.4,084.4,\(date),,")
}

/// A GGA of the same place.
func gga(_ time: String, _ minutes: String = "07.038") -> String {
  line("GPGGA,\(time),48\(minutes),N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,")
}

struct Decoded {
  var events: [LocationSourceEvent] = []
  var statistics = NMEAStatistics()
  var problems: [LineProblem] = []
  var satellites: [Satellite] = []

  var locations: [Location] {
    events.compactMap { if case .location(let location) = $0 { location } else { nil } }
  }

  var headings: [Heading] {
    events.compactMap { if case .heading(let heading) = $0 { heading } else { nil } }
  }

  var noFixCount: Int { events.count { $0 == .noFix } }

  /// The times of the locations, up to their seconds if those are whole.
  var times: [String?] { locations.map { iso($0.timestamp)?.replacing(".000Z", with: "") } }
}

/// Decodes bytes in pieces of the given sizes, over and over.
func decode(_ bytes: [UInt8], pieces: [Int] = [Int.max], strict: Bool = false) -> Decoded {
  var decoded = Decoded()
  var decoder = NMEADecoder(isStrict: strict)
  var start = 0
  var index = 0
  while start < bytes.count {
    let size = min(max(1, pieces[index % pieces.count]), bytes.count - start)
    decoder.decode(bytes[start..<start + size]) { decoded.events.append($0) }
    start += size
    index += 1
  }
  decoder.finish { decoded.events.append($0) }
  decoded.statistics = decoder.statistics
  decoded.problems = decoder.problems
  decoded.satellites = decoder.satellites
  return decoded
}

func decode(_ text: String, strict: Bool = false) -> Decoded { decode(Array(text.utf8), strict: strict) }

/// How many locations have come out after each of these texts.
func locationCounts(after texts: [String]) -> [Int] {
  var decoder = NMEADecoder()
  var count = 0
  return texts.map { text in
    decoder.decode(text.utf8) { if case .location = $0 { count += 1 } }
    return count
  }
}

/// One location of one epoch, whose sentences follow an RMC with a date unless they have one.
func location(_ bodies: String..., dated: Bool = true) -> Location? {
  let date = dated ? line("GPZDA,123519,01,06,2024,00,00") : ""
  return decode(date + bodies.map { line($0) }.joined()).locations.last
}

func iso(_ date: Date?) -> String? {
  date.map { $0.addingTimeInterval(0.0005).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

/// A drive of many cycles with every constellation, made here.
func syntheticDrive(cycles: Int, startingAt start: Int = 45_296) -> [UInt8] {
  var text = ""
  for cycle in 0..<cycles {
    let second = (start + cycle) % 86_400
    let day = 14 + (start + cycle) / 86_400
    let time = String(format: "%02d%02d%02d.00", second / 3600, second / 60 % 60, second % 60)
    let north = String(format: "4807.%05d,N,01131.%05d,E", 3800 + cycle * 7 % 90_000, 32_400 + cycle * 11 % 60_000)
    let date = String(format: "%02d0324", day)
    text += lines(
      "GNRMC,\(time),A,\(north),\(cycle % 70).250,\(cycle % 360).5,\(date),,,A,V",
      "GNVTG,\(cycle % 360).5,T,,M,\(cycle % 70).250,N,\(cycle % 130).0,K,A",
      "GNGGA,\(time),\(north),1,12,0.8,\(545 + cycle % 9).4,M,46.9,M,,",
      "GNGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0,1",
      "GNGSA,A,3,66,67,76,,,,,,,,,,1.3,0.8,1.0,2",
      "GPGSV,2,1,05,05,71,041,45,13,58,280,41,15,44,145,36,18,37,318,34,1",
      "GPGSV,2,2,05,20,29,061,3\(cycle % 10),1",
      "GLGSV,1,1,03,66,63,015,43,67,40,092,35,76,33,201,33,1",
      "GNGLL,\(north),\(time),A,A",
      "GNZDA,\(time),\(day),03,2024,00,00")
  }
  return Array(text.utf8)
}
