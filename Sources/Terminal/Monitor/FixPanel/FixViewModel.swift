import Dispatch
import FoundationEssentials
import Glibc
import LocationKit
import Platform
import Rx
import RxBinding
import RxTerminal
import TerminalKit

/// The rows of the fix, from top to bottom; a small terminal leaves out the last ones.
enum FixRow: String, CaseIterable {
  case fix, since, age, latitude, longitude, speed, course, accuracy, altitude, time, climb
  case dilution
  /// The age of the differential correction and the number of its station.
  case correction
  /// The Maidenhead locator.
  case grid

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

struct FixViewModel {
  struct Input {
    let location: Observable<Location>
    let fixState: Observable<FixState>
    /// The recording has ended: the panel keeps its last values.
    let end: Observable<Void>
  }

  struct Output {
    let readings: [FixRow: Driver<Reading>]
    /// The last fix, for the dialog with all its members.
    let location: Driver<Location?>
  }

  /// The known values of the fix at a moment.
  enum State: Sendable, Equatable {
    case none
    case current(Location)
    case lost(FixLoss)

    var location: Location? {
      switch self {
      case .none: nil
      case .current(let location): location
      case .lost(let loss): loss.location
      }
    }
  }

  /// Seconds after which a fix counts as lost.
  let staleAfter: Double
  let units: MeasurementUnits
  let scheduler: any SchedulerType

  func transform(input: Input) -> Output {
    let state = Observable.merge(input.location.map(State.current), input.fixState.compactMap(\.loss).map(State.lost))
      .startWith(.none)
      .share(replay: 1)

    let units = units
    func reading(_ make: @escaping @Sendable (Location) -> Reading?) -> Driver<Reading> {
      state.map { state in
        var reading = state.location.flatMap(make) ?? .unknown
        if case .lost = state { reading.style = .dim }
        return reading
      }
      .distinctUntilChanged()
      .asDriver(onErrorDriveWith: .empty())
    }

    return Output(
      readings: [
        .fix: state.map(Self.fix).distinctUntilChanged().asDriver(onErrorDriveWith: .empty()),
        .since: Self.since(state).distinctUntilChanged().asDriver(onErrorDriveWith: .empty()),
        .age: age(of: state, until: input.end),
        .latitude: reading { Reading(text: "\(fixedPoint($0.coordinate.latitude, decimals: 6))°", style: .bold) },
        .longitude: reading { Reading(text: "\(fixedPoint($0.coordinate.longitude, decimals: 6))°", style: .bold) },
        .altitude: reading { Self.altitude($0, in: units).map { Reading(text: $0) } },
        .speed: reading { $0.speed.map { Reading(text: units.words(speed: $0), gauge: .share($0 / Self.fastest)) } },
        .course: reading {
          $0.course.map {
            Reading(text: "\(fixedPoint($0, decimals: 1))° \(Self.compassPoint($0))", gauge: .compass($0))
          }
        },
        .accuracy: reading { $0.horizontalAccuracy.map { Self.accuracy($0, in: units.height) } },
        .time: reading { $0.timestamp.map { Reading(text: UTCText.dateAndTime($0)) } },
        .climb: reading { $0.climb.map { Reading(text: Self.climb($0, in: units.height)) } },
        .dilution: reading { $0.quality.flatMap(Self.dilution).map { Reading(text: $0) } },
        .correction: reading { $0.quality.flatMap(Self.correction).map { Reading(text: $0) } },
        .grid: reading { Reading(text: $0.coordinate.gridLocator) },
      ],
      location: state.map(\.location).asDriver(onErrorDriveWith: .empty()))
  }

  /// Metres per second: the speed at which the bar is full.
  static let fastest = 40.0

  /// When the fix was found, and how long it has lasted, by the receiver's time.
  private static func since(_ state: Observable<State>) -> Observable<Reading> {
    state.scan((first: Date?.none, last: Date?.none)) { known, state in
      guard case .current(let location) = state else { return (nil, nil) }
      return (known.first ?? location.timestamp, location.timestamp ?? known.last)
    }
    .map { first, last in
      guard let first, let last else { return .unknown }
      return Reading(text: "\(UTCText.time(first)), \(durationText(max(0, last.timeIntervalSince(first))))")
    }
  }

  /// Seconds since the fix. No timer runs without a fix, so a monitor without data sleeps.
  private func age(of state: Observable<State>, until end: Observable<Void>) -> Driver<Reading> {
    let (scheduler, staleAfter) = (scheduler, staleAfter)
    let ages = state.flatMapLatest { state -> Observable<Int?> in
      guard case .current = state else { return .just(nil) }
      return Observable<Int>.interval(.seconds(1), scheduler: scheduler)
        .map { $0 + 1 }
        .take(while: { Double($0) <= staleAfter })
        .startWith(0)
        .map { $0 }
    }
    return ages.take(until: end).concat(Observable.just(nil))
      .distinctUntilChanged()
      .map { age in age.map { Reading(text: "\($0) s", gauge: .share(Double($0) / max(1, staleAfter))) } ?? .unknown }
      .asDriver(onErrorDriveWith: .empty())
  }

  private static func fix(_ state: State) -> Reading {
    switch state {
    case .none: return Reading(text: "no fix yet", style: .color(.yellow))
    case .lost(let loss):
      let since = loss.location?.timestamp.map { " since \(UTCText.time($0))" } ?? ""
      let text =
        switch loss.reason {
        case .receiver: "no fix"
        case .silence: "silent"
        // The source may never have been there.
        case .source: loss.location == nil ? "no fix yet" : "lost"
        }
      return Reading(text: text + since, style: .color(.red))
    case .current(let location):
      let status = location.quality?.status.map { ", \(shortWords($0))" } ?? ""
      let satellites = satellites(location).map { ", \($0)" } ?? ""
      let isDoubtful = location.doubts != nil
      return Reading(
        text: location.mode.words + (isDoubtful ? " in doubt" : "") + status + satellites,
        style: .color(isDoubtful ? .yellow : .green))
    }
  }

  /// A status in words that are short enough for 80 columns.
  private static func shortWords(_ status: GNSSQuality.Status) -> String {
    switch status {
    case .deadReckoning: "DR"
    case .combinedDeadReckoning: "GNSS+DR"
    default: status.words
    }
  }

  /// The satellites used and seen: "9/12 sats".
  private static func satellites(_ location: Location) -> String? {
    guard let used = location.satellitesUsed else { return nil }
    return location.satellitesSeen.map { "\(used)/\($0) sats" } ?? counted(used, "sat")
  }

  private static func altitude(_ location: Location, in units: MeasurementUnits) -> String? {
    guard let altitude = location.altitude else { return nil }
    let ellipsoidal = location.ellipsoidalAltitude.map { ", HAE \(text($0, in: units.height))" } ?? ""
    return text(altitude, in: units.height) + ellipsoidal
  }

  private static func text(_ metres: Double, in unit: (name: String, factor: Double)) -> String {
    "\(fixedPoint(metres * unit.factor, decimals: 1)) \(unit.name)"
  }

  /// The bar is full at a metre and empty at a hundred, on a logarithmic scale. RTK has centimetres.
  private static func accuracy(_ metres: Double, in unit: (name: String, factor: Double)) -> Reading {
    let text = metres < 1 ? "\(fixedPoint(metres * unit.factor, decimals: 3)) \(unit.name)" : text(metres, in: unit)
    return Reading(text: text, gauge: .share(1 - min(2, log10(max(1, metres))) / 2))
  }

  private static func climb(_ metresPerSecond: Double, in unit: (name: String, factor: Double)) -> String {
    let text = fixedPoint(metresPerSecond * unit.factor, decimals: 1)
    return (text == "0.0" || text.hasPrefix("-") ? "" : "+") + "\(text) \(unit.name)/s"
  }

  private static func dilution(_ quality: GNSSQuality) -> String? {
    let factors = [
      ("H", quality.hdop), ("V", quality.vdop), ("P", quality.pdop), ("T", quality.tdop), ("G", quality.gdop),
    ]
    let known = factors.compactMap { name, value in
      value.map { "\(name) \(fixedPoint($0, decimals: 2))" }
    }
    return known.isEmpty ? nil : known.joined(separator: "  ")
  }

  private static func correction(_ quality: GNSSQuality) -> String? {
    let age = quality.dgpsAge.map { fixedPoint($0, decimals: 1) + " s old" }
    let known = [age, quality.dgpsStation.map { "station \($0)" }].compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: ", ")
  }

  static func compassPoint(_ degrees: Double) -> String {
    guard degrees.isFinite else { return "" }
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    return ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][Int(((turn + 360) / 45).rounded()) % 8]
  }
}

/// The contents of one row of the fix: a text, and a gauge if the value has a scale.
struct Reading: Sendable, Equatable {
  enum Gauge: Sendable, Equatable {
    /// A partly filled bar.
    case share(Double)
    /// A section of a compass, centred on these degrees.
    case compass(Double)
  }

  var text: String?
  var gauge: Gauge?
  var style = Style.plain

  static let unknown = Reading(text: "–", style: .dim)
}

final class ReadingRow: View {
  private static let nameWidth = 10
  private static let valueWidth = 15

  private let name: Label
  let value = Label()
  private let bar = ProgressBar()
  private let compass = Label(style: .dim)
  private let needle = Label(style: .bold)
  var gauge: Reading.Gauge? { didSet { setNeedsDisplay() } }

  init(_ name: String) {
    self.name = Label(text: name, style: .dim)
    super.init()
    for view in [self.name, value, bar, compass, needle] { addSubview(view) }
  }

  override func sizeThatFits(width: Int) -> Size { Size(width: width, height: 1) }

  override func layoutSubviews() {
    name.frame = Rect(x: 0, y: 0, width: Self.nameWidth - 1, height: 1)
    let start = Self.nameWidth + Self.valueWidth + 1
    // A text without a gauge uses the whole width.
    let width = gauge == nil ? frame.width - Self.nameWidth : Self.valueWidth
    value.frame = Rect(x: Self.nameWidth, y: 0, width: width, height: 1)
    let room = Rect(x: start, y: 0, width: max(0, frame.width - start), height: 1)
    (bar.frame, compass.frame) = (room, room)
    needle.frame = Rect(x: start + room.width / 2, y: 0, width: min(1, room.width), height: 1)
    (bar.value, compass.text, needle.text) = (nil, nil, nil)
    switch gauge {
    case .share(let share): bar.value = share
    case .compass(let course):
      compass.text = Self.compass(course, width: room.width)
      let middle = Self.compass(course, width: 1)
      needle.text = middle == "·" || middle == "+" ? "|" : middle
    case nil: break
    }
  }

  /// The horizon from left to right with the course in the middle; a character is fifteen degrees.
  static func compass(_ course: Double, width: Int) -> String {
    guard width > 0, course.isFinite else { return "" }
    let middle = width / 2
    return String(
      (0..<width).map { column -> Character in
        let degrees = course + 15 * Double(column - middle)
        let step = (Int((degrees / 15).rounded()) % 24 + 24) % 24
        return step % 6 == 0 ? ["N", "E", "S", "W"][step / 6] : step % 3 == 0 ? "+" : "·"
      })
  }
}

@MainActor
extension Reactive where Base: ReadingRow {
  var reading: Binder<Reading> {
    Binder(base) { row, reading in
      row.value.text = reading.text
      row.value.style = reading.style
      row.gauge = reading.gauge
    }
  }
}
