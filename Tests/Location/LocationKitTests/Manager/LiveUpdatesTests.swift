import Testing
import TestSupport

@testable import LocationKit

@MainActor @Suite(.inTurn, .timeLimit(.minutes(30))) struct LiveUpdatesTests {
  let stage = Stage()

  /// What a reader gets while a test plays, until the source has finished.
  private func updates(
    _ configuration: LocationUpdate.LiveConfiguration = .default, staleAfter: Double = 10, _ play: () -> Void
  ) async -> [LocationUpdate] {
    let updates = LocationUpdate.liveUpdates(configuration, from: stage.source, staleAfter: staleAfter)
    #expect(!stage.source.isRunning)
    let reader = Task { @MainActor in
      var all: [LocationUpdate] = []
      for await update in updates { all.append(update) }
      return all
    }
    #expect(await eventually { stage.source.isRunning })
    play()
    stage.source.send(.finished)
    return await reader.value
  }

  @Test func fixesLossesAndTheEnd() async {
    let all = await updates {
      stage.fix(north: 1)
      stage.fix(north: 2)
      stage.clock.advance(by: 60)
      stage.source.send(.failed(LocationError(.denied, "no")))
      stage.fix(north: 3)
    }
    #expect(all.map { $0.location != nil } == [true, true, false, false, true])
    #expect(all.map(\.locationUnavailable) == [false, false, true, false, false])
    #expect(all.map(\.authorizationDenied) == [false, false, false, true, false])
    #expect(all[2].error?.code == .locationUnknown)
    #expect(all.last?.location == stage.location(north: 3))
    #expect(await eventually { !stage.source.isRunning })
  }

  @Test(arguments: [AuthorizationStatus.denied, .restricted])
  func aRefusalSaysWhoIsRefused(status: AuthorizationStatus) async {
    let stage = Stage(authorizationStatus: status)
    var reader = LocationUpdate.liveUpdates(from: stage.source).makeAsyncIterator()
    let advance = Task { @MainActor in
      while !Task.isCancelled {
        if stage.source.isRunning { stage.clock.advance(by: 0.1) }
        await Task.yield()
      }
    }
    let update = await reader.next(isolation: #isolation)
    advance.cancel()
    #expect(update?.authorizationDenied == true)
    #expect(update?.authorizationRestricted == (status == .restricted))
    #expect(update?.locationUnavailable == false)
    #expect(update?.error?.code == .denied)
  }

  @Test func theLossComesWhenItWasAskedFor() async {
    let all = await updates(staleAfter: 3) { stage.clock.advance(by: 4) }
    #expect(all.map(\.locationUnavailable) == [true])
  }

  @Test func eachConfigurationIsAnActivity() {
    #expect(Set(LocationUpdate.LiveConfiguration.allCases.map(\.activityType)) == Set(ActivityType.allCases))
    #expect(LocationUpdate.LiveConfiguration.default.activityType == .other)
  }

  /// The reader is cancelled, or leaves its loop.
  @Test(arguments: [false, true]) func theEndOfAReaderStopsTheSource(isCancelled: Bool) async {
    let updates = LocationUpdate.liveUpdates(from: stage.source)
    let reader = Task { @MainActor in
      for await _ in updates where !isCancelled { return }
    }
    #expect(await eventually { stage.source.isRunning })
    stage.fix()
    if isCancelled { reader.cancel() }
    await reader.value
    #expect(await eventually { !stage.source.isRunning })
  }

  final class RememberingSource: LocationSource {
    let clock: any LocationClock = VirtualClock()
    let authorizationStatus = AuthorizationStatus.authorizedAlways
    let status = LocationSourceStatus.connected(devices: [])
    private(set) weak var receiver: (any LocationSourceReceiver)?
    private(set) var count = 0

    func attach(_ receiver: any LocationSourceReceiver) {
      self.receiver = receiver
      count += 1
    }
    func detach(_ receiver: any LocationSourceReceiver) {}
  }

  @Test func nothingIsLeftOfAReader() async {
    let source = RememberingSource()
    let updates = LocationUpdate.liveUpdates(from: source)
    let reader = Task { @MainActor in
      for await _ in updates { return }
    }
    #expect(await eventually { source.count == 1 })
    source.receiver?.receive(.location(Location(latitude: 1, longitude: 2)))
    await reader.value
    #expect(await eventually { source.receiver == nil })
  }

  @Test func readersAreIndependentAndTheLatestMayBeEnough() async {
    let all = LocationUpdate.liveUpdates(from: stage.source)
    let latest = LocationUpdate.liveUpdates(from: stage.source, bufferingPolicy: .bufferingNewest(1))
    var first = all.makeAsyncIterator()
    var second = latest.makeAsyncIterator()
    // Both run from the first element on that they are asked for.
    let send = Task { @MainActor in
      while !Task.isCancelled {
        if stage.source.isRunning { stage.fix() }
        await Task.yield()
      }
    }
    _ = await first.next(isolation: #isolation)
    _ = await second.next(isolation: #isolation)
    send.cancel()
    await send.value
    for north in [1.0, 2, 3] { stage.fix(north: north) }
    let newest = await second.next(isolation: #isolation)
    #expect(newest?.location == stage.location(north: 3))
    var north: [Double] = []
    while north.last != 3, let location = await first.next(isolation: #isolation)?.location {
      north.append(((location.coordinate.latitude - 51) * 111_248.24).rounded())
    }
    #expect(north.suffix(3) == [1, 2, 3])
    stage.manager.startUpdatingLocation()
    stage.manager.stopUpdatingLocation()
    #expect(stage.source.isRunning)
  }

  @Test func stationaryIsMarked() async {
    let marks = await updates(.fitness) {
      stage.stay(at: 0, seconds: 185)
      stage.fix(north: 100)
    }.map(\.isStationary)
    #expect(marks == Array(repeating: false, count: 180) + Array(repeating: true, count: 5) + [false])
  }
}
