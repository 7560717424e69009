import HeadlessMap
import LocationKit
import NMEA
import Rx
import RxLocation

// To follow gpsd, import GPSD and write: let source = GPSDSource()
let source = try NMEASource(NMEASource.open(["Recordings/drive.nmea"]), speed: .max)
let locationManager = LocationManager(source: source)
let mapView = MapView()
let bag = DisposeBag()

locationManager.rx.didUpdateLocations
  .map { $0[0] }
  .bind(to: mapView.rx.center)
  .disposed(by: bag)
mapView.rx.regionDidChange
  .subscribe(onNext: { print($0) })
  .disposed(by: bag)
// Without gpsd or a fix there are no locations; this prints the reason.
locationManager.rx.didFailWithError
  .subscribe(onNext: { error in print(error) })
  .disposed(by: bag)

locationManager.startUpdatingLocation()
// A recording has an end. With gpsd this waits for ever.
for await _ in locationManager.rx.didReachEndOfRecording.values { break }
