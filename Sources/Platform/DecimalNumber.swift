extension Double {
  /// Reads a number as a person writes it, such as `-12.5` or `1e3`; `nil` for anything else, hexadecimal digits, `inf`
  /// and `nan` among it, which `Double.init` takes.
  public init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || Self.marks.contains($0) }), let value = Double(text),
      value.isFinite
    else { return nil }
    self = value
  }

  private static let marks = Array("+-.eE".utf8)
}
