import ArgumentParser
import Glibc
import LocationKit
import Logging

/// Lets the argument parser print our error's message after the flag and the refused value.
func parsed<Value, Failure: Error>(
  _ parse: @escaping @Sendable (String) throws(Failure) -> Value
) -> @Sendable (String) throws -> Value {
  { text in
    do {
      return try parse(text)
    } catch {
      throw ValidationError(String(describing: error))
    }
  }
}

/// Flags with a name, the name of their value, their help, and a parse function.
extension Option {
  init<Wrapped, Failure: Error>(
    _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Wrapped
  ) where Value == Wrapped? {
    self.init(
      name: .customLong(name), help: ArgumentHelp(help, valueName: value), completion: .named(value),
      transform: parsed(parse))
  }

  init<Failure: Error>(
    wrappedValue: Value, _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Value
  ) {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(name), help: ArgumentHelp(help, valueName: value),
      completion: .named(value), transform: parsed(parse))
  }

  init<Element, Failure: Error>(
    wrappedValue: [Element], _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Element
  ) where Value == [Element] {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(name), help: ArgumentHelp(help, valueName: value),
      completion: .named(value), transform: parsed(parse))
  }
}

extension CompletionKind {
  /// The words that a shell offers for a value with this name in the help.
  static func named(_ value: String) -> CompletionKind? {
    switch value {
    case "file", "path", "[host=]path", "url|file": .file()
    case "folder": .directory
    case "level": .list(Logger.Level.allCases.map(\.rawValue))
    default: nil
    }
  }
}

/// The reason why a value of a flag or of the configuration file is refused.
struct SettingError: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

extension CoordinateFormat: ExpressibleByArgument {}

extension MeasurementUnits: ExpressibleByArgument {
  static var ofLocale: MeasurementUnits {
    // The first of these variables that is set applies, as in the C library.
    for name in ["LC_ALL", "LC_MEASUREMENT", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return MeasurementUnits(locale: String(cString: value)) }
    }
    return .metric
  }
}
