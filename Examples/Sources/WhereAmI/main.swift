import DaemonSource
import GPSD
import LocationKit
import NMEA
import Rx
import RxLocation

// Without an argument it asks the daemon. `gpsd` or the name of a recording is another source of the same locations.
let argument = CommandLine.arguments.dropFirst().first
let service: any LocationSource =
  switch argument {
  case nil: DaemonSource()
  case "gpsd": GPSDSource()
  case let recording?: try NMEASource(NMEASource.open([recording]), speed: .max)
  }
let manager = LocationManager(source: service)
let disposeBag = DisposeBag()
manager.rx.didUpdateLocations.subscribe(onNext: { print($0[0]) }).disposed(by: disposeBag)
manager.rx.didFailWithError.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
manager.startUpdatingLocation()
for await _ in manager.rx.didReachEndOfRecording.values { break }
