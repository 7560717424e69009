import Foundation
import LocationKit

/// What a source is to deliver for TPV reports as a JSON reader of Foundation's sees them: an account of the mapping
/// that shares no code with the source.
func expectedLocations(_ reports: [[String: Any]]) -> [Location] {
  var locations: [Location] = []
  var epochs: [String: (report: [String: Any], location: Location?)] = [:]
  for report in reports {
    let device = report["device"] as? String ?? ""
    let last = epochs[device]
    let time = report["time"] as? String
    let isSameEpoch = time != nil && last?.report["time"] as? String == time
    let merged = isSameEpoch ? last?.report.merging(report) { $1 } ?? report : report
    let location = location(merged)
    epochs[device] = (merged, location)
    if let location, !(isSameEpoch && last?.location == location) { locations.append(location) }
  }
  return locations
}

private func location(_ report: [String: Any]) -> Location? {
  func number(_ key: String) -> Double? { (report[key] as? NSNumber)?.doubleValue }
  let mode = report["mode"] as? Int ?? 0
  guard let latitude = number("lat"), let longitude = number("lon"), let fixMode = FixMode(rawValue: UInt8(mode)) else {
    return nil
  }
  let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  return Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude),
    altitude: mode == 3 ? number("altMSL") : nil,
    ellipsoidalAltitude: mode == 3 ? number("altHAE") : nil,
    horizontalAccuracy: number("eph")
      ?? number("epx").flatMap { x in number("epy").map { (x * x + $0 * $0).squareRoot() } },
    verticalAccuracy: mode == 3 ? number("epv") : nil,
    course: number("track"),
    courseAccuracy: number("epd"),
    speed: number("speed"),
    speedAccuracy: number("eps"),
    climb: mode == 3 ? number("climb") : nil,
    timestamp: (report["time"] as? String).flatMap { try? Date($0, strategy: style) },
    mode: fixMode,
    quality: quality(report, number),
    sourceInformation: LocationSourceInformation(
      device: report["device"] as? String, isSimulatedBySoftware: report["status"] as? Int == 8))
}

private func quality(_ report: [String: Any], _ number: (String) -> Double?) -> GNSSQuality? {
  let quality = GNSSQuality(
    status: (report["status"] as? Int).flatMap(GNSSQuality.Status.init(gpsd:)),
    geoidSeparation: number("geoidSep"), dgpsAge: number("dgpsAge"), dgpsStation: report["dgpsSta"] as? Int)
  return quality == GNSSQuality() ? nil : quality
}

/// What a source is to deliver for a SKY report as a JSON reader of Foundation's sees it; `nil` for one without satellites.
func expectedSatellites(_ report: [String: Any]) -> [Satellite]? {
  guard let list = report["satellites"] as? [[String: Any]] else { return nil }
  var satellites: [Satellite] = []
  for entry in list {
    func number(_ key: String) -> Double? { (entry[key] as? NSNumber)?.doubleValue }
    guard let system = number("gnssid").flatMap({ Satellite.System(gnssID: Int($0)) }), let id = number("svid") else {
      continue
    }
    var satellite = Satellite(
      system: system, number: Int(id), azimuth: number("az"), elevation: number("el"),
      signal: number("ss").flatMap { $0 > 0 ? $0 : nil }, isUsed: entry["used"] as? Bool == true)
    if let known = satellites.firstIndex(where: { $0.system == system && $0.number == satellite.number }) {
      satellite.signal = [satellite.signal, satellites[known].signal].compactMap { $0 }.max()
      satellites[known].signal = satellite.signal
      satellites[known].isUsed = satellites[known].isUsed || satellite.isUsed
    } else {
      satellites.append(satellite)
    }
  }
  return satellites
}

/// So many satellites of GPS, of which the first ones are used.
func satellites(seen: Int, used: Int) -> [Satellite] {
  (0..<seen).map { Satellite(system: .gps, number: $0 + 1, isUsed: $0 < used) }
}

/// `location` without what comes from SKY.
func withoutSatellites(_ location: Location) -> Location {
  var location = location
  if var quality = location.quality {
    (quality.hdop, quality.vdop, quality.pdop, quality.tdop, quality.gdop) = (nil, nil, nil, nil, nil)
    location.quality = quality == GNSSQuality() ? nil : quality
  }
  location.satellitesSeen = nil
  location.satellitesUsed = nil
  return location
}

/// The locations without those that have no time and repeat the one before: how many of them are passed on depends on
/// how fast they come.
func withoutUntimedRepetitions(_ locations: [Location]) -> [Location] {
  locations.reduce(into: []) { if $1.timestamp != nil || $0.last != $1 { $0.append($1) } }
}
