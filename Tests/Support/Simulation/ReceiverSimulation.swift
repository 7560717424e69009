import FoundationEssentials
import Glibc
import LocationKit
import SystemPackage

/// A disturbance at a time. Its strength says how long it lasts or how bad it is.
struct Fault: CustomStringConvertible {
  var time: Double
  var kind: Kind
  var strength: Double

  enum Kind: String, CaseIterable {
    case gpsdRestarts, receiverIsSilent, fixIsLost, positionJumps, clockJumps, fixesRepeat, fixesHaveNoTime, rateChanges
    case diskIsFull, diskFailsOnce, diskFails, diskIsSlow
    case brokerIsDown, brokerForgets, brokerRefuses, acknowledgementsAreLate, acknowledgementsAreLost,
      acknowledgementsRepeat
    case databaseIsAway, databaseHangs, databaseAborts
    case readerIsSlow, readerStops, logFails, logIsRotated, logIsGone
    case devicesAreOffline, settingsChange, programStartsTwice, programEnds, programIsKilled, powerIsCut

    /// Whether crossings after it cannot be compared with those of a judge that has seen all fixes.
    var disturbsFences: Bool { [.positionJumps, .clockJumps, .fixesHaveNoTime, .settingsChange].contains(self) }
  }

  /// Two seconds to half an hour.
  var length: Double { 2 * pow(900, strength) }

  /// Begins, and ends after its length.
  @MainActor func lasts(in world: World, _ begin: () -> Void, _ end: @escaping @MainActor () -> Void) {
    begin()
    world.after(length, end)
  }

  /// Disturbs a disk, a broker or a database, and returns whether it is a fault of these.
  @MainActor func happens(
    to disk: Disk?, _ broker: SimulatedBroker, _ database: SimulatedDatabase, in world: World
  ) -> Bool {
    switch kind {
    case .diskIsFull: lasts(in: world, { disk?.setCapacity(0) }, { disk?.setCapacity(nil) })
    case .diskFailsOnce: disk?.fail(forever: false)
    case .diskFails: lasts(in: world, { disk?.fail(forever: true) }, { disk?.repair() })
    case .diskIsSlow: lasts(in: world, { disk?.delay = strength / 5 }, { disk?.delay = 0 })
    case .brokerForgets: broker.forget()
    case .brokerIsDown: lasts(in: world, { broker.isUp = false }, { broker.isUp = true })
    case .brokerRefuses: lasts(in: world, { broker.refuses = true }, { broker.refuses = false })
    case .acknowledgementsAreLate: lasts(in: world, { broker.delay = strength * 40 }, { broker.delay = 0.01 })
    case .acknowledgementsAreLost: lasts(in: world, { broker.lostShare = strength / 2 }, { broker.lostShare = 0 })
    case .acknowledgementsRepeat: lasts(in: world, { broker.repeatedShare = 0.5 }, { broker.repeatedShare = 0 })
    case .databaseIsAway: lasts(in: world, { database.isReachable = false }, { database.isReachable = true })
    case .databaseHangs: lasts(in: world, { database.delay = strength * 60 }, { database.delay = 0.001 })
    case .databaseAborts:
      lasts(
        in: world, { (database.abortedShare, database.unansweredShare) = (0.5, 0.5) }, { database.abortedShare = 0 })
    default: return false
    }
    return true
  }

  var description: String { "\(kind.rawValue) at \(time.rounded()) s, \((strength * 100).rounded()) %" }
}

/// Two hours of one receiver with all outputs.
@MainActor
struct ReceiverSimulation: Simulation {
  static let name = "receiver"
  static let duration = 7200.0

  static var kinds: [Fault.Kind] { Fault.Kind.allCases.filter { $0 != .devicesAreOffline } }

  private let host: ReceiverHost
  /// The seconds between fixes at most times.
  private let interval: Double

  init(_ world: World) throws {
    host = try ReceiverHost(world)
    interval = [5, 6, 7].randomElement(using: &world.random) ?? 6
    host.gpsd.interval = interval
    host.start()
  }

  func apply(_ fault: Fault) {
    let (world, gpsd) = (host.world, host.gpsd)
    if fault.kind.disturbsFences { host.isFenceSteady = false }
    if fault.happens(to: host.disk, host.broker, host.database, in: world) { return }
    func lasting(_ begin: () -> Void, _ end: @escaping @MainActor () -> Void) { fault.lasts(in: world, begin, end) }
    switch fault.kind {
    case .gpsdRestarts: lasting({ gpsd.isRunning = false }, { gpsd.isRunning = true })
    case .receiverIsSilent: lasting({ gpsd.isSilent = true }, { gpsd.isSilent = false })
    case .fixIsLost: lasting({ gpsd.hasFix = false }, { gpsd.hasFix = true })
    case .positionJumps: lasting({ gpsd.jump = fault.strength }, { gpsd.jump = 0 })
    case .clockJumps:
      lasting({ gpsd.timeShift = (fault.strength - 0.5) * 1e6 }, { gpsd.timeShift = 0 })
    case .fixesRepeat: lasting({ gpsd.repeats = true }, { gpsd.repeats = false })
    case .fixesHaveNoTime: lasting({ gpsd.hasTime = false }, { gpsd.hasTime = true })
    case .rateChanges:
      gpsd.interval = [0.02, 0.1, 0.5, 1][Int(fault.strength * 4)]
      // More fixes than a small journal has room for.
      world.after(3000 * gpsd.interval) { [interval] in gpsd.interval = interval }
    case .readerIsSlow:
      lasting({ host.standardOutput.room = Int(fault.strength * 1e5) }, { host.standardOutput.room = .max })
    case .readerStops: lasting({ host.standardOutput.room = 0 }, { host.standardOutput.room = .max })
    case .logFails: lasting({ host.regionLog.failure = .noSpace }, { host.regionLog.failure = nil })
    case .logIsRotated: host.program?.reload(host.fences)
    case .logIsGone:
      lasting({ host.regionLog.isGone = true }, { host.regionLog.isGone = false })
      host.program?.reload(host.fences)
    case .settingsChange:
      host.fences[0] = Region(center: host.fences[0].center, radius: 300 + 400 * fault.strength, identifier: "home")
      host.program?.reload(host.fences)
    case .programStartsTwice: host.startTwice()
    case .programEnds: host.terminate()
    case .programIsKilled: host.kill(byPowerCut: false)
    case .powerIsCut: host.kill(byPowerCut: true)
    default: break
    }
  }

  func checkDelivery() { host.checkDelivery() }
}

/// Whether a program runs. Its parts look here, and do nothing after its end.
@MainActor
final class Life {
  var isOn = true
  var isEnding = false
}
