/// Why a value of a flag or of the configuration file is refused.
struct SettingError: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }

  /// Refuses settings that say nothing without another one: throws for the first that is given.
  static func refuse(
    _ given: KeyValuePairs<String, Bool>, for purpose: String, without missing: String
  ) throws(SettingError) {
    guard let first = given.first(where: \.value) else { return }
    throw SettingError("\(first.key) is for \(purpose); give \(missing) as well, or leave it out")
  }
}
