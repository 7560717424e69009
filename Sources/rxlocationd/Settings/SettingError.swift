/// Why a value of a flag or of the configuration file is refused.
struct SettingError: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
