import FoundationEssentials
public import LocationKit

/// Comma-separated values: a header, then a line for each location. Fields are quoted by RFC 4180 where they need it,
/// lines end with a newline as other tools here expect. What is unknown is empty; other records have no place.
public struct CSVFormatter: RecordFormatter {
  private var timestamps = TimestampFormatter()

  /// Creates a formatter.
  public init() {}

  /// Appends the header.
  public mutating func appendStart(to buffer: inout RecordBuffer) {
    buffer.append(
      """
      time,latitude,longitude,altitude,ellipsoidalAltitude,horizontalAccuracy,verticalAccuracy,course,courseAccuracy,\
      speed,speedAccuracy,mode,satellites,source,simulated

      """)
  }

  /// Appends a line.
  public mutating func append(_ location: Location, to buffer: inout RecordBuffer) {
    if let time = location.timestamp { timestamps.append(time, to: &buffer) }
    // Half a position is none.
    let coordinate = location.coordinate
    let isWritable =
      RecordBuffer.isWritable(coordinate.latitude, places: .angle)
      && RecordBuffer.isWritable(coordinate.longitude, places: .angle)
    buffer.append(",")
    if isWritable { buffer.append(coordinate.latitude, places: .angle) }
    buffer.append(",")
    if isWritable { buffer.append(coordinate.longitude, places: .angle) }
    append(location.altitude, to: &buffer)
    append(location.ellipsoidalAltitude, to: &buffer)
    append(location.horizontalAccuracy, to: &buffer)
    append(location.verticalAccuracy, to: &buffer)
    append(location.course, to: &buffer)
    append(location.courseAccuracy, to: &buffer)
    append(location.speed, to: &buffer)
    append(location.speedAccuracy, to: &buffer)
    buffer.append(",")
    buffer.append(byte: UInt8(ascii: "0") + location.mode.rawValue)
    buffer.append(",")
    if let satellites = location.satellitesUsed { buffer.append(satellites) }
    buffer.append(",")
    if let device = location.sourceInformation?.device { buffer.appendCSVField(device) }
    switch location.sourceInformation?.isSimulatedBySoftware {
    case true?: buffer.append(",true\n")
    case false?: buffer.append(",false\n")
    case nil: buffer.append(",\n")
    }
  }

  /// Nothing.
  public mutating func append(_ fence: FenceRecord, to buffer: inout RecordBuffer) {}

  /// Nothing.
  public mutating func append(_ error: LocationError, to buffer: inout RecordBuffer) {}

  /// Nothing.
  public mutating func append(dropped count: Int, to buffer: inout RecordBuffer) {}

  @inline(__always)
  private func append(_ value: Double?, to buffer: inout RecordBuffer) {
    buffer.append(",")
    if let value { buffer.append(value, places: .measure) }
  }
}
