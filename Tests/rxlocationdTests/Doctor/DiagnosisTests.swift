import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct DiagnosisTests {
  private let folder = TemporaryFolder()

  @Test("a hint is for a person and for a machine")
  func hint() {
    let diagnosis = Diagnosis(step: "devices", .failure, "gpsd has no device", hint: "plug the receiver in")
    #expect(
      diagnosis.json.contains(#""outcome":"failure""#) && diagnosis.json.contains(#""hint":"plug the receiver in""#))
    #expect(diagnosis.text == "FAILED   devices: gpsd has no device\n         hint: plug the receiver in")
    #expect(!Diagnosis(step: "gpsd", .ok, "answers").json.contains("hint"))
  }

  @Test("the way out of an error is the hint")
  func refusal() {
    let diagnosis = Diagnosis(step: "map", refused: "port 80 is in use; end it; or wait", hint: "none")
    #expect(diagnosis.message == "port 80 is in use" && diagnosis.hint == "end it; or wait")
    #expect(Diagnosis(step: "map", refused: "is full", hint: "make room").hint == "make room")
  }

  @Test("without settings on the command line the service's settings are read, if there are any")
  func serviceFile() throws {
    let path = FilePath(folder.path("rxlocationd.conf"))
    #expect(DoctorCommand.serviceFile(for: ["doctor"], at: path) == nil)
    try folder.write("", to: "rxlocationd.conf")
    for line in ["doctor", "doctor --format=json --timeout 3", "doctor --bundle b --bundle-offset"] {
      #expect(DoctorCommand.serviceFile(for: line.split(separator: " ").map(String.init), at: path) == path)
    }
    for line in ["doctor --gpsd host", "doctor --map=localhost:80 --format json"] {
      #expect(DoctorCommand.serviceFile(for: line.split(separator: " ").map(String.init), at: path) == nil)
    }
  }

  /// The system's table is longer than a page then.
  @MainActor @Test("users are found on a host with many sockets")
  func manySockets() throws {
    let listeners = try (0..<100).map { _ in try LoopbackSocket.listener() }
    for listener in listeners {
      // A process that another test starts has the descriptor until its program runs.
      #expect(eventuallyBlocking { LocalHost.listeners(on: listener.port).map(\.identifier) == [getpid()] })
    }
  }

  @MainActor @Test("the settings of GeoClue are read")
  func geoClue() throws {
    #expect(!LocalHost.geoClue(in: folder.url.path).isInstalled)
    try folder.write("[network-nmea]\n#nmea-socket=/a\n", to: "geoclue.conf")
    #expect(LocalHost.geoClue(in: folder.url.path).isInstalled && LocalHost.geoClue(in: folder.url.path).socket == nil)
    try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: false)
    let example = try String(contentsOf: Checkout.file("systemd/geoclue.conf"), encoding: .utf8)
    try folder.write(example, to: "conf.d/rxlocationd.conf")
    let geoClue = LocalHost.geoClue(in: folder.url.path)
    #expect(geoClue.socket == "/run/rxlocationd/nmea.sock")

    func diagnosis(_ arguments: [String]) throws -> Diagnosis? {
      try OutputTrial.geoClue(RegionSocketOptions.parse(arguments), geoClue)
    }
    let socket = ["--nmea", "unix:/run/rxlocationd/nmea.sock"]
    #expect(try diagnosis([]) == nil)
    #expect(try diagnosis(["--nmea", "tcp:localhost:10110"]) == nil)
    #expect(try diagnosis(socket)?.hint == "set region-socket-mode 666")
    #expect(try diagnosis(socket + ["--region-socket-mode", "664"])?.hint == "set region-socket-mode 666")
    #expect(try diagnosis(socket + ["--region-socket-mode", "666"])?.message == "reads /run/rxlocationd/nmea.sock")
    #expect(try diagnosis(["--nmea", "unix:/other"])?.hint?.contains("nmea-socket=/other") == true)
  }

  @Test("the sandbox of a service is read")
  func sandbox() throws {
    try folder.write("[Service]\nIPAddressDeny=any\nIPAddressAllow=localhost\n", to: "a.service")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost"])
    try FileManager.default.createDirectory(atPath: folder.path("a.service.d"), withIntermediateDirectories: false)
    try folder.write("[Service]\nIPAddressAllow=10.0.0.0/8 ::1\n", to: "a.service.d/override.conf")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost", "10.0.0.0/8", "::1"])
  }
}
