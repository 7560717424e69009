import LocationKit

/// Joins lines that were cut where they meet the antimeridian, as RFC 7946 (3.1.9) wants them to be.
///
/// A line that ends at 180° and one that begins at -180° of the same latitude are one line, and so the other way round. The
/// two points are the cut's, and no fixes.
struct AntimeridianJoiner {
  /// The last fix, where it is on the antimeridian, and the end of its line behind it.
  private var held: [DecodedRecord] = []

  /// Takes the next record and hands on what is certain by now.
  mutating func add(_ record: DecodedRecord, _ emit: (DecodedRecord) -> Void) {
    if case .event(.gap) = record, held.count == 1 { return held.append(record) }
    if let fix = record.edge {
      let otherSide = LocationCoordinate2D(latitude: fix.latitude, longitude: -fix.longitude)
      if held.count == 2, held[0].edge == otherSide { return held = [] }
      finish(emit)
      return held.append(record)
    }
    finish(emit)
    emit(record)
  }

  /// Hands on what is held back.
  mutating func finish(_ emit: (DecodedRecord) -> Void) {
    for record in held { emit(record) }
    held.removeAll(keepingCapacity: true)
  }
}

extension DecodedRecord {
  /// Where a fix is that lies on the antimeridian.
  fileprivate var edge: LocationCoordinate2D? {
    guard case .event(.fix(let fix)) = self, abs(fix.coordinate.longitude) == 180 else { return nil }
    return fix.coordinate
  }
}
