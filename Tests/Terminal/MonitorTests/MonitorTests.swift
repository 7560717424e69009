import LocationKit
import RxTest
import TerminalKit
import TestSupport
import Testing

@testable import Monitor

/// The whole monitor, on a screen in memory and with a source that a test plays.
@MainActor @Suite(.inTurn) struct MonitorTests {
  private let source = SimulatedLocationSource(clock: VirtualClock())
  private let manager: LocationManager
  private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
  private let monitor: Monitor

  private static let home = Region(
    center: LocationCoordinate2D(latitude: 37.5, longitude: -122.25), radius: 50, identifier: "home")
  private static let gps5 = Satellite(system: .gps, number: 5, elevation: 45, signal: 30, isUsed: true)

  init() {
    manager = LocationManager(source: source)
    monitor = Monitor(
      manager, Monitor.Configuration(name: "localhost:2947", isReplay: false, fences: [Self.home]),
      scheduler: scheduler)
    monitor.screen.size = Size(width: 100, height: 30)
    manager.startUpdatingLocation()
  }

  private var text: String { monitor.screen.render().text }

  private func press(_ keys: Key...) {
    for key in keys {
      monitor.screen.press(key)
      _ = monitor.screen.render()
    }
  }

  @Test func itBeginsWithoutAFix() {
    #expect(text.contains("no fix yet"))
    press(.enter)
    #expect(text.contains("There is no fix yet."))
    press(.escape, .character("f"))
    #expect(text.contains("without a fix there is no place for a fence"))
    #expect(monitor.screen.alerts.isEmpty)
  }

  @Test func aFixIsShownEverywhere() {
    source.send(.location(fix()))
    #expect(text.contains("3D, 9 sats"))
    #expect(text.contains(/home +inside   0 m/))
    #expect(text.contains("there is a fix"))
  }

  @Test func theQuestionMarkExplainsKeysAndBars() {
    press(.character("?"))
    #expect(
      text.contains("s           satellites by signal") && text.contains("Accuracy    empty at 100 m, full at 1 m"))
  }

  @Test func satellitesAreFilteredAndAskedFor() {
    source.send(.satellites([Self.gps5, Satellite(system: .galileo, number: 11, signal: 44, isUsed: true)]))
    #expect(text.contains("Satellites: 2 of 2 used"))
    press(.tab, .character("g"), .character("p"))
    scheduler.start()
    #expect(text.contains("GPS 05") && !text.contains("Galileo 11"))
    press(.tab, .enter)
    #expect(text.contains("elevation  45°"))
    press(.escape)
    // The connection is gone, and so is what it said.
    source.send(.status(.waiting(reason: "connection refused", retryIn: 1)))
    #expect(!text.contains("GPS 05"))
  }

  @Test func aFilterThatMatchesNothingSaysSo() {
    #expect(!text.contains("no satellites are known"))
    press(.tab, .character("z"))
    scheduler.start()
    #expect(text.contains("no satellites are known"))
    source.send(.satellites([Self.gps5]))
    #expect(text.contains("none of 1 matches") && !text.contains("GPS 05"))
    // A letter less, and a report more.
    press(.backspace)
    scheduler.start()
    #expect(text.contains("GPS 05") && !text.contains("matches"))
    press(.character("z"))
    scheduler.start()
    source.send(.satellites([Self.gps5, Satellite(system: .sbas, number: 33, isUsed: false)]))
    #expect(text.contains("none of 2 matches"))
    source.send(.status(.waiting(reason: "connection refused", retryIn: 1)))
    #expect(text.contains("no satellites are known"))
  }

  private var bottom: String { text.split(separator: "\n").last.map(String.init) ?? "" }

  @Test func theBottomLineSaysWhichKeysCount() {
    #expect(bottom == "Tab: next  Return: details  f: fence here  ?: help  q: quit")
    source.send(.location(fix()))
    source.send(.satellites([Self.gps5]))
    #expect(bottom == "Tab: next  Return: details  f: fence here  ?: help  q: quit")
    press(.tab)
    // In the filter f and q are letters.
    #expect(bottom == "Tab: next  letters: filter  Ctrl-U: clear  Ctrl-C: quit")
    press(.character("f"), .character("q"))
    #expect(monitor.screen.alerts.isEmpty && text.contains("fq"))
    press(.control("u"), .tab)
    #expect(bottom == "Tab: next  arrows: row  Return: details  f: fence here  ?: help  q: quit")
    press(.tab)
    let fences = "Tab: next  Return: details  Delete: remove  f: fence here  ?: help  q: quit"
    #expect(bottom == fences && fences.count <= 80)
    press(.enter)
    #expect(bottom == "Return: answer  Escape: Close")
    press(.escape, .character("f"))
    #expect(bottom == "Tab: next  Return: answer  Escape: Cancel")
    press(.escape)
    #expect(bottom == fences)
  }

  @Test(arguments: [
    (40, 15, "f: fence here  ?: help  q: quit"), (40, 11, "f: fence here  ?: help  q: quit"),
    (16, 11, "?: help  q: quit"),
  ])
  func aNarrowTerminalShowsTheMostImportantKeys(width: Int, height: Int, keys: String) {
    monitor.screen.size = Size(width: width, height: height)
    #expect(bottom == keys)
  }

  @Test func aFenceIsMadeAndTheManagerWatchesIt() {
    source.send(.location(fix()))
    press(.character("f"))
    for key in "harbour" { press(.character(key)) }
    press(.tab)
    for key in "75" { press(.character(key)) }
    press(.enter)
    #expect(manager.monitoredRegions.contains { $0.identifier == "harbour" && $0.radius == 75 })
    source.send(.location(fix(1)))
    #expect(text.contains(/harbour +inside/))
  }

  @Test func aFenceThatIsRemovedIsWatchedNoMore() {
    source.send(.location(fix()))
    #expect(text.contains(/home +inside/))
    // From the fix to the filter, and past the empty list of satellites to the fences.
    press(.tab, .tab, .delete)
    #expect(text.contains("Stop watching home?"))
    press(.escape)
    #expect(manager.monitoredRegions.count == 1)
    press(.delete, .enter)
    #expect(manager.monitoredRegions.isEmpty)
    #expect(!text.contains("home"))
  }

  @Test func quittingIsAskedFor() {
    var quits = 0
    monitor.onQuit = { quits += 1 }
    press(.character("q"), .escape)
    #expect(quits == 0)
    // q again while the question is shown is no second one.
    press(.character("q"), .character("q"))
    #expect(monitor.screen.alerts.count == 1)
    press(.enter)
    #expect(quits == 1)
  }

  @Test func theReceiversSecondsAreShownWhereTheyAreKnown() async {
    #expect(!text.contains("Clock"))
    let clock: @Sendable () async -> String? = { "12 µs behind, 18 leap s" }
    let monitor = Monitor(
      manager, Monitor.Configuration(name: "drive", isReplay: false, clock: clock), scheduler: scheduler)
    monitor.screen.size = Size(width: 100, height: 40)
    #expect(!monitor.screen.render().text.contains("Clock"))
    scheduler.advanceTo(1)
    #expect(await eventually { monitor.screen.render().text.contains(/Clock +12 µs behind, 18 leap s/) })
  }

  private static let allRows = [
    "Fix", "Since", "Age", "Latitude", "Longitude", "Speed", "Course", "Accuracy", "Altitude", "Time", "Climb",
    "Dilution", "Grid", "Clock",
  ]

  /// Each size, the rows of the fix that it has no room for, and the panels that it has.
  @Test(
    arguments: [
      (40, 12, 4, []), (60, 19, 0, ["Messages"]), (80, 24, 0, ["Satellites", "Fences", "Messages"]),
      (80, 25, 0, ["Satellites", "Fences", "Messages"]), (100, 24, 0, ["Satellites", "Fences", "Messages"]),
      (80, 30, 0, ["Satellites", "Fences", "Messages"]), (200, 50, 0, ["Satellites", "Sky", "Fences", "Messages"]),
      (64, 20, 4, ["Satellites", "Fences", "Messages"]),
    ] as [(Int, Int, Int, [String])])
  func theFixHasItsRowsBeforeOthersHaveEmptyOnes(width: Int, height: Int, missing: Int, panels: [String]) async {
    let monitor = Monitor(
      manager,
      Monitor.Configuration(name: "drive", isReplay: false, fences: [Self.home], clock: { "999 ms behind, 18 leap s" }),
      scheduler: scheduler)
    monitor.screen.size = Size(width: width, height: height)
    var location = fix()
    (location.climb, location.satellitesUsed, location.satellitesSeen) = (-0.53, 22, 30)
    location.quality = GNSSQuality(status: .rtkFixed, hdop: 0.5, vdop: 0.8, pdop: 0.94, geoidSeparation: 40)
    source.send(.location(location))
    scheduler.advanceTo(1)
    var lines: [Substring] = []
    #expect(
      await eventually {
        lines = monitor.screen.render().text.split(separator: "\n")
        // Where it has no room, it is there in a larger terminal.
        if missing > 0 { return true }
        return lines.contains { $0.contains("999 ms behind, 18 leap s") }
      }, "\(lines.joined(separator: "\n"))")
    let shown = Self.allRows.filter { name in lines.contains { " \($0)".contains(" \(name) ") } }
    // Whether the clock is known by now, where it is not waited for, is open.
    #expect(
      shown.filter { $0 != "Clock" } == Self.allRows.dropLast(max(1, missing)), "\(lines.joined(separator: "\n"))")
    for panel in ["Satellites", "Sky", "Fences", "Messages"] {
      #expect(lines.contains { $0.contains("─ \(panel) ") } == panels.contains(panel), "\(panel)")
    }
    if panels.contains("Fences") { #expect(lines.contains { $0.contains(/home +inside/) }) }
    if panels.contains("Messages") { #expect(lines.contains { $0.contains("there is a fix") }) }
    if width != 64 { #expect(!lines.contains { $0.contains("…") }, "\(lines.joined(separator: "\n"))") }
  }

  @Test func itGoesWithItsBindings() {
    weak var weakMonitor: Monitor?
    weak var weakScreen: Screen?
    do {
      let monitor = Monitor(manager, Monitor.Configuration(name: "drive", isReplay: true), scheduler: scheduler)
      (weakMonitor, weakScreen) = (monitor, monitor.screen)
      source.send(.location(fix()))
      monitor.screen.press(.character("f"))
      _ = monitor.screen.render()
    }
    #expect(weakMonitor == nil)
    #expect(weakScreen == nil)
  }
}
