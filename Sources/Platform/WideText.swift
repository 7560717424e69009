/// UTF-16 text, which some systems write by default and the readers of lines cannot read.
package enum WideText {
  /// The encoding, by iconv's name, that the first four bytes show; `nil` if it is not UTF-16.
  package static func encoding(of head: [UInt8]) -> String? {
    guard head.count >= 4 else { return nil }
    if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) { return "UTF-16" }
    if head[0] != 0, head[1] == 0, head[3] == 0 { return "UTF-16LE" }
    if head[0] == 0, head[1] != 0, head[2] == 0 { return "UTF-16BE" }
    return nil
  }
}
