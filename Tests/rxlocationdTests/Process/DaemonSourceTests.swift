import DaemonSource
import Foundation
import LocationKit
import TestSupport
import Testing

@MainActor @Suite(.startsPrograms) struct DaemonSourceTests {
  private let folder = TestSupport.TemporaryFolder()
  private let path: String
  private let program = Program()

  init() throws { path = folder.path("s") }

  /// A delegate that remembers what a person would be told.
  @MainActor
  private final class Program: LocationManagerDelegate {
    private(set) var locations: [Location] = []
    private(set) var errors: [LocationError] = []
    private(set) var authorizations: [AuthorizationStatus] = []
    private(set) var statuses: [LocationSourceStatus] = []

    var isConnected: Bool { if case .connected = statuses.last { true } else { false } }
    var isWaiting: Bool { if case .waiting = statuses.last { true } else { false } }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      self.locations += locations
    }
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) { errors.append(error) }
    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      authorizations.append(manager.authorizationStatus)
    }
    func locationManager(_ manager: LocationManager, didChangeSourceStatus status: LocationSourceStatus) {
      statuses.append(status)
    }
  }

  private func manager(_ source: DaemonSource) -> LocationManager {
    let manager = LocationManager(source: source)
    manager.delegate = program
    manager.startUpdatingLocation()
    return manager
  }

  private func daemon(_ flags: [String]) throws -> DaemonProcess {
    try DaemonProcess(["replay", "Recordings/drive.nmea", "--speed", "20", "--loop", "--format", "none"] + flags)
  }

  /// The daemon is stopped and started again: that costs the time in between, and nothing else.
  @Test func aSocketThatAppearsLaterAndADaemonThatRestartsAreNoticed() async throws {
    let source = DaemonSource(path: path)
    let manager = manager(source)
    #expect(await eventually { program.isWaiting })
    var process = try daemon(["--location-socket", "unix:\(path)"])
    #expect(await eventually { program.locations.count > 3 && program.isConnected })
    #expect(program.authorizations.last == .authorizedAlways && manager.authorizationStatus == .authorizedAlways)
    // On a busy machine the first start takes long enough to be an error.
    let errors = program.errors.count
    try await process.killAndWait()
    #expect(await eventually { !program.isConnected })
    let (count, time) = (program.locations.count, source.clock.now)
    #expect(await eventually { source.clock.now > time }, "the host's time goes on without the recording's")
    process = try daemon(["--location-socket", "unix:\(path)"])
    #expect(await eventually { program.locations.count > count + 3 && program.isConnected })
    #expect(program.errors.dropFirst(errors).allSatisfy { $0.code == .network || $0.code == .locationUnknown })
    #expect(program.locations.last?.sourceInformation?.device == "drive.nmea")
    try await process.terminate()
  }

  @Test func noPermissionIsDeniedAndAPermissionIsNoticed() async throws {
    let process = try daemon(["--location-socket", "unix:\(path)"])
    #expect(await eventually { access(path, F_OK) == 0 })
    #expect(chmod(folder.path, 0) == 0)
    let source = DaemonSource(path: path)
    // The reading thread has the rights of the thread that starts it.
    let manager = withoutOverride { self.manager(source) }
    #expect(await eventually { program.errors.last?.code == .denied })
    #expect(program.errors.count == 1, "\(program.errors)")
    #expect(program.errors.last?.message.hasPrefix("may not use the location service at \(path): ") == true)
    #expect(manager.authorizationStatus == .denied && program.authorizations.last == .denied)
    #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o666) == 0)
    #expect(await eventually { !program.locations.isEmpty })
    #expect(manager.authorizationStatus == .authorizedAlways && program.authorizations.last == .authorizedAlways)
    try await process.terminate()
  }

  @Test func aSocketThatIsGoneIsNotDenied() async throws {
    #expect(chmod(folder.path, 0) == 0)
    let manager = withoutOverride { self.manager(DaemonSource(path: path)) }
    #expect(await eventually(within: 10) { manager.authorizationStatus == .denied }, "the folder is not closed")
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(await eventually(within: 10) { manager.authorizationStatus == .notDetermined }, "the folder is not open")
  }

  /// Calls `body` without root's right to open everything. Threads that begin in it keep that, among them some that other
  /// tests use, so it takes no more: with another user they could not make a folder.
  private func withoutOverride<Result>(_ body: () -> Result) -> Result {
    typealias Capabilities = @convention(c) (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) -> Int32
    guard geteuid() == 0, let get = dlsym(nil, "capget"), let set = dlsym(nil, "capset") else { return body() }
    var (header, present): ([UInt32], [UInt32]) = ([0x2008_0522, 0], [0, 0, 0, 0, 0, 0])
    #expect(unsafeBitCast(get, to: Capabilities.self)(&header, &present) == 0)
    // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of the effective ones.
    var lesser = present
    lesser[0] &= ~0b110
    let setCapabilities = unsafeBitCast(set, to: Capabilities.self)
    #expect(setCapabilities(&header, &lesser) == 0)
    defer { #expect(setCapabilities(&header, &present) == 0) }
    return body()
  }

  /// Another socket of the daemon is no location service, and a source that is not wanted has no thread and no connection.
  @Test func onlyALocationSocketIsFollowedForAsLongAsItIsWanted() async throws {
    let port = LoopbackSocket.unusedPort()
    let others = ["regions", "nmea"].map { folder.path($0) }
    let process = try daemon([
      "--region-socket", "unix:\(others[0])", "--nmea", "unix:\(others[1])", "--location-socket",
      "tcp:127.0.0.1:\(port)", "--location-socket", "unix:\(path)", "--reader-limit", "1",
    ])
    #expect(await eventually { access(path, F_OK) == 0 })
    for (count, other) in others.enumerated() {
      let manager = manager(DaemonSource(path: other))
      let words = "not a location socket of rxlocationd"
      #expect(await eventually { program.errors.count { $0.message.contains(words) } > count }, "\(other)")
      #expect(program.locations.isEmpty && manager.location == nil)
    }
    let source = DaemonSource(host: "127.0.0.1", port: port)
    let manager = manager(source)
    #expect(await eventually { program.locations.count > 3 })
    #expect(manager.fixState == .current)
    manager.stopUpdatingLocation()
    #expect(source.status == .idle)
    // Its place is free for another reader.
    var byte: UInt8 = 0
    let isFree = try await eventually {
      let client = try Client.unix(path)
      return recv(client.descriptor, &byte, 1, 0) == 1
    }
    #expect(isFree)
    try await process.terminate()
  }

  /// The daemon reports that it has no gpsd, which is not the socket's fault.
  @Test func theDaemonsSourceIsTheProgramsSource() async throws {
    let process = try DaemonProcess(["--gpsd", "127.0.0.1:9", "--location-socket", "unix:\(path)"])
    let manager = manager(DaemonSource(path: path))
    #expect(await eventually { program.errors.contains { $0.message.contains("gpsd at 127.0.0.1:9") } })
    #expect(
      await eventually { if case .waiting("Connection refused", _) = program.statuses.last { true } else { false } })
    #expect(manager.authorizationStatus == .authorizedAlways)
    try await process.terminate()
  }

  // MARK: Servers that are not the daemon, or no longer know what they say

  nonisolated private static let greeting = #"{"type":"source","status":"connected","devices":["gps0"]}"# + "\n"
  nonisolated private static let good = #"{"type":"location","latitude":1.5,"longitude":2.5,"mode":2}"# + "\n"

  nonisolated private static let badLines: [String] = [
    "\n\r\n", "not JSON", "{", "[]", "null", #"{"type":7}"#, #"{"no":"type"}"#, #"{"type":"unheard of"}"#,
    #"{"type":"location"}"#, #"{"type":"location","latitude":91,"longitude":0}"#,
    #"{"type":"location","latitude":"north","longitude":[],"mode":{}}"#,
    #"{"type":"location","latitude":NaN,"longitude":1e999}"#, #"{"type":"source"}"#,
    #"{"type":"source","status":"sleepy"}"#, #"{"type":"source","status":"waiting","retryIn":"-","reason":{}}"#,
    #"{"type":"source","status":"connected","devices":[1,null,{"a":[]}]}"#, #"{"type":"satellites"}"#,
    #"{"type":"satellites","satellites":[7,{},{"system":"Krypton","number":1},{"system":"GPS","number":1e30}]}"#,
    #"{"type":"heading","trueHeading":"up","time":"yesterday"}"#, #"{"type":"clock"}"#,
    #"{"type":"clock","seconds":1e300}"#, #"{"type":"clock","seconds":-5}"#, #"{"type":"error","code":"doom"}"#,
    #"{"type":"error","code":"network"}"#, #"{"type":"state","fix":"lost","reason":"receiver"}"#,
    String(repeating: "[", count: 50_000), String(repeating: "x", count: 200_000),
    #"{"type":"error","code":"network","message":"\ud800\u0000"}"#, "\u{0}\u{1}\u{2}",
  ]

  /// A source's connection to a server that has said something. Not on the main actor, for which the reading thread waits.
  nonisolated private func serve(_ text: String, _ listener: LoopbackSocket) async throws -> LoopbackSocket {
    try await Task.detached {
      let server = try listener.accept()
      server.send(text)
      return server
    }.value
  }

  /// A bad line costs the line, and every later record arrives.
  @Test(arguments: badLines.indices) func aBadLineCostsTheLine(index: Int) async throws {
    let listener = try LoopbackSocket.listener()
    let source = DaemonSource(host: "127.0.0.1", port: listener.port)
    let manager = manager(source)
    let server = try await serve(Self.greeting + Self.badLines[index] + "\n" + Self.good, listener)
    #expect(await eventually { program.locations.last?.coordinate.latitude == 1.5 })
    #expect(manager.fixState == .current && (source.skippedLines["malformed"] ?? 2) <= 1)
    server.close()
  }

  /// The daemon sends satellites only when they change, so the source asks again for those that are wanted anew.
  @Test func satellitesThatAreWantedAnewAreAskedForAgain() async throws {
    let listener = try LoopbackSocket.listener()
    let manager = manager(DaemonSource(host: "127.0.0.1", port: listener.port))
    let server = try await serve(Self.greeting + Self.good, listener)
    #expect(await eventually { program.locations.count == 1 })
    for _ in 0..<2 {
      manager.stopUpdatingSatellites()
      manager.startUpdatingSatellites()
      // The thread may also see the moment without.
      var requests = ""
      while !requests.hasSuffix("satellites\n"), let bytes = await Task.detached(operation: { server.receive() }).value,
        !bytes.isEmpty
      { requests += String(decoding: bytes, as: UTF8.self) }
      #expect(["watch satellites\n", "watch\nwatch satellites\n"].contains(requests))
    }
    server.close()
  }

  /// A daemon that has played its recording to the end is not missed, but the next one is.
  @Test func aDaemonThatGoesAfterARecordingIsNoticed() async throws {
    let listener = try LoopbackSocket.listener()
    let manager = manager(DaemonSource(host: "127.0.0.1", port: listener.port))
    for text in [#"{"type":"source","status":"finished"}"# + "\n", Self.greeting] {
      _ = try await serve(text, listener)
    }
    #expect(await eventually(within: 10) { program.isWaiting }, "\(program.statuses)")
    #expect(program.statuses == [.finished, .connected(devices: ["gps0"])] + program.statuses.suffix(1))
    withExtendedLifetime(manager) {}
  }

  /// The source looks again until the daemon is there.
  @Test(
    arguments: [
      "", "\n", "HTTP/1.1 400 Bad Request\r\n\r\n", #"{"class":"VERSION","release":"3.25"}"# + "\n", good, "{",
    ])
  func aServerThatIsAnotherIsLeft(text: String) async throws {
    let listener = try LoopbackSocket.listener()
    let manager = manager(DaemonSource(host: "127.0.0.1", port: listener.port))
    _ = try await serve(text, listener)
    let daemon = try await serve("", listener)
    #expect(program.locations.isEmpty)
    #expect(daemon.send(Self.greeting + Self.good))
    #expect(await eventually { program.locations.count == 1 })
    #expect(manager.fixState == .current && program.errors.isEmpty)
  }
}
