/// The lines of a region log, as `NDJSONFormatter` writes them. In the patterns `*` stands for a number or a time.
enum RegionLine {
  private static let place = #""center":{"latitude":*,"longitude":*},"span":{"latitudeDelta":*,"longitudeDelta":*}}"#
  private static let patterns = [
    #"{"type":"region","time":"*","# + place,
    #"{"type":"region","# + place,
    #"{"type":"region","time":"*"}"#,
    #"{"type":"region"}"#,
    #"{"type":"dropped","count":*}"#,
  ].map { Array($0.utf8) }

  /// Whether `line` is a whole record, with or without its line feed.
  static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    patterns.contains { length(of: $0, matching: line) == $0.count }
  }

  /// Whether `line` is a record or the beginning of one.
  static func isBeginning(_ line: ArraySlice<UInt8>) -> Bool {
    patterns.contains { length(of: $0, matching: line) != nil }
  }

  /// How much of `pattern` the line covers; `nil` when the line has something else.
  private static func length(of pattern: [UInt8], matching line: ArraySlice<UInt8>) -> Int? {
    var rest = line.last == newline ? line.dropLast() : line
    for (index, byte) in pattern.enumerated() {
      guard let first = rest.first else { return line.last == newline ? nil : index }
      if byte == UInt8(ascii: "*") {
        let value = rest.prefix { Array("0123456789.-:TZ".utf8).contains($0) }
        guard !value.isEmpty else { return nil }
        rest = rest.dropFirst(value.count)
      } else {
        guard first == byte else { return nil }
        rest = rest.dropFirst()
      }
    }
    return rest.isEmpty ? pattern.count : nil
  }
}
