import FoundationEssentials
import LocationKit
import Rx
import TestSupport

/// A fix so many seconds after noon.
func fix(_ seconds: Double = 0, latitude: Double = 37.5, longitude: Double = -122.25) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 10.25, horizontalAccuracy: 5,
    course: 46, speed: 12, timestamp: Date(timeIntervalSince1970: 1_800_014_400 + seconds), mode: .threeDimensional,
    satellitesUsed: 9)
}

extension ObservableConvertibleType {
  /// The elements that are sent until the bag goes.
  func recorded(in bag: DisposeBag) -> Recorder<Element> {
    let recorder = Recorder<Element>()
    asObservable().subscribe(onNext: recorder.record).disposed(by: bag)
    return recorder
  }
}
