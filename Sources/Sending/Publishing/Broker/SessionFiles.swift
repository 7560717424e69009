import Glibc
public import Platform
import SystemPackage

/// The files of a session with a broker. They must be regular files, because reading a pipe could block. They are read
/// on a separate thread, because a file system may hang.
public struct SessionFiles {
  /// The contents of the files.
  public struct Secrets: Sendable {
    /// The first line of the password file; `nil` without a file.
    public var password: [UInt8]?
    /// The encryption key of messages; `nil` for plain messages.
    public var key: PayloadKey?
  }

  private let passwordFile: String?
  private let keyFile: String?
  private let certificates: [String]
  private var work = BlockingWork<Result<Secrets, BrokerFailure>>()

  /// Names only the secret files.
  public init(passwordFile: String?, keyFile: String? = nil) {
    (self.passwordFile, self.keyFile) = (passwordFile, keyFile)
    certificates = []
  }

  package init(_ session: SessionConfiguration) {
    passwordFile = session.user == nil ? nil : session.passwordFile
    keyFile = session.encryptionKeyFile
    certificates =
      session.address.usesTLS ? [session.authorities, session.certificate, session.key].compactMap(\.self) : []
  }

  /// Reads the secrets, and checks the TLS files, which the library opens by name. Secrets are in files so that no
  /// flag, message or process list shows them.
  ///
  /// - Parameters:
  ///   - seconds: The time limit.
  ///   - stop: Interrupts waiting.
  @discardableResult
  public mutating func read(within seconds: Double, stop: Wakeup? = nil) throws(BrokerFailure) -> Secrets {
    let files = [passwordFile, keyFile].compactMap(\.self) + certificates
    guard !files.isEmpty else { return Secrets() }
    return try work.read(files.joined(separator: ", "), within: seconds, stop: stop) {
      [passwordFile, keyFile, certificates] () throws(BrokerFailure) in
      for file in certificates { try Self.read(file, "") { _ in } }
      return Secrets(password: try passwordFile.map(Self.password), key: try keyFile.map(Self.key))
    }
  }

  /// MQTT's size limit of a password in bytes.
  private static let passwordLimit = 65_535

  private static func password(_ path: String) throws(BrokerFailure) -> [UInt8] {
    let line = try firstLine(path, "the password's file ", limit: passwordLimit)
    guard line.count <= passwordLimit, !line.contains(0) else {
      throw .file(
        "the password's file \(path) has no password in its first line: it is too long or contains a zero byte")
    }
    return line
  }

  private static func key(_ path: String) throws(BrokerFailure) -> PayloadKey {
    let line = try firstLine(path, "the key's file ", limit: PayloadKey.limit, isPrivate: true)
    guard !line.contains(0), let key = PayloadKey(line) else {
      throw .file(
        "the key's file \(path) has no key in its first line: it is empty, longer than \(PayloadKey.limit) bytes, or "
          + "contains a zero byte")
    }
    return key
  }

  /// The first line of a file, read only until it is longer than `limit`.
  private static func firstLine(
    _ path: String, _ kind: String, limit: Int, isPrivate: Bool = false
  ) throws(BrokerFailure) -> [UInt8] {
    let bytes = try read(path, kind) { file in
      if isPrivate && file.isOpenToOthers {
        throw BrokerFailure.file(
          "\(kind)\(path) is open to others than its owner and its group; change its mode to 600")
      }
      var bytes = [UInt8](repeating: 0, count: limit + 1)
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
      return Array(bytes.prefix(count))
    }
    return Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
  }

  /// Opens a file without blocking, and reads it if it is a regular file.
  static func read<Contents>(
    _ path: String, _ kind: String, _ body: (FileDescriptor) throws -> Contents
  ) throws(BrokerFailure) -> Contents {
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
      return try file.closeAfter {
        guard file.isRegularFile else { throw BrokerFailure.file("\(kind)\(path) is not a regular file") }
        return try body(file)
      }
    } catch {
      throw error as? BrokerFailure ?? .file("\(kind)\(path) cannot be read: \(error as? Errno ?? .ioError)")
    }
  }
}

extension BlockingWork {
  mutating func read<Contents>(
    _ names: String, within seconds: Double, stop: Wakeup? = nil,
    _ body: @escaping @Sendable () throws(BrokerFailure) -> Contents
  ) throws(BrokerFailure) -> Contents where Value == Result<Contents, BrokerFailure> {
    let result: Value
    do {
      result = try run(within: seconds, wakeup: try stop ?? Wakeup()) { Result(catching: body) }
    } catch {
      switch error as? BlockingWorkFailure {
      case .stopped: throw .stopped
      case .timedOut: throw .file("\(names): could not be read within \(secondsText(seconds))")
      default: throw .system("cannot read \(names): \(error)")
      }
    }
    return try result.get()
  }
}
