import Dispatch
import Glibc
import LocationKit
import Platform
import Rx
import RxBinding
import TerminalKit

struct SatellitesViewModel {
  struct Input {
    let satellites: Observable<[Satellite]>
    /// The satellites are no longer known.
    let loss: Observable<Void>
    /// The user's query, which changes with each letter.
    let query: Observable<String>
    /// Whether the strongest come first.
    let bySignal: Observable<Bool>
  }

  struct Output {
    /// The matching satellites, in an order that does not change with the signals unless the user asks for that.
    let satellites: Driver<[Satellite]>
    let remark: Driver<String?>
    let sky: Driver<[Satellite]>
    let title: Driver<String>
  }

  let scheduler: any SchedulerType

  func transform(input: Input) -> Output {
    // Shared for ever, so that a new query begins with the current satellites.
    let all = Observable.merge(input.satellites, input.loss.map { [] }).share(replay: 1, scope: .forever)
    let query = input.query
      .debounce(.milliseconds(300), scheduler: scheduler)
      .startWith("")
      .distinctUntilChanged()
      .share(replay: 1)
    let found = Observable.combineLatest(query, input.bySignal).flatMapLatest { query, bySignal in
      all.map { $0.filter { $0.matches(query) }.sorted(by: bySignal ? Self.isStronger : Self.isEarlier) }
    }
    return Output(
      satellites: found.startWith([]).distinctUntilChanged().asDriver(onErrorJustReturn: []),
      remark: Observable.combineLatest(query, all.startWith([])) { Self.remark(on: $0, $1) }
        .distinctUntilChanged()
        .asDriver(onErrorJustReturn: nil),
      sky: all.startWith([]).distinctUntilChanged().asDriver(onErrorJustReturn: []),
      title: all.startWith([]).map { satellites in
        satellites.isEmpty
          ? "Satellites" : "Satellites: \(satellites.count { $0.isUsed }) of \(satellites.count) used"
      }
      .distinctUntilChanged()
      .asDriver(onErrorJustReturn: "Satellites"))
  }

  private static func remark(on query: String, _ satellites: [Satellite]) -> String? {
    guard query.contains(where: { $0 != " " }), !satellites.contains(where: { $0.matches(query) }) else { return nil }
    return satellites.isEmpty ? "no satellites are known" : "none of \(satellites.count) matches"
  }

  private static func isEarlier(_ one: Satellite, _ other: Satellite) -> Bool {
    (one.system.gnssID, one.number) < (other.system.gnssID, other.number)
  }

  private static func isStronger(_ one: Satellite, _ other: Satellite) -> Bool {
    let (signal, otherSignal) = (one.signal ?? -1, other.signal ?? -1)
    return signal == otherSignal ? one.name < other.name : signal > otherSignal
  }
}

extension Satellite {
  /// `GPS 05`.
  var name: String { "\(system.rawValue) \(twoDigits(number))" }

  /// Whether each word of a query is the beginning of a word that describes the satellite.
  fileprivate func matches(_ query: String) -> Bool {
    let words = (name.lowercased() + (isUsed ? " used" : " unused")).split(separator: " ")
    return query.lowercased().split(separator: " ").allSatisfy { part in words.contains { $0.hasPrefix(part) } }
  }

  var details: String {
    Details.text([
      ("system", system.rawValue),
      ("number", "\(number)"),
      ("azimuth", azimuth.map { fixedPoint($0, decimals: 0) + "°" }),
      ("elevation", elevation.map { fixedPoint($0, decimals: 0) + "°" }),
      ("signal", signal.map { fixedPoint($0, decimals: 0) + " dB-Hz" }),
      ("used", isUsed ? "yes" : "no"),
    ])
  }
}

/// The sky from below: north is up, the zenith in the middle, the horizon a circle. A satellite is shown by RINEX's
/// letter for its constellation, and its number.
final class SkyView: View {
  var satellites: [Satellite] = [] {
    didSet { if satellites != oldValue { setNeedsDisplay() } }
  }

  override func draw(on canvas: Canvas) {
    let (width, height) = (canvas.size.width, canvas.size.height)
    guard width >= 11, height >= 5 else { return }
    // A row is about twice as high as a column is wide.
    let radius = min(Double(height - 1) / 2, Double(width - 4) / 4)
    let center = (x: Double(width - 1) / 2, y: Double(height - 1) / 2)
    func place(_ azimuth: Double, _ elevation: Double) -> Point {
      let distance = radius * (90 - max(0, min(elevation, 90))) / 90
      let angle = azimuth * .pi / 180
      return Point(
        x: Int((center.x + 2 * distance * sin(angle)).rounded()), y: Int((center.y - distance * cos(angle)).rounded()))
    }
    for elevation in [0.0, 45] {
      for azimuth in stride(from: 0.0, to: 360, by: 4) {
        let point = place(azimuth, elevation)
        canvas.write("·", x: point.x, y: point.y, style: .dim)
      }
    }
    for (azimuth, letter) in [(0.0, "N"), (90, "E"), (180, "S"), (270, "W")] {
      let point = place(azimuth, 0)
      canvas.write(letter, x: point.x, y: point.y, style: .bold)
    }
    // Used satellites are drawn in front of the others.
    for satellite in satellites.sorted(by: { !$0.isUsed && $1.isUsed }) {
      guard let azimuth = satellite.azimuth, let elevation = satellite.elevation, azimuth.isFinite, elevation.isFinite
      else { continue }
      let point = place(azimuth, elevation)
      let text = "\(Self.letter(of: satellite.system))\(satellite.number)"
      canvas.write(
        text, x: min(point.x, width - text.count), y: point.y,
        style: satellite.isUsed ? Style(color: .green, bold: true) : .dim)
    }
  }

  private static func letter(of system: Satellite.System) -> Character {
    switch system {
    case .gps: "G"
    case .sbas: "S"
    case .galileo: "E"
    case .beidou: "C"
    case .imes: "M"
    case .qzss: "J"
    case .glonass: "R"
    case .navic: "I"
    }
  }
}
