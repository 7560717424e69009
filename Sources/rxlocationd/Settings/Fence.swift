import LocationKit

/// A circle whose crossing is reported: `--fence ID=LAT,LON,RADIUS`.
struct Fence: Sendable, Hashable {
  var identifier: String
  var center: LocationCoordinate2D
  /// Metres.
  var radius: LocationDistance

  /// Reads `ID=LAT,LON,RADIUS`, with degrees and metres.
  ///
  /// - Throws: A message that names the part that is wrong and what it should be.
  init(parsing text: String) throws(SettingError) {
    let example = "expected ID=LAT,LON,RADIUS such as home=37.7858,-122.4064,50"
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw SettingError("'\(text)' has no name before '='; \(example)")
    }
    let parts = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { Double($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
      throw SettingError("'\(text)' does not have three numbers after '='; \(example)")
    }
    try self.init(
      identifier: String(text[..<equals]), center: LocationCoordinate2D(latitude: latitude, longitude: longitude),
      radius: radius)
  }

  /// Creates a fence from its parts.
  ///
  /// - Throws: A message that names the part that is out of range.
  init(identifier: String, center: LocationCoordinate2D, radius: LocationDistance) throws(SettingError) {
    guard center.isValid else {
      throw SettingError(
        "fence '\(identifier)': \(center.latitude), \(center.longitude) is no position; "
          + "latitude is -90 to 90 and longitude -180 to 180 degrees")
    }
    guard radius > 0, radius.isFinite else {
      throw SettingError("fence '\(identifier)': radius \(radius) must be above 0 metres")
    }
    self.identifier = identifier
    self.center = center
    self.radius = radius
  }
}

/// Why a value of a flag or of the configuration file is refused.
struct SettingError: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
