import Platform

/// The name and picture of the device on maps: OwnTracks' card.
public struct DeviceCard: Sendable, Hashable {
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
    var work = BlockingWork<Result<[UInt8], BrokerFailure>>()
    return try work.read("the picture \(path)", within: seconds) { () throws(BrokerFailure) in
      let bytes = try SessionFiles.read(path, "the picture ") { try $0.readToEnd(limit: pictureLimit) }
      guard bytes.starts(with: signature), bytes.count <= pictureLimit else {
        throw .file("\(path) is not a PNG picture of at most \(pictureLimit >> 10) KiB")
      }
      return bytes
    }
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
