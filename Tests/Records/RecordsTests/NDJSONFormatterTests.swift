@testable import Records
import Foundation
import HeadlessMap
import LocationKit
import TestSupport
import Testing

@Suite(.inTurn) struct NDJSONFormatterTests {
  private let formatter = NDJSONFormatter()

  static let full = Location(
    coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
    ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, verticalAccuracy: 9, course: 10.3,
    courseAccuracy: 4.1,
    speed: 1.2, speedAccuracy: 0.4, climb: -0.5, timestamp: Date(timeIntervalSince1970: 1_708_760_163),
    mode: .threeDimensional,
    satellitesUsed: 9, satellitesSeen: 12,
    quality: GNSSQuality(
      status: .rtkFixed, hdop: 0.9, vdop: 1.5, pdop: 1.7, tdop: 0.8, gdop: 1.9, geoidSeparation: -32.5, dgpsAge: 1.5,
      dgpsStation: 133),
    sourceInformation: LocationSourceInformation(device: "/dev/ttyUSB0", isSimulatedBySoftware: true, isHeld: true),
    doubts: [.standstill, .signals])

  static let home = Region(center: LocationCoordinate2D(latitude: 1.6, longitude: 2), radius: 50, identifier: "home")

  @Test func aFullLocationHasTheDesignsKeysInTheirOrder() {
    #expect(
      text { formatter.append(Self.full, to: &$0) } == #"""
        {"type":"location","time":"2024-02-24T07:36:03.000Z","latitude":37.785834,"longitude":-122.406417,"altitude":10.1,"ellipsoidalAltitude":-22.4,"horizontalAccuracy":5.0,"verticalAccuracy":9.0,"course":10.3,"courseAccuracy":4.1,"speed":1.2,"speedAccuracy":0.4,"mode":3,"satellites":9,"source":"/dev/ttyUSB0","simulated":true,"climb":-0.5,"satellitesSeen":12,"status":"rtkFixed","hdop":0.9,"vdop":1.5,"pdop":1.7,"geoidSeparation":-32.5,"dgpsAge":1.5,"dgpsStation":133,"tdop":0.8,"gdop":1.9,"held":true,"doubts":"standstill signals"}

        """#)
  }

  @Test func whatIsUnknownIsAbsent() {
    #expect(
      text { formatter.append(Location(latitude: 0, longitude: -180), to: &$0) }
        == #"{"type":"location","latitude":0.0,"longitude":-180.0,"mode":2}"# + "\n")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func whatIsNotFiniteOrAbsurdIsAbsent(_ value: Double) {
    var location = Self.full
    location.coordinate.longitude = value
    location.altitude = value
    location.speed = value
    location.speedAccuracy = value
    location.timestamp = Date(timeIntervalSince1970: value)
    location.sourceInformation = nil
    #expect(
      text { formatter.append(location, to: &$0) } == #"""
        {"type":"location","ellipsoidalAltitude":-22.4,"horizontalAccuracy":5.0,"verticalAccuracy":9.0,"course":10.3,"courseAccuracy":4.1,"mode":3,"satellites":9,"climb":-0.5,"satellitesSeen":12,"status":"rtkFixed","hdop":0.9,"vdop":1.5,"pdop":1.7,"geoidSeparation":-32.5,"dgpsAge":1.5,"dgpsStation":133,"tdop":0.8,"gdop":1.9,"doubts":"standstill signals"}

        """#)
    let region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 1, longitude: value),
      span: CoordinateSpan(latitudeDelta: 1, longitudeDelta: 1))
    #expect(text { formatter.append(region, at: nil, to: &$0) } == "{\"type\":\"region\"}\n")
  }

  @Test func theOtherRecords() {
    let time = Date(timeIntervalSince1970: 1_708_760_163.25)
    let region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417),
      span: CoordinateSpan(latitudeDelta: 0.0900997, longitudeDelta: 0.1135543))
    #expect(
      text { formatter.append(region, at: time, to: &$0) } == #"""
        {"type":"region","time":"2024-02-24T07:36:03.250Z","center":{"latitude":37.785834,"longitude":-122.406417},"span":{"latitudeDelta":0.0900997,"longitudeDelta":0.1135543}}

        """#)
    let crossing = RegionCrossing(
      Self.home, .inside,
      at: Location(coordinate: LocationCoordinate2D(latitude: 1.5, longitude: 2), timestamp: time))
    #expect(
      text { formatter.append(crossing, to: &$0) } == #"""
        {"type":"fence","time":"2024-02-24T07:36:03.250Z","fence":"home","event":"enter","latitude":1.5,"longitude":2.0}

        """#)
    #expect(
      text { formatter.append(LocationError(.locationUnknown, "no fix for 10 s"), to: &$0) }
        == #"{"type":"error","code":"locationUnknown","message":"no fix for 10 s"}"# + "\n")
    #expect(text { formatter.append(dropped: 1234, to: &$0) } == #"{"type":"dropped","count":1234}"# + "\n")
  }

  @Test func stringsComeBackAsTheyWere() throws {
    var scalars = String.UnicodeScalarView()
    for value in 0...0x2100 { scalars.append(Unicode.Scalar(value) ?? "x") }
    let device =
      String(scalars) + "\u{2028}😀\u{10FFFF}"
      + String(decoding: [0xFF, 0xC0, 0x80] as [UInt8], as: UTF8.self)
    var location = Location(latitude: 1, longitude: 2)
    location.sourceInformation = LocationSourceInformation(device: device)
    let line = text { formatter.append(location, to: &$0) }
    #expect(line.utf8.filter { $0 == 10 }.count == 1)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect((object["source"] as? String).map { Array($0.utf8) } == Array(device.utf8))
    #expect(object["simulated"] as? Bool == false)
  }
}
