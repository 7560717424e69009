import Dispatch
import LocationKit
import Rx
import RxBinding
import RxLocation

/// Keeps the service manager's status line at what the fix is, at most once a second.
@MainActor
final class StatusReporter {
  private let locationManager: LocationManager
  private let source: any LocationSource
  private let name: String
  private let outputs: Outputs
  private var satellites: (seen: Int, used: Int)?
  private let updates: Observable<[Satellite]?>
  private let bag = DisposeBag()

  /// Creates a reporter of what `pipeline` follows.
  init(_ pipeline: Pipeline, _ outputs: Outputs) {
    locationManager = pipeline.locationManager
    source = locationManager.source
    name = outputs.name
    self.outputs = outputs
    // The line tells of satellites while there is no fix. Until the next fix after that nobody needs them here.
    let rx = locationManager.rx
    let fix = rx.didUpdateLocations
    let satellites = pipeline.satellites
    updates = rx.didChangeFixState
      .filter { $0.loss != nil }
      .map { _ in }
      .startWith(())
      .flatMapLatest { Observable.concat(satellites.map { $0 }.take(until: fix), .just(nil)) }
      .share()
    updates
      .bind(
        to: Binder(self) { reporter, satellites in
          reporter.satellites = satellites.map { ($0.count, $0.count(where: \.isUsed)) }
        }
      )
      .disposed(by: bag)
  }

  /// The line as it is now.
  var line: String {
    let fix = StatusText(
      name: name, status: source.status,
      fix: locationManager.fixState, location: locationManager.location, satellites: satellites
    ).line
    return ([fix] + outputs.statuses).joined(separator: "; ")
  }

  /// Sends the line to `manager` whenever it changes.
  func report(to manager: ServiceManager) {
    let rx = locationManager.rx
    Observable
      .merge(
        rx.didUpdateLocations.map { _ in }, rx.didFailWithError.map { _ in },
        rx.didChangeSourceStatus.map { _ in }, updates.map { _ in }
      )
      .throttle(.seconds(1), scheduler: MainScheduler.instance)
      .bind(to: Binder(self) { reporter, _ in manager.status(reporter.line) })
      .disposed(by: bag)
    manager.status(line)
  }
}
