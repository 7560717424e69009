import LocationKit
import Platform

extension Location {
  /// Removes the values that mean "unknown" in the records of other programs: numbers that are not finite; Core
  /// Location's -1 for a speed, a course, an accuracy or a count; and 360 for a course.
  package mutating func removeUnknownValues() {
    func known(_ value: Double?, _ range: Range<Double>) -> Double? { value.flatMap { range ~= $0 ? $0 : nil } }
    let (finite, positive) = (-Double.greatestFiniteMagnitude..<Double.infinity, 0..<Double.infinity)
    altitude = known(altitude, finite)
    ellipsoidalAltitude = known(ellipsoidalAltitude, finite)
    horizontalAccuracy = known(horizontalAccuracy, positive)
    verticalAccuracy = known(verticalAccuracy, positive)
    course = known(course, 0..<360)
    courseAccuracy = known(courseAccuracy, positive)
    speed = known(speed, positive)
    speedAccuracy = known(speedAccuracy, positive)
    climb = known(climb, finite)
    satellitesUsed = satellitesUsed.flatMap { $0 >= 0 ? $0 : nil }
    satellitesSeen = satellitesSeen.flatMap { $0 >= 0 ? $0 : nil }
    guard var quality else { return }
    quality.hdop = known(quality.hdop, positive)
    quality.vdop = known(quality.vdop, positive)
    quality.pdop = known(quality.pdop, positive)
    quality.tdop = known(quality.tdop, positive)
    quality.gdop = known(quality.gdop, positive)
    quality.geoidSeparation = known(quality.geoidSeparation, finite)
    quality.dgpsAge = known(quality.dgpsAge, positive)
    quality.dgpsStation = quality.dgpsStation.flatMap { $0 >= 0 ? $0 : nil }
    self.quality = quality == GNSSQuality() ? nil : quality
  }
}

extension Double {
  /// Reads a number of a record. Words for numbers that are not finite, such as `nan`, become NaN.
  package init?(recorded text: UnsafeBufferPointer<UInt8>) {
    if let number = Double(decimal: text) {
      self = number
    } else if text.isNotFinite {
      self = .nan
    } else {
      return nil
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  var isNotFinite: Bool {
    guard (3...9).contains(count) else { return false }
    let word = String(decoding: self, as: UTF8.self).lowercased()
    return ["nan", "inf", "infinity"].contains(word.first == "-" || word.first == "+" ? String(word.dropFirst()) : word)
  }
}
