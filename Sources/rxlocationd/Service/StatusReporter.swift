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
  private let publishing: JournalPublishing?
  private var satellites: (seen: Int, used: Int)?
  private let bag = DisposeBag()

  init(
    _ locationManager: LocationManager, source: any LocationSource, name: String, publishing: JournalPublishing? = nil
  ) {
    self.locationManager = locationManager
    self.source = source
    self.name = name
    self.publishing = publishing
    locationManager.rx.didUpdateSatellites
      .bind(to: Binder(self) { $0.satellites = ($1.count, $1.count(where: \.isUsed)) })
      .disposed(by: bag)
  }

  /// The line as it is now.
  var line: String {
    let fix = StatusText(
      name: name, status: source.status,
      location: locationManager.isLocationStale ? nil : locationManager.location, satellites: satellites
    ).line
    return publishing.map { "\(fix); \($0.status)" } ?? fix
  }

  /// Sends the line to `manager` whenever it changes.
  func report(to manager: ServiceManager) {
    let rx = locationManager.rx
    Observable
      .merge(
        rx.didUpdateLocations.map { _ in }, rx.didFailWithError.map { _ in },
        rx.didChangeSourceStatus.map { _ in }, rx.didUpdateSatellites.map { _ in }
      )
      .throttle(.seconds(1), scheduler: MainScheduler.instance)
      .bind(to: Binder(self) { reporter, _ in manager.status(reporter.line) })
      .disposed(by: bag)
    manager.status(line)
  }
}
