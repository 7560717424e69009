@testable import Records
import Foundation
import HeadlessMap
import LocationKit
import TestSupport
import Testing

@Suite(.inTurn) struct FormatTests {
  private static let fence = RegionCrossing(
    NDJSONFormatterTests.home, .outside,
    at: Location(
      coordinate: LocationCoordinate2D(latitude: 1.5, longitude: 2),
      timestamp: Date(timeIntervalSince1970: 1_708_760_163)))

  /// One record of each kind.
  private func stream(_ format: some RecordFormatter) -> String {
    var formatter = format
    return text { buffer in
      formatter.appendStart(to: &buffer)
      formatter.append(NDJSONFormatterTests.full, to: &buffer)
      formatter.append(Self.fence, to: &buffer)
      formatter.append(LocationError(.locationUnknown, "no fix"), to: &buffer)
      formatter.append(dropped: 3, to: &buffer)
      formatter.append(Location(latitude: -1, longitude: 180), to: &buffer)
      formatter.appendEnd(to: &buffer)
    }
  }

  /// The properties of a feature are the record's members.
  @Test func geoJSONIsATextSequenceOfFeatures() {
    let geometries = [
      #"{"type":"Point","coordinates":[-122.406417,37.785834,-22.4]}"#, #"{"type":"Point","coordinates":[2.0,1.5]}"#,
      "null", "null", #"{"type":"Point","coordinates":[180.0,-1.0]}"#,
    ]
    let records = stream(NDJSONFormatter()).split(separator: "\n")
    #expect(records.count == geometries.count)
    let features = zip(geometries, records).map { #"{"type":"Feature","geometry":\#($0),"properties":\#($1)}"# }
    #expect(stream(GeoJSONFormatter()) == features.map { "\u{1E}\($0)\n" }.joined())
  }

  @Test func geoJSONHasNoPlaceForAnImpossibleOne() {
    let formatter = GeoJSONFormatter()
    #expect(
      text { formatter.append(Location(latitude: 91, longitude: .nan), to: &$0) }
        == "\u{1E}{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"type\":\"location\",\"mode\":2}}\n")
  }

  @Test func csvHasAHeaderAndALineForEachLocation() throws {
    #expect(
      stream(CSVFormatter()) == """
        time,latitude,longitude,altitude,ellipsoidalAltitude,horizontalAccuracy,verticalAccuracy,course,courseAccuracy,speed,speedAccuracy,mode,satellites,source,simulated,climb,satellitesSeen,status,hdop,vdop,pdop,geoidSeparation,dgpsAge,dgpsStation,device,tdop,gdop,held,doubts,segment
        2024-02-24T07:36:03.000Z,37.785834,-122.406417,10.1,-22.4,5.0,9.0,10.3,4.1,1.2,0.4,3,9,/dev/ttyUSB0,true,-0.5,12,rtkFixed,0.9,1.5,1.7,-32.5,1.5,133,,0.8,1.9,true,standstill signals,1
        ,-1.0,180.0,,,,,,,,,2,,,,,,,,,,,,,,,,,,2

        """)
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "two\\nlines"), ("\r,", "\"\\r,\""), ("\u{1B}[31m\u{7F}\0", "\\u001B[31m\\u007F\\u0000"),
    ("blank ", "\"blank \""), (" blank", "\" blank\""), ("ünï", "ünï"), ("\"", "\"\"\"\""),
  ])
  func csvQuotesByRFC4180AndEscapesControlCharacters(_ field: String, _ expected: String) {
    #expect(text { $0.appendCSVField(field) } == expected)
  }

  @Test func csvLinesHaveAsManyFieldsAsTheHeader() {
    var location = NDJSONFormatterTests.full
    location.coordinate.latitude = .nan
    location.altitude = .infinity
    location.sourceInformation?.isSimulatedBySoftware = false
    var formatter = CSVFormatter()
    #expect(
      text { formatter.append(location, to: &$0) }
        == "2024-02-24T07:36:03.000Z,,,,-22.4,5.0,9.0,10.3,4.1,1.2,0.4,3,9,/dev/ttyUSB0,false,-0.5,12,rtkFixed,0.9,1.5,1.7,-32.5,1.5,133,,0.8,1.9,true,standstill signals,1\n"
    )
  }

  /// The fix may be lost before the first location, and again before there was another one.
  @Test func csvNumbersTheStretchesWithAFix() {
    var formatter = CSVFormatter()
    let events: [LocationError.Code?] = [
      .locationUnknown, nil, nil, .denied, nil, .locationUnknown, .locationUnknown, nil,
    ]
    let segments = events.compactMap { code -> String? in
      let line = text { buffer in
        if let code {
          formatter.append(LocationError(code, "x"), to: &buffer)
        } else {
          formatter.append(Location(latitude: 1, longitude: 2), to: &buffer)
        }
      }
      return line.split(separator: ",").last.map { String($0.dropLast()) }
    }
    #expect(segments == ["1", "1", "1", "2"])
  }

  @Test func gpxHasOneTrackAndASegmentForEachStretchWithAFix() throws {
    #expect(
      stream(GPXFormatter()) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="rxlocationd" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:rx="urn:x-rxlocationd:gpx:1">
        <trk><trkseg>
        <trkpt lat="37.785834" lon="-122.406417"><ele>10.1</ele><time>2024-02-24T07:36:03.000Z</time><geoidheight>-32.5</geoidheight><src>/dev/ttyUSB0</src><fix>dgps</fix><sat>9</sat><hdop>0.9</hdop><vdop>1.5</vdop><pdop>1.7</pdop><ageofdgpsdata>1.5</ageofdgpsdata><dgpsid>133</dgpsid><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>1.2</gpxtpx:speed><gpxtpx:course>10.3</gpxtpx:course></gpxtpx:TrackPointExtension><rx:ellipsoidalAltitude>-22.4</rx:ellipsoidalAltitude><rx:horizontalAccuracy>5.0</rx:horizontalAccuracy><rx:verticalAccuracy>9.0</rx:verticalAccuracy><rx:courseAccuracy>4.1</rx:courseAccuracy><rx:speedAccuracy>0.4</rx:speedAccuracy><rx:simulated>true</rx:simulated><rx:climb>-0.5</rx:climb><rx:satellitesSeen>12</rx:satellitesSeen><rx:status>rtkFixed</rx:status><rx:tdop>0.8</rx:tdop><rx:gdop>1.9</rx:gdop><rx:held>true</rx:held><rx:doubts>standstill signals</rx:doubts></extensions></trkpt>
        </trkseg><trkseg>
        <trkpt lat="-1.0" lon="-180.0"><fix>2d</fix></trkpt>
        </trkseg></trk></gpx>

        """)
  }

  @Test func onlyALostFixEndsASegment() {
    var formatter = GPXFormatter()
    for code in LocationError.Code.allCases {
      var buffer = RecordBuffer()
      formatter.append(LocationError(code, "x"), to: &buffer)
      let point = text { formatter.append(Location(latitude: 1, longitude: 2), to: &$0) }
      #expect(point.hasPrefix("</trkseg><trkseg>") == (code == .locationUnknown), "\(code)")
    }
  }

  @Test func gpxWritesFullTurnsAndNoSatellites() {
    var formatter = GPXFormatter()
    var location = Location(latitude: 1, longitude: 2)
    (location.course, location.satellitesUsed) = (360, 0)
    let point = text { formatter.append(location, to: &$0) }
    #expect(point.contains("<gpxtpx:course>0.0</gpxtpx:course>") && point.contains("<sat>0</sat>"))
  }

  @Test func gpxTextIsXMLsWhateverTheDeviceIsCalled() {
    #expect(text { $0.appendXMLText("a<b>&\"c'?>\r\n\t") } == "a&lt;b&gt;&amp;\"c'?&gt;&#13;\n\t")
    #expect(
      text { $0.appendXMLText("\u{0}x\u{1B}\u{FFFE}\u{FFFF}\u{FFFD}😀ﾀ") }
        == "\u{FFFD}x\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}😀ﾀ")
  }
}
