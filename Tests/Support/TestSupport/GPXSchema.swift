import Foundation

/// The part of GPX 1.1 that this program writes, as a schema of this project's own: element order, cardinality and
/// value ranges are those of Topografix's gpx.xsd, which may be used instead by naming it in `GPX_SCHEMA`.
package enum GPXSchema {
  /// What xmllint says about files, without the schema if they need only be well-formed; `nil` when there is no xmllint
  /// here, "" when all are valid.
  package static func validate(_ paths: [String], in folder: TemporaryFolder, bySchema: Bool = true) throws -> String? {
    let tools = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"]
    guard let tool = tools.first(where: FileManager.default.isExecutableFile) else { return nil }
    let official = ProcessInfo.processInfo.environment["GPX_SCHEMA"]
    let schema = try bySchema ? ["--schema", official ?? folder.write(text, to: "gpx.xsd")] : []
    let output = folder.file("xmllint-\(UUID().uuidString)")
    let process = try spawnInBackground([tool, "--noout", "--nonet"] + schema + paths, output: output)
    let isValid = waitForEnd(of: process) == 0
    let complaints = contents(output).split(separator: "\n").filter { !$0.hasSuffix(" validates") }
    return isValid && complaints.isEmpty ? "" : contents(output)
  }

  private static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="http://www.topografix.com/GPX/1/1"
      targetNamespace="http://www.topografix.com/GPX/1/1" elementFormDefault="qualified">
      <xsd:element name="gpx" type="gpxType"/>
      <xsd:complexType name="gpxType">
        <xsd:sequence><xsd:element name="trk" type="trkType" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence>
        <xsd:attribute name="version" type="xsd:string" use="required" fixed="1.1"/>
        <xsd:attribute name="creator" type="xsd:string" use="required"/>
      </xsd:complexType>
      <xsd:complexType name="trkType">
        <xsd:sequence><xsd:element name="trkseg" type="trksegType" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence>
      </xsd:complexType>
      <xsd:complexType name="trksegType">
        <xsd:sequence><xsd:element name="trkpt" type="wptType" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence>
      </xsd:complexType>
      <xsd:complexType name="wptType">
        <xsd:sequence>
          <xsd:element name="ele" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="time" type="xsd:dateTime" minOccurs="0"/>
          <xsd:element name="geoidheight" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="src" type="xsd:string" minOccurs="0"/>
          <xsd:element name="fix" type="fixType" minOccurs="0"/>
          <xsd:element name="sat" type="xsd:nonNegativeInteger" minOccurs="0"/>
          <xsd:element name="hdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="vdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="pdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="ageofdgpsdata" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="dgpsid" type="dgpsStationType" minOccurs="0"/>
          <xsd:element name="extensions" type="extensionsType" minOccurs="0"/>
        </xsd:sequence>
        <xsd:attribute name="lat" type="latitudeType" use="required"/>
        <xsd:attribute name="lon" type="longitudeType" use="required"/>
      </xsd:complexType>
      <xsd:complexType name="extensionsType">
        <xsd:sequence><xsd:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence>
      </xsd:complexType>
      <xsd:simpleType name="fixType">
        <xsd:restriction base="xsd:string"><xsd:pattern value="none|2d|3d|dgps|pps"/></xsd:restriction>
      </xsd:simpleType>
    \(number("dgpsStationType", "integer", #"<xsd:minInclusive value="0"/><xsd:maxInclusive value="1023"/>"#))
    \(number("latitudeType", "decimal", #"<xsd:minInclusive value="-90"/><xsd:maxInclusive value="90"/>"#))
    \(number("longitudeType", "decimal", #"<xsd:minInclusive value="-180"/><xsd:maxExclusive value="180"/>"#))
    </xsd:schema>
    """

  private static func number(_ name: String, _ base: String, _ range: String) -> String {
    #"<xsd:simpleType name="\#(name)"><xsd:restriction base="xsd:\#(base)">\#(range)</xsd:restriction></xsd:simpleType>"#
  }
}
