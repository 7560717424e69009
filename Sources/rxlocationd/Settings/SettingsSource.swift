import Glibc

/// Where the settings come from: the flags, and the file that they name, which can be read again.
struct SettingsSource: Sendable {
  /// What the flags say.
  var flags: SettingsLayer
  /// The path of the configuration file.
  var file: String?

  /// Reads the file, if there is one, and puts the flags over it.
  ///
  /// - Throws: `CommandError` that names the file or the flag.
  func read() throws(CommandError) -> Settings {
    var layer = flags
    if let file {
      layer = flags.over(try ConfigurationFile(parsing: Self.text(of: file), path: file).layer)
    }
    do throws(SettingError) {
      return try Settings(layer)
    } catch {
      throw CommandError(file == nil ? .usage : .configuration, error.description)
    }
  }

  /// The most bytes that a configuration file may have.
  private static let limit = 1 << 20

  private static func text(of path: String) throws(CommandError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      bytes += block.prefix(count)
      guard bytes.count <= limit else {
        throw CommandError(.configuration, "\(path): more than \(limit) bytes; is this the configuration file?")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.configuration, "\(path): is not UTF-8 text")
    }
    return text
  }

  private static func failure(_ path: String) -> CommandError {
    CommandError(.configuration, "\(path): cannot be read: \(String(cString: strerror(errno)))")
  }
}
