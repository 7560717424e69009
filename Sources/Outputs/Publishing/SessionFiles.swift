import Glibc
public import Platform
import SystemPackage

/// The files that a session with a broker needs. Only regular ones are taken, for a pipe would let the publisher wait; and
/// they are looked at on a thread of their own, for a file system may hang.
public struct SessionFiles {
  private let passwordFile: String?
  private let certificates: [String]
  private var errand = Errand<Result<[UInt8]?, BrokerFailure>>()

  /// The file of a password alone.
  public init(passwordFile: String) {
    self.passwordFile = passwordFile
    certificates = []
  }

  /// The files that `configuration` names.
  init(_ configuration: PublisherConfiguration) {
    passwordFile = configuration.user == nil ? nil : configuration.passwordFile
    certificates =
      configuration.address.usesTLS
      ? [configuration.authorities, configuration.certificate, configuration.key].compactMap(\.self) : []
  }

  /// Reads the password, which is in a file so that no flag, no message and no list of processes shows it, and looks whether
  /// the library may open the files of TLS, which it does by their names.
  ///
  /// - Parameter seconds: How long that may take.
  /// - Returns: The first line of the password's file; `nil` without a file.
  @discardableResult
  public mutating func read(within seconds: Double, stop: Wakeup) throws(BrokerFailure) -> [UInt8]? {
    guard passwordFile != nil || !certificates.isEmpty else { return nil }
    let names = ([passwordFile].compactMap(\.self) + certificates).joined(separator: ", ")
    let result: Result<[UInt8]?, BrokerFailure>
    do throws(ErrandFailure) {
      result = try errand.run(within: seconds, wakeup: stop) { [passwordFile, certificates] in
        Result { () throws(BrokerFailure) in
          for file in certificates { try Self.read(file, "") { _ in } }
          return try passwordFile.map { file throws(BrokerFailure) in try Self.password(file) }
        }
      }
    } catch {
      switch error {
      case .stopped: throw .stopped
      case .timedOut: throw .file("\(names): could not be read within \(secondsText(seconds))")
      case .system(let error): throw .system("cannot read \(names): \(error)")
      }
    }
    return try result.get()
  }

  /// The most bytes of a password in MQTT.
  private static let passwordLimit = 65_535

  private static func password(_ path: String) throws(BrokerFailure) -> [UInt8] {
    let bytes = try read(path, "the password's file ") { file in
      var bytes = [UInt8](repeating: 0, count: passwordLimit + 1)
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
      return Array(bytes.prefix(count))
    }
    let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    guard line.count <= passwordLimit, !line.contains(0) else {
      throw .file("the password's file \(path) has no password in its first line: it is too long or holds a zero byte")
    }
    return line
  }

  /// Opens a file without waiting, and has it read when it is a regular one.
  private static func read<Contents>(
    _ path: String, _ kind: String, _ body: (FileDescriptor) throws -> Contents
  ) throws(BrokerFailure) -> Contents {
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
      return try file.closeAfter {
        guard file.isRegularFile else { throw BrokerFailure.file("\(kind)\(path) is no regular file") }
        return try body(file)
      }
    } catch {
      throw error as? BrokerFailure ?? .file("\(kind)\(path) cannot be read: \(error as? Errno ?? .ioError)")
    }
  }
}
