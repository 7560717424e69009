/// The reason why a value of a flag or of the configuration file is refused.
struct SettingError: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws for the first given setting that has no effect without another one.
  static func refuse(
    _ given: KeyValuePairs<String, Bool>, for purpose: String, without missing: String
  ) throws(SettingError) {
    guard let first = given.first(where: \.value) else { return }
    throw SettingError("\(first.key) is for \(purpose); give \(missing) as well, or leave it out")
  }
}
