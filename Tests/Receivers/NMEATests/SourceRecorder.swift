import Foundation
import LocationKit
import NMEA
import Replay
import TestSupport
import Testing

@MainActor
final class SourceRecorder: LocationSourceReceiver {
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
  var locations: [Location] {
    events.compactMap { if case .location(let location) = $0 { location } else { nil } }
  }

  func receive(_ event: LocationSourceEvent) {
    events.append(event)
    if case .heading = event { headingTimes.append(source.clock.now) }
    guard case .location(let location) = event else { return }
    times.append(source.clock.now)
    wallTimes.append(ProcessInfo.processInfo.systemUptime)
    onLocation?(location)
  }
}

/// Plays a source to a recorder until that has what is asked for.
@MainActor
func played(
  _ source: NMEASource, until condition: (SourceRecorder) -> Bool = { $0.isFinished },
  onLocation: ((Location) -> Void)? = nil
) async -> SourceRecorder {
  let recorder = SourceRecorder(source)
  recorder.onLocation = onLocation
  source.attach(recorder)
  #expect(await eventually { condition(recorder) })
  return recorder
}

/// A source that reads what a test writes, and a recorder that is attached to it.
@MainActor
final class LiveSource {
  private let pipe = Pipe()
  let source: NMEASource
  let recorder: SourceRecorder

  init(speed: ReplaySpeed = .factor(1)) throws {
    let input = try ReplayInput.open(descriptor: dup(pipe.fileHandleForReading.fileDescriptor), name: "live")
    source = NMEASource([input], speed: speed)
    recorder = SourceRecorder(source)
    source.attach(recorder)
  }

  func write(_ text: String) { pipe.fileHandleForWriting.write(Data(text.utf8)) }

  func write(_ text: String, until count: Int) async throws {
    write(text)
    try #require(await eventually { recorder.locationCount == count })
  }

  func close() async throws {
    try pipe.fileHandleForWriting.close()
    #expect(await eventually { recorder.isFinished })
  }
}

@MainActor
func source(
  _ text: String, speed: ReplaySpeed = .max, loop: Bool = false, strict: Bool = false
) -> NMEASource {
  NMEASource([ReplayInput(name: "test.nmea", bytes: Array(text.utf8))], speed: speed, loop: loop, strict: strict)
}
