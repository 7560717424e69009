/// Whatever produces fixes: gpsd, a recording, a test.
///
/// A source runs while it has receivers: the first `attach` starts it, the last `detach` stops it. It
/// reads on a thread of its own and delivers on the main actor, serially, in order. `LocationSourceHub`
/// does the book-keeping for an implementation.
@MainActor
public protocol LocationSource: AnyObject, Sendable {
  /// What time it is for this source. The manager's timers (staleness, dwell) run on it, so that a
  /// recording at any speed gives the same answers. Always the same object.
  var clock: any LocationClock { get }

  /// Whether this process may use the source.
  var authorizationStatus: AuthorizationStatus { get }

  /// What the source is doing.
  var status: LocationSourceStatus { get }

  /// How many lines were passed over so far, by kind; empty for a source that reads no lines. From any thread, at any
  /// time.
  nonisolated var skippedLines: [String: Int] { get }

  /// Adds a receiver; the first one starts the source. Adding one again makes the source look again at what it wants.
  func attach(_ receiver: any LocationSourceReceiver)

  /// Removes a receiver; the last one stops the source. Nothing is delivered to it afterwards.
  func detach(_ receiver: any LocationSourceReceiver)
}

extension LocationSource {
  /// A source that reads no lines.
  public nonisolated var skippedLines: [String: Int] { [:] }
}

/// Who a source delivers to; a `LocationManager`, as a rule. Sources hold it weakly.
@MainActor
public protocol LocationSourceReceiver: AnyObject {
  /// Takes one event, in the order in which the source had them.
  func receive(_ event: LocationSourceEvent)

  /// What this receiver wants, as of its last `attach`: a source may spare itself the rest. Everything unless an
  /// implementation says otherwise.
  var interests: LocationSourceInterests { get }

  /// Seconds of silence after which a location counts as unknown here. A source with several receivers under it turns
  /// to another one in time. 10 s unless an implementation says otherwise.
  var staleAfter: Double { get }

  /// Metres: a location whose horizontal accuracy is worse or unknown counts as none here; `nil` takes all. A source with
  /// several receivers under it follows one whose locations count. `nil` unless an implementation says otherwise.
  var accuracyFilter: LocationAccuracy? { get }
}

extension LocationSourceReceiver {
  /// Everything.
  public var interests: LocationSourceInterests { .all }

  /// 10 s.
  public var staleAfter: Double { 10 }

  /// `nil`: all locations count.
  public var accuracyFilter: LocationAccuracy? { nil }
}

/// What a receiver wants of a source, besides the source's state and its failures, which every receiver hears.
public struct LocationSourceInterests: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8

  /// Creates interests from their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Fixes, and that there is none.
  public static let locations = Self(rawValue: 1 << 0)
  /// Compass and attitude reports.
  public static let headings = Self(rawValue: 1 << 1)
  /// The satellites in view. How many of them a fix uses is part of the fix.
  public static let satellites = Self(rawValue: 1 << 2)
  /// Everything.
  public static let all: Self = [.locations, .headings, .satellites]

  /// Whether an event belongs to these interests.
  func include(_ event: LocationSourceEvent) -> Bool {
    switch event {
    case .location, .noFix: contains(.locations)
    case .heading: contains(.headings)
    case .satellites: contains(.satellites)
    case .status, .failed, .finished: true
    }
  }
}

/// What a source tells its receivers.
public enum LocationSourceEvent: Sendable, Hashable {
  /// A fix: all reports of one epoch, merged.
  case location(Location)
  /// The receiver is alive and says that it has no fix.
  case noFix
  /// A compass or attitude report.
  case heading(Heading)
  /// The satellites in view, each once, whether or not there is a fix.
  case satellites([Satellite])
  /// The source changed state.
  case status(LocationSourceStatus)
  /// The source failed in a way that a user should hear of; it goes on by itself where it can.
  case failed(LocationError)
  /// A recording has ended; nothing follows.
  case finished
}

/// What a source of locations is doing.
public enum LocationSourceStatus: Sendable, Hashable {
  /// Not started, or stopped.
  case idle
  /// Opening the source.
  case connecting
  /// Open; fixes may follow. `devices` are the receivers that it reports, if it reports them.
  case connected(devices: [String])
  /// Not reachable; the next try follows in that many seconds.
  case waiting(reason: String, retryIn: Double)
  /// At its end, for a recording.
  case finished
}
