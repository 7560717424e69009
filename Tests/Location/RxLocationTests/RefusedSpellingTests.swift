import Testing
import TestSupport

/// A method of Core Location's or MapKit's spelling that nobody would call does not compile: the compiler names the right
/// one.
@Suite struct RefusedSpellingTests {
  @Test(arguments: [
    (
      "LocationManagerDelegate",
      "func locationManager(_ manager: LocationManager, didFailWithError error: any Error) {}",
      "write locationManager(_:didFailWithError error: LocationError)"
    ),
    (
      "LocationManagerDelegate",
      """
      func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error) {}
      """,
      "write locationManager(_:monitoringDidFailFor:withError error: LocationError)"
    ),
    (
      "LocationManagerDelegate",
      "func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus) {}",
      "write locationManagerDidChangeAuthorization(_:)"
    ),
    (
      "MapViewDelegate", "func mapViewDidFinishLoadingMap(_ mapView: MapView) {}",
      "write mapView(_:regionDidChangeAnimated:)"
    ),
    (
      "MapViewDelegate", "func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) {}",
      "write mapView(_:regionDidChangeAnimated:)"
    ),
  ])
  func aMethodThatNobodyCallsIsRefused(_ delegate: String, method: String, advice: String) throws {
    let program = """
      import HeadlessMap
      import LocationKit

      final class Listener: \(delegate) {
        \(method)
      }
      """
    guard let messages = try Compiler.messages(about: program) else { return }
    #expect(messages.contains { $0.line == 4 && $0.message.contains(advice) }, "\(messages)")
  }

  @Test func theRightSpellingsCompile() throws {
    let program = """
      import HeadlessMap
      import LocationKit

      final class Silent: LocationManagerDelegate, MapViewDelegate {}

      final class Listener: LocationManagerDelegate, MapViewDelegate {
        func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
        func locationManager(
          _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError) {}
        func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}
        func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {}
      }
      """
    guard let messages = try Compiler.messages(about: program) else { return }
    #expect(messages == [])
  }

  /// What this map and this location manager do not have names what they have.
  @Test(arguments: [
    ("mapView.userTrackingMode = .followWithHeading", "use follow, and turn what you draw by the heading"),
    ("_ = mapView.visibleMapRect", "use region, and setRegion(_:animated:)"),
    ("mapView.setVisibleMapRect(mapView.region, animated: true)", "use setRegion(_:animated:)"),
    ("_ = LocationCoordinate2DMake(1, 2)", "LocationCoordinate2D.init(latitude:longitude:)"),
  ])
  func aNameThatIsNotThereNamesAnother(_ line: String, advice: String) throws {
    let program = """
      import HeadlessMap
      import LocationKit

      @MainActor func use(_ mapView: MapView) {
        \(line)
      }
      """
    guard let messages = try Compiler.messages(about: program) else { return }
    #expect(messages.contains { $0.line == 5 && $0.message.contains(advice) }, "\(messages)")
  }
}
