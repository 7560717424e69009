/// A producer of fixes, such as gpsd, a recording or a test.
///
/// A source runs while it has receivers: the first `attach` starts it, and the last `detach` stops it. It reads on a
/// thread of its own and delivers its events in order on the main actor. `LocationSourceHub` keeps the receivers for an
/// implementation.
@MainActor
public protocol LocationSource: AnyObject, Sendable {
  /// The source's clock; always the same object. The manager's timers for staleness and dwell use it, so that a
  /// recording gives the same results at any speed.
  var clock: any LocationClock { get }

  /// Whether this process may use the source.
  var authorizationStatus: AuthorizationStatus { get }

  /// The status of the source.
  var status: LocationSourceStatus { get }

  /// The numbers of skipped lines, by kind; empty for a source that reads no lines. Any thread, at any time.
  nonisolated var skippedLines: [String: Int] { get }

  /// Adds a receiver. The first receiver starts the source. Adding one again makes the source read its interests again.
  func attach(_ receiver: any LocationSourceReceiver)

  /// Removes a receiver, which gets no further events. Removing the last receiver stops the source.
  func detach(_ receiver: any LocationSourceReceiver)
}

extension LocationSource {
  /// Empty, for a source that reads no lines.
  public nonisolated var skippedLines: [String: Int] { [:] }
}

/// A receiver of a source's events, usually a `LocationManager`. Sources hold it weakly.
@MainActor
public protocol LocationSourceReceiver: AnyObject {
  /// Takes one event. Events arrive in the source's order.
  func receive(_ event: LocationSourceEvent)

  /// The events that this receiver wants, as of its last `attach`; the source may omit the others. All by default.
  var interests: LocationSourceInterests { get }

  /// The seconds of silence after which this receiver counts a location as unknown. A source with several GPS receivers
  /// switches to another one in time. 10 s by default.
  var staleAfter: Double { get }

  /// The limit of the horizontal accuracy in metres. This receiver ignores locations whose accuracy is worse or
  /// unknown; `nil` accepts all. A source with several GPS receivers follows one whose locations count. `nil` by
  /// default.
  var accuracyFilter: LocationAccuracy? { get }
}

extension LocationSourceReceiver {
  /// All events.
  public var interests: LocationSourceInterests { .all }

  /// 10 s.
  public var staleAfter: Double { 10 }

  /// `nil`: all locations count.
  public var accuracyFilter: LocationAccuracy? { nil }
}

/// The events that a receiver wants from a source. All receivers get the source's status and failures.
public struct LocationSourceInterests: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8

  /// Creates interests from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  // Location sockets count their messages by the two lowest bits, so those are what a reader may ask for.

  /// The satellites in view. The number of satellites used is part of a fix.
  public static let satellites = Self(rawValue: 1 << 0)
  /// Compass and attitude reports.
  public static let headings = Self(rawValue: 1 << 1)
  /// Fixes, and reports without a fix.
  public static let locations = Self(rawValue: 1 << 2)
  /// All events.
  public static let all: Self = [.locations, .headings, .satellites]

  func include(_ event: LocationSourceEvent) -> Bool {
    switch event {
    case .location, .noFix: contains(.locations)
    case .heading: contains(.headings)
    case .satellites: contains(.satellites)
    case .status, .failed, .finished: true
    }
  }
}

/// An event of a source.
public enum LocationSourceEvent: Sendable, Hashable {
  /// A fix: all reports of one epoch, merged.
  case location(Location)
  /// The receiver reports that it has no fix.
  case noFix
  /// A compass or attitude report.
  case heading(Heading)
  /// The satellites in view, each once, with or without a fix.
  case satellites([Satellite])
  /// The source's status has changed.
  case status(LocationSourceStatus)
  /// The source failed in a way that the user should know. It continues by itself if it can.
  case failed(LocationError)
  /// The recording has ended. No event follows.
  case finished
}

/// The status of a source of locations.
public enum LocationSourceStatus: Sendable, Hashable {
  /// Not started, or stopped.
  case idle
  /// Opening the source.
  case connecting
  /// The source is open and fixes may follow. `devices` are the GPS receivers that it reports, if it does.
  case connected(devices: [String])
  /// The source cannot be reached. The next try follows in `retryIn` seconds.
  case waiting(reason: String, retryIn: Double)
  /// The recording has ended.
  case finished
}
