import LocationKit
import Platform

extension CircularRegion {
  /// Parses a fence, `ID=LAT,LON,RADIUS`, with degrees and metres.
  ///
  /// - Throws: A message that names the wrong part and the expected form.
  init(parsing text: String) throws(SettingError) {
    let example = "expected ID=LAT,LON,RADIUS such as home=37.7858,-122.4064,50"
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw SettingError("'\(text)' has no name before '='; \(example)")
    }
    let parts = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { Double(decimal: $0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
      throw SettingError("'\(text)' does not have three numbers after '='; \(example)")
    }
    self.init(
      center: LocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius,
      identifier: String(text[..<equals]))
    do {
      try check()
    } catch {
      throw SettingError(error.message)
    }
  }
}

extension [CircularRegion] {
  /// - Throws: A message that names the first fence with a duplicate name.
  func checkNames() throws(SettingError) {
    var names: Set<String> = []
    if let twice = first(where: { !names.insert($0.identifier).inserted }) {
      throw SettingError("fence '\(twice.identifier)' is given twice; give each fence a name of its own")
    }
  }
}
