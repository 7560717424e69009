import Glibc
import Platform
import SystemPackage

extension ConfigurationFile {
  /// Reads a file on its own thread, because a file system may hang.
  ///
  /// - Parameters:
  ///   - again: Whether it was read before. It must then be a regular file, because a pipe's contents are gone.
  ///   - seconds: The time limit.
  /// - Throws: `CommandError` (78) that names the file.
  static func read(
    _ path: FilePath, again: Bool, within seconds: Double = 5
  ) async throws(CommandError) -> ConfigurationFile {
    let contents: Contents
    do {
      contents = try await Thread.result(within: seconds) { Self.contents(of: path, again: again) }
    } catch {
      let isSlow = error == .timedOut
      throw failure(path, isSlow ? "could not be read within \(Int(seconds)) s" : "cannot be read: \(error)")
    }
    let bytes = try contents.get()
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.contains(0) {
      throw failure(path, "is UTF-16 text, or none at all; save it as UTF-8")
    }
    // Some editors write a byte order mark before UTF-8.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard let text = String(validating: bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...], as: UTF8.self)
    else { throw failure(path, "is not UTF-8 text") }
    return try ConfigurationFile(parsing: text, path: path.description)
  }

  private typealias Contents = Result<[UInt8], CommandError>

  /// The size limit of a configuration file in bytes.
  private static let limit = 1 << 20

  private static func contents(of path: FilePath, again: Bool) -> Contents {
    do {
      // A pipe is not opened again, because that could take data meant for another process.
      var status = stat()
      if again && path.withPlatformString({ stat($0, &status) }) == 0 && status.st_mode & S_IFMT != S_IFREG {
        return .failure(failure(path, "is no regular file, so it cannot be read again"))
      }
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      let bytes = try file.closeAfter { try file.readToEnd(limit: limit) }
      guard bytes.count <= limit else {
        return .failure(failure(path, "more than \(limit) bytes; is this the configuration file?"))
      }
      return .success(bytes)
    } catch {
      return .failure(failure(path, "cannot be read: \(error)"))
    }
  }

  private static func failure(_ path: FilePath, _ message: String) -> CommandError {
    CommandError(.configuration, "\(path): \(message)")
  }
}
