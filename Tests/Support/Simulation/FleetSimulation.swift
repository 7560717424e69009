import ArgumentParser
import FoundationEssentials
import Glibc
import LocationKit
import Platform
import Records
import TestSupport

@testable import Journal
@testable import Writing
@testable import Collecting
@testable import Publishing
@testable import rxlocationd

/// A device that publishes its locations. The altitude of a fix is its number.
@MainActor
final class SimulatedDevice {
  let name: String
  var isOnline = true
  /// Seconds by which its clock is ahead.
  var shift = 0.0 { didSet { isSteady = false } }
  private(set) var lastNumber = 0
  /// Whether its clock was always right.
  private(set) var isSteady = true
  private let world: World
  private let broker: SimulatedBroker
  private var waiting: [[UInt8]] = []
  private var angle: Double
  private var lastTime = 0
  /// The seconds between its fixes.
  private let pace: Range<Double>

  init(_ name: String, _ broker: SimulatedBroker, _ world: World) {
    (self.name, self.broker, self.world) = (name, broker, world)
    angle = world.number(0..<2 * .pi)
    pace = world.isLucky(0.2) ? 5..<30 : 20..<180
    world.after(world.number(0..<300)) { [self] in tick() }
  }

  private func tick() {
    world.after(world.number(pace)) { [self] in tick() }
    lastNumber += 1
    // One round in two hours crosses the fence twice.
    angle += world.number(0..<0.17) * pace.upperBound / 180
    lastTime = max(lastTime + 1, Int(world.clock.date.timeIntervalSince1970 + shift))
    let latitude = 47 + 0.01 * sin(angle)
    waiting.append(
      Array(#"{"_type":"location","lat":\#(latitude),"lon":8,"alt":\#(lastNumber),"acc":5,"tst":\#(lastTime)}"#.utf8))
    guard isOnline else { return }
    for payload in waiting { broker.publish(payload, on: "owntracks/fleet/\(name)") }
    waiting = []
  }
}

/// The host of one `rxlocationd collect`, and its journal: a file, or a database on a server.
@MainActor
final class CollectorHost {
  let client: String
  let world: World
  let broker: SimulatedBroker
  /// The disk of the journal, or the database.
  let disk: Disk?
  let database: SimulatedDatabase
  let output: SimulatedFile
  private(set) var program: CollectorProgram?
  /// The numbers that were acknowledged, by device, with the time.
  private var acknowledged: [String: [(number: Int, time: Double)]] = [:]
  /// What the journal has at the last look.
  private var kept: (locations: [String: [Location]], crossings: [(device: String, crossing: RegionCrossing)]) = (
    [:], []
  )

  init(_ client: String, _ broker: SimulatedBroker, _ world: World, hasDisk: Bool) throws {
    (self.client, self.broker, self.world) = (client, broker, world)
    disk = hasDisk ? try Disk(seed: world.random.next()) : nil
    world.disk = world.disk ?? disk
    (database, output) = (SimulatedDatabase(world), SimulatedFile(world))
    start()
  }

  func start() {
    guard program == nil else { return }
    do {
      program = try CollectorProgram(self)
      world.note("\(client) started")
    } catch {
      world.note("\(client) cannot start: \(error)")
      world.after(5) { [weak self] in self?.start() }
    }
  }

  func kill(byPowerCut: Bool) {
    guard let program else { return }
    world.note("\(client) \(byPowerCut ? "lost its power" : "was killed")")
    disk?.stop()
    end(program)
    broker.disconnect(client)
    disk?.restart(afterPowerCut: byPowerCut)
    if byPowerCut, disk != nil { forgetUnsynced() }
    verify()
  }

  func terminate() {
    guard let program, !program.life.isEnding else { return }
    world.note("\(client) terminated")
    (world.hasTasks, program.life.isEnding) = (true, true)
    Task { [weak self] in
      _ = await program.collector.finish()
      guard let self, self.program === program else { return }
      end(program)
      broker.disconnect(client)
      verify()
    }
  }

  private func end(_ program: CollectorProgram) {
    self.program = nil
    world.restart(after: program.life) { [weak self] in self?.start() }
  }

  func noteAcknowledgement(_ message: BrokerConnection.Message) {
    let device = String(message.topic.dropFirst("owntracks/".count))
    guard let content = try? DeviceMessage(message.payload, from: device, key: nil),
      case .location(let location) = content
    else { return }
    acknowledged[device, default: []].append((location.number, world.now))
  }

  /// A power cut may lose what was acknowledged since the last sync, ten seconds and one commit before the newest.
  private func forgetUnsynced() {
    let newest = acknowledged.values.compactMap { $0.last?.time }.max() ?? 0
    // Without a commit there is no sync: two commits may be minutes apart.
    for device in acknowledged.keys { acknowledged[device]?.removeAll { $0.time > newest - 900 } }
  }

  /// Each acknowledged message is kept, each once, in the order of its device, and each crossing once.
  func verify() {
    kept = (disk == nil ? database.locations : [:], [])
    if let disk {
      do {
        for record in try disk.rows(of: "fleet.db").map(\.record) {
          let device = record.location?.sourceInformation?.deviceIdentifier ?? ""
          switch record {
          case .location(let location): kept.locations[device, default: []].append(location)
          case .crossing(let crossing): kept.crossings.append((device, crossing))
          case .error: break
          }
        }
      } catch {
        world.check(acknowledged.isEmpty, "\(client): the journal cannot be read: \(error)")
      }
    } else {
      for case .crossing(let crossing) in database.crossings.map(\.record) {
        kept.crossings.append((crossing.location.sourceInformation?.deviceIdentifier ?? "", crossing))
      }
    }
    let numbers = kept.locations.mapValues { $0.map(\.number) }
    for (device, numbers) in numbers { world.checkOrder(numbers, "of \(device) comes to \(client)") }
    for (device, wanted) in acknowledged {
      let kept = Set(numbers[device] ?? [])
      for (number, _) in wanted {
        world.check(kept.contains(number), "\(client): fix \(number) of \(device) was acknowledged and is lost")
      }
    }
    var last: [String: RegionState] = [:]
    for (device, crossing) in kept.crossings {
      let name = "\(crossing.region.identifier) by \(device)"
      world.check(last[name] != crossing.state, "\(client): \(name) was crossed to \(crossing.state) twice")
      last[name] = crossing.state
    }
  }

  func checkDelivery(of devices: [SimulatedDevice]) {
    world.check(program != nil, "\(client) does not run")
    verify()
    for device in devices {
      let name = "fleet/\(device.name)"
      let locations = kept.locations[name, default: []]
      world.check(
        locations.last?.number ?? 0 >= device.lastNumber - 2, "\(client): \(name) ends before fix \(device.lastNumber)")
      guard device.isSteady else { continue }
      let fence = Region(center: .init(latitude: 47, longitude: 8), radius: 500, identifier: "depot")
      let crossings = kept.crossings.filter { $0.device == name }.map(\.crossing)
      world.check(crossings, of: "\(client): \(name)", fence, with: locations)
    }
  }
}

/// One run of `rxlocationd collect`.
@MainActor
final class CollectorProgram {
  let life = Life()
  let collector: Collector
  private let stream: LocationStream

  init(_ host: CollectorHost) throws {
    let (world, life) = (host.world, life)
    let system = world.host { life.isOn }
    let options = try CollectSettings.parse(["--fence", "depot=47,8,500"])
    let journal: any DeviceJournal =
      if let disk = host.disk {
        try DeviceJournalFile(path: disk.folder.file("fleet.db"), limit: 64 << 20, host: system)
      } else { host.database.open { life.isOn } }
    let session = SessionConfiguration(
      address: try PublishingAddress(parsingBroker: "mqtt://broker"), clientID: host.client)
    let filters = ["owntracks/+/+"].compactMap { TopicFilter($0) }
    let configuration = Collector.Configuration(session: session, filters: filters)
    stream = try LocationStream(
      NDJSONFormatter(), to: host.output.open { life.isOn }, mode: .live, limit: 1 << 20, host: system,
      onNotice: { _ in }, onEnd: { _ in })
    let opened = try CollectedJournal(journal, options)
    let fleet = Fleet(options, host: system, stream: stream, counts: Fleet.Counts(), show: nil)
    fleet.restore(opened)
    collector = try Collector(
      configuration, journal: opened.handOver(), judge: fleet, Worker(Collector.Shared()),
      host.broker.connector(host.client) { life.isOn }, host: system,
      onNotice: { notice in MainActor.assumeIsolated { world.note("\(host.client): \(notice.message)") } })
  }
}

/// Two hours of up to 200 devices and two collectors, one with a file and one with a database.
@MainActor
struct FleetSimulation: Simulation {
  static let name = "fleet"
  static let duration = 7200.0

  static let kinds: [Fault.Kind] = [
    .diskIsFull, .diskFailsOnce, .diskFails, .diskIsSlow, .brokerIsDown, .brokerForgets, .brokerRefuses,
    .acknowledgementsAreLate, .databaseIsAway,
    .databaseHangs, .databaseAborts, .readerStops, .clockJumps, .devicesAreOffline, .programEnds, .programIsKilled,
    .powerIsCut,
  ]

  private let world: World
  private let broker: SimulatedBroker
  private let devices: [SimulatedDevice]
  private let collectors: [CollectorHost]

  init(_ world: World) throws {
    self.world = world
    let broker = SimulatedBroker(world)
    self.broker = broker
    collectors = [
      try CollectorHost("file", broker, world, hasDisk: true),
      try CollectorHost("database", broker, world, hasDisk: false),
    ]
    devices = (0..<world.number(1...200)).map { SimulatedDevice("d\($0)", broker, world) }
    broker.onAcknowledgement = { [unowned file = collectors[0], unowned database = collectors[1]] client, message in
      (client == file.client ? file : database).noteAcknowledgement(message)
    }
  }

  func apply(_ fault: Fault) {
    let collector = collectors[Int(fault.strength * 1000) % 2]
    if fault.happens(to: collectors[0].disk, broker, collectors[1].database, in: world) { return }
    let some = Array(devices.prefix(1 + Int(fault.strength * Double(devices.count - 1))))
    func lasting(_ begin: () -> Void, _ end: @escaping @MainActor () -> Void) { fault.lasts(in: world, begin, end) }
    switch fault.kind {
    case .readerStops: lasting({ collector.output.room = 0 }, { collector.output.room = .max })
    case .clockJumps:
      lasting({ for device in some { device.shift = 1_000_000 } }, { for device in some { device.shift = 0 } })
    case .devicesAreOffline:
      lasting({ for device in some { device.isOnline = false } }, { for device in some { device.isOnline = true } })
    case .programEnds: collector.terminate()
    case .programIsKilled: collector.kill(byPowerCut: false)
    case .powerIsCut: collector.kill(byPowerCut: true)
    default: break
    }
  }

  func checkDelivery() {
    world.check(broker.undelivered <= devices.count, "\(broker.undelivered) messages wait at the broker")
    for collector in collectors { collector.checkDelivery(of: devices) }
  }
}
