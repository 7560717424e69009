public import LocationKit
public import Rx
public import RxBinding

/// A trip computer: the speed and the distance since the last reset, and news of fences.
public struct TripViewModel: Sendable {
  /// What happens to the trip computer.
  public struct Input: Sendable {
    let locations: Observable<Location>
    let crossings: Observable<RegionCrossing>
    let reset: Signal<Void>

    /// Creates an input. `reset` begins a new trip.
    public init(locations: Observable<Location>, crossings: Observable<RegionCrossing>, reset: Signal<Void>) {
      self.locations = locations
      self.crossings = crossings
      self.reset = reset
    }
  }

  /// What it shows.
  public struct Output: Sendable {
    /// State, of which a late subscriber gets the newest value.
    public let speed: Driver<String>
    /// State, too.
    public let distance: Driver<String>
    /// Events, which are shown once.
    public let news: Signal<String>
  }

  private let scheduler: any SchedulerType

  /// Creates a trip computer. `scheduler` has the time of the locations: `locationManager.rx.clock`.
  public init(scheduler: any SchedulerType) {
    self.scheduler = scheduler
  }

  /// Binds the computer.
  public func transform(_ input: Input) -> Output {
    let changes = Observable.merge(
      input.locations.map { Change.moved($0) }, input.reset.asObservable().map { Change.reset })
    let trip = Self.trips(changes)
      // Figures that change more often cannot be read.
      .throttle(.seconds(5), scheduler: scheduler)
      .asDriver(onErrorJustReturn: Trip())
    return Output(
      speed: trip.map { trip in trip.speed.map { "\(Int(($0 * 3.6).rounded())) km/h" } ?? "–" }.distinctUntilChanged(),
      distance: trip.map { "\(Int($0.metres.rounded())) m" }.distinctUntilChanged(),
      news: input.crossings
        .map { "\($0.state == .inside ? "entered" : "left") \($0.region.identifier)" }
        .asSignal(onErrorSignalWith: .empty()))
  }

  /// The trip after each change.
  static func trips(_ changes: Observable<Change>) -> Observable<Trip> {
    changes.scan(into: Trip()) { trip, change in
      switch change {
      case .reset:
        trip.metres = 0
      case .moved(let location):
        trip.metres += trip.last.map { location.coordinate.distance(from: $0) } ?? 0
        trip.last = location.coordinate
        trip.speed = location.speed
      }
    }
  }
}

enum Change: Sendable {
  case moved(Location)
  case reset
}

struct Trip: Sendable {
  var metres = 0.0
  /// Metres per second.
  var speed: Double?
  var last: LocationCoordinate2D?
}
