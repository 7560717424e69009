import LocationKit
import Replay

/// The values of one sentence by itself. `nil` means that the sentence does not give the value.
///
/// Each kind of sentence has a method that fills an empty report from fields and depends on nothing else. A report is
/// large, so it is filled and used in place, without copies.
struct SentenceReport: ~Copyable {
  /// How the position was found, with gpsd's order and values: a better kind replaces a lesser one within an epoch.
  enum Status: UInt8, Comparable {
    case unknown, gps, differential, rtkFixed, rtkFloat, deadReckoning
    case surveyed = 7
    case simulated, precise

    static func < (a: Status, b: Status) -> Bool { a.rawValue < b.rawValue }
  }

  /// A time of day and its meaning for the epoch.
  struct Time {
    enum Role {
      /// The time of the epoch that the sentence belongs to.
      case epoch
      /// The time at which the sentence was sent, which may be that of the next epoch.
      case moment
      /// A time with a bad date, which only sets the receiver's clock.
      case clock
      /// The time of the epoch to which the errors in the sentence belong.
      case errors
    }

    /// Nanoseconds since midnight.
    var timeOfDay: Int64
    /// Days since 1970, if the sentence has a date.
    var day: Int?
    var role = Role.epoch
  }

  /// The values. A mode of `notSeen` says nothing about the fix; the time is in `time`.
  var draft = LocationDraft()
  /// Whether there is a fix, by GGA's quality or GNS's mode letters.
  var hasFix: Bool?
  var status: Status?
  var time: Time?
  /// Whether the receiver reports that it has no time, so that no time can end the epoch.
  var losesTime = false
  /// Whether the receiver reports that it does not know the date.
  var losesDate = false
  /// GGA's or GNS's count of satellites used.
  var satelliteCount: Int?
  /// Whether the receiver reports a dilution as unknown.
  var deniesDilution = false
  /// Whether the sentence names the satellites used, which replaces an earlier count.
  var namesSatellites = false
  var heading: Heading?
  /// Problems of single fields; the other fields count.
  var problems: [FieldProblem] = []
  /// Whether the decoder does not read this subtype.
  var isUnsupported = false

  // `EpochAssembler.place` sets these, because they depend on earlier sentences.

  /// Nanoseconds since midnight, for a sentence that has the time of its epoch.
  var cycleTime: Int64?
  /// Nanoseconds since 1970 of the fix; 0 when the receiver has lost its time.
  var fixTime: Int64?
}

/// A problem of one field, or of the four fields of a position.
struct FieldProblem {
  enum Content: String { case number, position, time, date }

  let content: Content
  let field: Int
  /// Whether the field is well-formed, but no such value exists.
  var isOutOfRange = false

  var kind: LineProblem.Kind { isOutOfRange ? .outOfRange : .malformed }

  var description: String {
    let isPosition = content == .position
    let place = isPosition ? "fields \(field) to \(field + 3)" : "field \(field)"
    if isOutOfRange { return "no such \(isPosition ? "latitude or longitude" : content.rawValue) in \(place)" }
    return "\(place) \(isPosition ? "are" : "is") not a \(content.rawValue)"
  }
}

// MARK: - Reading fields

extension SentenceReport {
  /// Reads a number; `nil`, and a problem, when the field has other text.
  mutating func number(_ f: NMEAFields, _ index: Int) -> Double? {
    let number = f.number(index)
    if number == nil, !f.isEmpty(index) { problems.append(FieldProblem(content: .number, field: index)) }
    return number
  }

  /// The mode of a receiver that numbers modes as gpsd does.
  static func mode(_ number: Int) -> LocationDraft.Mode { .init(rawValue: UInt8(clamping: number)) ?? .notSeen }

  mutating func knots(_ f: NMEAFields, _ index: Int) -> Double? { number(f, index).map { $0 * (1852.0 / 3600.0) } }

  mutating func kilometresPerHour(_ f: NMEAFields, _ index: Int) -> Double? { number(f, index).map { $0 * (1 / 3.6) } }

  /// Reads a dilution. Receivers send 0, or 99 and more, for an unknown one.
  mutating func dilution(_ f: NMEAFields, _ index: Int) -> Double? {
    guard let dilution = f.number(index) else { return nil }
    if dilution > 0, dilution < 99 { return dilution }
    deniesDilution = true
    return nil
  }

  /// Reads the age of the differential correction and, from the next field, its station. Without a correction receivers
  /// send station 0 and either no age or an age of 0.
  mutating func readCorrection(_ f: NMEAFields, _ index: Int) {
    guard let age = f.number(index) else { return }
    let station = f.number(index + 1).flatMap { Int(exactly: $0) }
    guard age != 0 || station != 0 else { return }
    (draft.dgpsAge, draft.dgpsStation) = (age, station)
  }

  /// Reads the position from four fields. Returns whether it is valid.
  mutating func readPosition(_ f: NMEAFields, _ index: Int) -> Bool {
    guard let position = known(f.position(index), .position, index) else { return false }
    (draft.latitude, draft.longitude) = position
    return true
  }

  mutating func readTime(_ f: NMEAFields, _ index: Int, role: Time.Role = .epoch) {
    if let timeOfDay = known(f.timeOfDay(index), .time, index) { time = Time(timeOfDay: timeOfDay, role: role) }
  }

  /// Reads a time and a date, or neither if one is missing.
  mutating func readTime(_ f: NMEAFields, _ index: Int, date: Int, role: Time.Role = .epoch) {
    guard !f.isEmpty(index), !f.isEmpty(date) else { return }
    readTime(f, index, role: role)
    guard time != nil else { return }
    if let day = known(f.shortDate(date), .date, date) { time?.day = day } else { time?.role = .clock }
  }

  /// The value of a field; `nil`, and a problem unless the field is empty, without one.
  private mutating func known<Value>(
    _ value: FieldValue<Value>, _ content: FieldProblem.Content, _ index: Int
  ) -> Value? {
    switch value {
    case .value(let value): return value
    case .missing: break
    case .malformed: problems.append(FieldProblem(content: content, field: index))
    case .outOfRange: problems.append(FieldProblem(content: content, field: index, isOutOfRange: true))
    }
    return nil
  }
}

extension SentenceReport.Status {
  private static let qualities: [Self] = [
    .unknown, .gps, .differential, .precise, .rtkFixed, .rtkFloat, .deadReckoning, .surveyed, .simulated,
  ]

  /// Creates a status from GGA's quality; `nil` for a quality that does not exist.
  init?(quality: Int) {
    guard Self.qualities.indices.contains(quality) else { return nil }
    self = Self.qualities[quality]
  }

  /// Creates a status from the FAA mode indicator of RMC, GLL, GNS and VTG.
  init(indicator: Unicode.Scalar?) {
    switch indicator {
    case nil, "C", "N", "U": self = .unknown
    case "D", "P": self = .differential
    case "E": self = .deadReckoning
    case "F": self = .rtkFloat
    case "R": self = .rtkFixed
    case "M", "S": self = .simulated
    default: self = .gps
    }
  }
}
