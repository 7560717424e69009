import ArgumentParser

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
  /// A flag that may be absent.
  init<Wrapped, Failure: Error>(
    _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Wrapped
  ) where Value == Wrapped? {
    self.init(name: .customLong(name), help: ArgumentHelp(help, valueName: value), transform: parsed(parse))
  }

  /// A flag with a default.
  init<Failure: Error>(
    wrappedValue: Value, _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Value
  ) {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(name), help: ArgumentHelp(help, valueName: value),
      transform: parsed(parse))
  }

  /// A flag that may be repeated.
  init<Element, Failure: Error>(
    wrappedValue: [Element], _ name: String, _ value: String, _ help: String,
    _ parse: @escaping @Sendable (String) throws(Failure) -> Element
  ) where Value == [Element] {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(name), help: ArgumentHelp(help, valueName: value),
      transform: parsed(parse))
  }
}
