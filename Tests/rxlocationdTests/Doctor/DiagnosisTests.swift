import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import rxlocationd

/// What the doctor says, and what it reads of this host.
@Suite struct DiagnosisTests {
  @Test("a hint is for a person and for a machine")
  func hint() {
    let diagnosis = Diagnosis(step: "devices", .failure, "gpsd has no device", hint: "plug the receiver in")
    #expect(
      diagnosis.json.contains(#""outcome":"failure""#) && diagnosis.json.contains(#""hint":"plug the receiver in""#))
    #expect(diagnosis.text == "FAILED   devices: gpsd has no device\n         hint: plug the receiver in")
    #expect(!Diagnosis(step: "gpsd", .ok, "answers").json.contains("hint"))
  }

  @MainActor @Test("the settings of GeoClue are read")
  func geoClue() throws {
    let folder = try TemporaryFolder()
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
    let folder = try TemporaryFolder()
    try folder.write("[Service]\nIPAddressDeny=any\nIPAddressAllow=localhost\n", to: "a.service")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost"])
    try FileManager.default.createDirectory(atPath: folder.path("a.service.d"), withIntermediateDirectories: false)
    try folder.write("[Service]\nIPAddressAllow=10.0.0.0/8 ::1\n", to: "a.service.d/override.conf")
    #expect(LocalHost.allowedAddresses(of: "a.service", in: [folder.url.path]) == ["localhost", "10.0.0.0/8", "::1"])
  }
}
