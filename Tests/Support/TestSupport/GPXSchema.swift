import Foundation

/// The part of GPX 1.1 that this program writes, as a schema of this project's own: element order, cardinality and
/// value ranges are those of Topografix's gpx.xsd, which may be used instead by naming it in `GPX_SCHEMA`.
public enum GPXSchema {
  /// What the validator says about files; `nil` when there is no xmllint here, "" when all are valid.
  public static func validate(_ paths: [String], in folder: TemporaryFolder) throws -> String? {
    let official = ProcessInfo.processInfo.environment["GPX_SCHEMA"]
    let schema = official ?? folder.file("gpx.xsd")
    if official == nil { try Data(text.utf8).write(to: URL(fileURLWithPath: schema)) }
    guard let tool = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first(where: FileManager.default.isExecutableFile)
    else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = ["--noout", "--nonet", "--schema", schema] + paths
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let complaints = output.split(separator: "\n").filter { !$0.hasSuffix(" validates") }
    return process.terminationStatus == 0 && complaints.isEmpty ? "" : output
  }

  private static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="http://www.topografix.com/GPX/1/1"
      targetNamespace="http://www.topografix.com/GPX/1/1" elementFormDefault="qualified">
      <xsd:element name="gpx">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="trk" minOccurs="0" maxOccurs="unbounded">
              <xsd:complexType>
                <xsd:sequence>
                  <xsd:element name="trkseg" minOccurs="0" maxOccurs="unbounded">
                    <xsd:complexType>
                      <xsd:sequence>
                        <xsd:element name="trkpt" type="wptType" minOccurs="0" maxOccurs="unbounded"/>
                      </xsd:sequence>
                    </xsd:complexType>
                  </xsd:element>
                </xsd:sequence>
              </xsd:complexType>
            </xsd:element>
          </xsd:sequence>
          <xsd:attribute name="version" type="xsd:string" use="required" fixed="1.1"/>
          <xsd:attribute name="creator" type="xsd:string" use="required"/>
        </xsd:complexType>
      </xsd:element>
      <xsd:complexType name="wptType">
        <xsd:sequence>
          <xsd:element name="ele" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="time" type="xsd:dateTime" minOccurs="0"/>
          <xsd:element name="geoidheight" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="src" type="xsd:string" minOccurs="0"/>
          <xsd:element name="fix" minOccurs="0">
            <xsd:simpleType>
              <xsd:restriction base="xsd:string">
                <xsd:enumeration value="none"/><xsd:enumeration value="2d"/><xsd:enumeration value="3d"/>
                <xsd:enumeration value="dgps"/><xsd:enumeration value="pps"/>
              </xsd:restriction>
            </xsd:simpleType>
          </xsd:element>
          <xsd:element name="sat" type="xsd:nonNegativeInteger" minOccurs="0"/>
          <xsd:element name="hdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="vdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="pdop" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="ageofdgpsdata" type="xsd:decimal" minOccurs="0"/>
          <xsd:element name="dgpsid" minOccurs="0">
            <xsd:simpleType>
              <xsd:restriction base="xsd:integer">
                <xsd:minInclusive value="0"/><xsd:maxInclusive value="1023"/>
              </xsd:restriction>
            </xsd:simpleType>
          </xsd:element>
          <xsd:element name="extensions" minOccurs="0">
            <xsd:complexType>
              <xsd:sequence>
                <xsd:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
              </xsd:sequence>
            </xsd:complexType>
          </xsd:element>
        </xsd:sequence>
        <xsd:attribute name="lat" use="required">
          <xsd:simpleType>
            <xsd:restriction base="xsd:decimal">
              <xsd:minInclusive value="-90.0"/><xsd:maxInclusive value="90.0"/>
            </xsd:restriction>
          </xsd:simpleType>
        </xsd:attribute>
        <xsd:attribute name="lon" use="required">
          <xsd:simpleType>
            <xsd:restriction base="xsd:decimal">
              <xsd:minInclusive value="-180.0"/><xsd:maxExclusive value="180.0"/>
            </xsd:restriction>
          </xsd:simpleType>
        </xsd:attribute>
      </xsd:complexType>
    </xsd:schema>
    """
}
