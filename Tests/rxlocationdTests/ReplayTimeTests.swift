import Dispatch
import Foundation
import LocationKit
import NMEA
import Replay
import Rx
import RxLocation
import SystemPackage
import Testing
import TestSupport

/// A timed operator on the recording's time gives the same at any speed.
@MainActor @Suite(.inTurn) struct ReplayTimeTests {
  @Test func throttleInAReplayIsTheRecordings() async throws {
    let fast = try await throttled(.max)
    #expect(fast == (try await throttled(.factor(5000))))
    #expect(fast.count > 20)
    for (one, next) in zip(fast, fast.dropFirst()) { #expect(next - one >= 20) }
  }

  /// The seconds of the recording that a throttle of 20 s lets through.
  private func throttled(_ speed: ReplaySpeed) async throws -> [Double] {
    let path = FilePath(Checkout.file("Recordings/drive.nmea").path)
    let manager = LocationManager(source: NMEASource([try .open(path: path)], speed: speed))
    var times: [Double] = []
    var hasEnded = false
    let bag = DisposeBag()
    manager.rx.didUpdateLocations
      .throttle(.seconds(20), latest: false, scheduler: manager.rx.clock)
      .bind { locations in
        if let time = locations[0].timestamp?.timeIntervalSince1970 { times.append(time) }
      }
      .disposed(by: bag)
    manager.rx.didReachEndOfRecording.bind { hasEnded = true }.disposed(by: bag)
    manager.startUpdatingLocation()
    #expect(await eventually { hasEnded })
    return times
  }
}
