import Foundation
import LocationKit
import NMEA
import Replay
import TestSupport
import Testing

@MainActor
final class SourceRecorder: LocationSourceReceiver {
  var log: [String] = []
  var times: [Double] = []
  var wallTimes: [Double] = []
  var headingTimes: [Double] = []
  var events: [LocationSourceEvent] = []
  var onLocation: ((Location) -> Void)?
  var interests = LocationSourceInterests.all
  let source: NMEASource

  init(_ source: NMEASource) { self.source = source }

  var isFinished: Bool { events.contains(.finished) }
  var locationCount: Int { times.count }

  func receive(_ event: LocationSourceEvent) {
    events.append(event)
    if case .heading = event { headingTimes.append(source.clock.now) }
    guard case .location(let location) = event else { return }
    log.append("fix")
    times.append(source.clock.now)
    wallTimes.append(ProcessInfo.processInfo.systemUptime)
    onLocation?(location)
  }
}

/// Plays a source to a recorder until that has what is asked for.
@MainActor
func played(
  _ source: NMEASource, until condition: (SourceRecorder) -> Bool = { $0.isFinished }
) async -> SourceRecorder {
  let recorder = SourceRecorder(source)
  source.attach(recorder)
  #expect(await eventually { condition(recorder) })
  return recorder
}

func cycle(_ time: String, date: String = "230324") -> String {
  line("GPRMC,\(time),A,4807.038,N,01131.324,E,022.4,084.4,\(date),,")
}

@MainActor
func source(
  _ text: String, speed: ReplaySpeed = .max, loop: Bool = false, strict: Bool = false
) -> NMEASource {
  NMEASource([ReplayInput(name: "test.nmea", bytes: Array(text.utf8))], speed: speed, loop: loop, strict: strict)
}
