import SystemPackage

/// A password in a file, so that no flag, no message and no list of processes shows it.
enum Password {
  /// The first line of a file; `nil` without a file.
  static func read(_ path: String?) throws(BrokerFailure) -> String? {
    guard let path else { return nil }
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      return try file.closeAfter {
        // MQTT has no longer ones.
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
      }
    } catch {
      throw .file("the password's file \(path) cannot be read: \((error as? Errno) ?? .ioError)")
    }
  }
}
