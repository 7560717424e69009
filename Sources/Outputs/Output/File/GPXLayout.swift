/// The fixed parts of a GPX document on disk, and where they may lie.
enum GPXLayout {
  /// The least that a disk writes as a whole.
  static let sector = 512
  /// The length of a new document: one sector, so that it is written as a whole.
  static let firstLength = sector
  static let space = UInt8(ascii: " ")
  static let start = bytes(GPXFormatter.start)
  static let seal = bytes(GPXFormatter.end) + Array("<?pad ".utf8)
  static let endMark = Array("<?pad ?>".utf8)

  /// The first place from `offset` on where a seal lies in one sector.
  static func placeOfSeal(from offset: Int) -> Int {
    let fits = offset / sector == (offset + seal.count - 1) / sector
    return fits ? offset : (offset / sector + 1) * sector
  }

  private static func bytes(_ literal: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }
}
