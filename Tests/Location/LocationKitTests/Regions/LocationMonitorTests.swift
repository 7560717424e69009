import FoundationEssentials
import Testing
import TestSupport

@testable import LocationKit

@MainActor @Suite(.inTurn, .timeLimit(.minutes(30))) struct LocationMonitorTests {
  let stage = Stage()
  let monitor: LocationMonitor
  let home = LocationMonitor.CircularGeographicCondition(
    center: LocationCoordinate2D(latitude: 51, longitude: 7), radius: 50)

  init() { monitor = LocationMonitor("test", source: stage.source) }

  private func stay(at north: Double, seconds: Int, accuracy: Double? = 5) {
    stage.stay(at: north, seconds: seconds, accuracy: accuracy)
  }

  private func state(of identifier: String = "home") -> LocationMonitor.Event.State? {
    monitor.record(for: identifier)?.lastEvent.state
  }

  /// The events of a sequence that has ended.
  private func all(_ events: AsyncStream<LocationMonitor.Event>) async -> [LocationMonitor.Event] {
    var all: [LocationMonitor.Event] = []
    for await event in events { all.append(event) }
    return all
  }

  /// The events while a test plays, until the source has finished.
  private func events(_ play: () -> Void) async -> [LocationMonitor.Event] {
    let events = monitor.events
    play()
    stage.source.send(.finished)
    return await all(events)
  }

  @Test func eventsAreChangesOfTheState() async {
    monitor.add(home, identifier: "home")
    #expect(stage.source.isRunning)
    #expect(state() == .unknown)
    let all = await events {
      stay(at: 0, seconds: 3)
      #expect(state() == .satisfied)
      #expect(monitor.record(for: "home")?.condition == home)
      stay(at: 90, seconds: 20)
      #expect(state() == .satisfied)
      stay(at: 90, seconds: 10)
    }
    #expect(all.map(\.state) == [.satisfied, .unsatisfied])
    #expect(all.map(\.identifier) == ["home", "home"])
    #expect(all.map { $0.date?.timeIntervalSince1970 } == [1_700_000_001, 1_700_000_024])
    #expect(await self.all(monitor.events).isEmpty)
  }

  @Test func whatIsAssumedIsNoEvent() async {
    monitor.add(home, identifier: "home", assuming: .unsatisfied)
    monitor.add(home, identifier: "work", assuming: .satisfied)
    #expect(state() == .unsatisfied)
    let all = await events { stay(at: 90, seconds: 1) }
    #expect(all.map(\.identifier) == ["work"])
    #expect(all.map(\.state) == [.unsatisfied])
  }

  @Test func theFirstReaderGetsWhatNobodyHasRead() async {
    monitor.regionMonitoringPolicy = RegionMonitoringPolicy(margin: 0, dwell: 0)
    for identifier in ["home", "work", "gone"] { monitor.add(home, identifier: identifier) }
    stay(at: 0, seconds: 1)
    stay(at: 90, seconds: 1)
    monitor.remove("gone")
    let first = monitor.events
    let second = await events { stay(at: 0, seconds: 1) }
    #expect(await all(first).map(\.state) == [.unsatisfied, .unsatisfied, .satisfied, .satisfied])
    #expect(second.map(\.state) == [.satisfied, .satisfied])
  }

  @Test func namesComeAndGo() {
    monitor.add(home, identifier: "home")
    monitor.add(home, identifier: "elsewhere")
    #expect(monitor.name == "test")
    #expect(monitor.identifiers == ["elsewhere", "home"])
    monitor.remove("elsewhere")
    monitor.remove("nowhere")
    #expect(monitor.identifiers == ["home"])
    #expect(monitor.record(for: "elsewhere") == nil)
    #expect(stage.source.isRunning)
    monitor.remove("home")
    #expect(!stage.source.isRunning)
  }

  @Test func aConditionInPlaceOfAnotherBeginsAnew() {
    monitor.add(home, identifier: "home")
    stay(at: 0, seconds: 1)
    var small = home
    small.radius = 30
    monitor.add(small, identifier: "home")
    #expect(monitor.identifiers == ["home"])
    #expect(monitor.record(for: "home")?.condition == small)
    #expect(state() == .unknown)
    stay(at: 40, seconds: 1)
    #expect(state() == .unsatisfied)
  }

  @Test func whatIsNoCircleIsNotMonitored() async {
    let event = await events {
      monitor.add(.init(center: home.center, radius: -1), identifier: "odd")
      monitor.add(home, identifier: "home")
    }.first
    #expect(event?.state == .unmonitored)
    #expect(event?.conditionUnsupported == true)
    #expect(event?.error?.message.contains("region odd: the radius -1.0 m") == true)
    #expect(monitor.identifiers == ["home", "odd"])
  }

  @Test func aReceiverThatIsNotAccurateEnoughIsReported() async {
    monitor.add(home, identifier: "home", assuming: .unsatisfied)
    let all = await events { stay(at: 0, seconds: 30, accuracy: 80) }
    #expect(all.map(\.state) == [.unsatisfied])
    #expect(all.first?.error?.code == .regionMonitoringFailure)
  }

  @Test func aRefusalEndsMonitoringUntilItIsLifted() async {
    let all = await events {
      monitor.add(home, identifier: "home", assuming: .satisfied)
      monitor.add(.init(center: home.center, radius: 0), identifier: "odd")
      stage.clock.advance(by: 0)
      for status in [AuthorizationStatus.denied, .authorizedAlways] {
        stage.source.authorizationStatus = status
        stage.source.send(.status(.idle))
      }
      stay(at: 0, seconds: 1)
    }
    #expect(all.map(\.identifier) == ["odd", "home", "home", "home"])
    #expect(all.map(\.state) == [.unmonitored, .unmonitored, .unknown, .satisfied])
    #expect(all.map(\.authorizationDenied) == [false, true, false, false])
  }

  @Test func theSequenceEndsWithTheMonitor() async {
    var monitor: LocationMonitor? = LocationMonitor("short", source: stage.source)
    monitor?.add(home, identifier: "home")
    let events = monitor?.events
    weak let gone = monitor
    monitor = nil
    #expect(gone == nil)
    #expect(await eventually { !stage.source.isRunning })
    if let events { #expect(await all(events).isEmpty) }
  }

  @Test func eventsForAReaderThatLeftAreKeptForTheNext() async {
    monitor.add(home, identifier: "home")
    let reader = Task { @MainActor in
      for await _ in monitor.events { return }
    }
    await Task.yield()
    stay(at: 0, seconds: 1)
    await reader.value
    #expect(await eventually { !monitor.hasReaders })
    stay(at: 90, seconds: 30)
    #expect(await events {}.map(\.state) == [.unsatisfied])
  }
}
