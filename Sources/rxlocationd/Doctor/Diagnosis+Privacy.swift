import GPSD
import LocationKit

extension DoctorCommand {
  func privacyFindings(_ location: Location) throws(CommandError) -> [Diagnosis] {
    var destinations: [(name: String, rules: [PrivacyRule])] = []
    if let address = map.address { destinations.append(("map page \(address)", privacy.map)) }
    destinations += sockets.addresses.map { ("region socket \($0)", privacy.regionSocket) }
    destinations += sockets.nmea.map { ("NMEA \($0.socket == nil ? "" : "socket ")\($0)", privacy.nmea) }
    destinations += publishing.addresses.map { ("\($0)", privacy.publish) }
    var findings: [Diagnosis] = []
    for (name, rules) in destinations {
      let policy = try PrivacyPolicy(rules, fences: watch.fences)
      findings.append(Diagnosis(step: "privacy", .ok, "\(name) sees \(policy.words(for: location))"))
    }
    return findings
  }
}

extension PrivacyPolicy {
  func words(for location: Location) -> String {
    if let fence = fence(hiding: location) { return "nothing: the location is hidden (in \(fence)'s zone)" }
    let seen = visible(location)
    let accuracy = seen.horizontalAccuracy.map { " ± \(fixedPoint($0, decimals: 0)) m" } ?? ""
    let others = [("altitude", seen.altitude), ("speed", seen.speed), ("course", seen.course)]
      .compactMap { name, value in value.map { _ in name } }
    let parts = [
      fixedPoint(seen.coordinate.latitude, decimals: 5),
      fixedPoint(seen.coordinate.longitude, decimals: 5) + accuracy,
    ]
    return (parts + (hasGrid ? ["without altitude, speed and course"] : others)).joined(separator: ", ")
  }
}
