import Platform
import SystemPackage

/// The name and picture of the device on maps: OwnTracks' card.
public struct Card: Sendable, Hashable {
  /// The name of the person or thing.
  public var name: String?
  /// A PNG picture that replaces the tracker's two characters.
  public var picture: [UInt8]?

  /// The size limit of a picture in bytes: each map that is opened loads it.
  public static let pictureLimit = 256 << 10

  /// Creates a card.
  public init(name: String? = nil, picture: [UInt8]? = nil) {
    (self.name, self.picture) = (name, picture)
  }

  /// Reads a picture from a regular file, on its own thread because a file system may hang.
  ///
  /// - Parameter seconds: The time limit.
  public static func picture(_ path: String, within seconds: Double) throws(BrokerFailure) -> [UInt8] {
    let result: Result<[UInt8], BrokerFailure>
    do {
      var work = BlockingWork<Result<[UInt8], BrokerFailure>>()
      result = try work.run(within: seconds, wakeup: try Wakeup()) {
        Result { () throws(BrokerFailure) in try read(path) }
      }
    } catch {
      throw .file("the picture \(path) could not be read within \(secondsText(seconds))")
    }
    return try result.get()
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func read(_ path: String) throws(BrokerFailure) -> [UInt8] {
    let bytes = try SessionFiles.read(path, "the picture ") { try $0.readToEnd(limit: pictureLimit) }
    guard bytes.starts(with: signature), bytes.count <= pictureLimit else {
      throw .file("\(path) is no PNG picture of at most \(pictureLimit >> 10) KiB")
    }
    return bytes
  }
}
