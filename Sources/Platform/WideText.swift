/// Text in which a character takes two bytes: what some systems write by themselves, and no reader of lines can read.
public enum WideText {
  /// The kind of UTF-16 that bytes are by their mark or their zeros, by iconv's name; `nil` for others.
  ///
  /// - Parameter head: The first bytes; four are enough.
  public static func encoding(of head: [UInt8]) -> String? {
    guard head.count >= 4 else { return nil }
    if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) { return "UTF-16" }
    if head[0] != 0, head[1] == 0, head[3] == 0 { return "UTF-16LE" }
    if head[0] == 0, head[1] != 0, head[2] == 0 { return "UTF-16BE" }
    return nil
  }
}
