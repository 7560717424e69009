import LocationKit
import NMEA
import Rx
import RxBinding
import RxLocation
import TripComputer

let source = try NMEASource(NMEASource.open(["Recordings/drive.nmea"]), speed: .max)
let locationManager = LocationManager(source: source)
let bag = DisposeBag()

let model = TripViewModel(scheduler: locationManager.rx.clock)
let output = model.transform(
  TripViewModel.Input(
    locations: locationManager.rx.didUpdateLocations.compactMap { $0.last }.asObservable(),
    crossings: locationManager.rx.didCrossRegion.asObservable(),
    reset: .never()))

output.distance
  .withLatestFrom(output.speed) { distance, speed in "\(distance), \(speed)" }
  .drive(onNext: { print($0) })
  .disposed(by: bag)
output.news
  .emit(onNext: { print($0) })
  .disposed(by: bag)

let home = LocationCoordinate2D(latitude: 37.7858, longitude: -122.4064)
locationManager.startMonitoring(for: Region(center: home, radius: 50, identifier: "home"))
locationManager.startUpdatingLocation()
for await _ in locationManager.rx.didReachEndOfRecording.values { break }
