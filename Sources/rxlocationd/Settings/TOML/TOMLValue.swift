/// A value of a TOML 1.0 document, of the types that a configuration file of ours can hold.
enum TOMLValue: Equatable {
  case string(String)
  case integer(Int)
  case float(Double)
  case boolean(Bool)
  case array([TOMLValue])

  /// What a person would call the type.
  var typeName: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a number"
    case .boolean: "a boolean"
    case .array: "an array"
    }
  }
}
