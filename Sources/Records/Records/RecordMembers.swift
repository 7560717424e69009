import LocationKit

extension RecordMember where Record: ListedRecord {
  private static var list: [Self] {
    var list = RecordMemberList<Record>()
    Record.showMembers(to: &list)
    return list.members
  }
}

extension RecordMember<Location> {
  /// The members of a location. Units are Core Location's: degrees, metres, metres per second.
  package static let location = list
}

extension RecordMember<RegionCrossing> {
  package static let crossing = list
}

extension RecordMember<LocationError> {
  package static let error = list
}

extension Location: ListedRecord {
  @inline(__always)
  static func showMembers(to visitor: inout some RecordMemberVisitor<Location> & ~Copyable) {
    visitor.member("time", .time({ $0.timestamp }, { $0.timestamp = $1 }))
    visitor.member("latitude", .angle({ $0.coordinate.known?.latitude }, { $0.coordinate.latitude = $1 }), .required)
    visitor.member("longitude", .angle({ $0.coordinate.known?.longitude }, { $0.coordinate.longitude = $1 }), .required)
    visitor.member("altitude", .measure({ $0.altitude }, { $0.altitude = $1 }))
    visitor.member("ellipsoidalAltitude", .measure({ $0.ellipsoidalAltitude }, { $0.ellipsoidalAltitude = $1 }))
    visitor.member("horizontalAccuracy", .measure({ $0.horizontalAccuracy }, { $0.horizontalAccuracy = $1 }))
    visitor.member("verticalAccuracy", .measure({ $0.verticalAccuracy }, { $0.verticalAccuracy = $1 }))
    visitor.member("course", .measure({ $0.course }, { $0.course = $1 }))
    visitor.member("courseAccuracy", .measure({ $0.courseAccuracy }, { $0.courseAccuracy = $1 }))
    visitor.member("speed", .measure({ $0.speed }, { $0.speed = $1 }))
    visitor.member("speedAccuracy", .measure({ $0.speedAccuracy }, { $0.speedAccuracy = $1 }))
    visitor.member(
      "mode",
      .whole({ Int($0.mode.rawValue) }, { $0.mode = $1 == 3 ? .threeDimensional : .twoDimensional }), .required)
    visitor.member("satellites", .whole({ $0.satellitesUsed }, { $0.satellitesUsed = $1 }))
    visitor.member("source", .anyText({ $0.sourceInformation?.device }, { $0.source.device = $1 }))
    visitor.member(
      "simulated",
      .flag({ $0.sourceInformation?.knownSimulation }, { $0.source.isSimulatedBySoftware = $1 }))
    // New members are added at the end: readers of CSV may count columns, and `collect` numbers messages by this order.
    visitor.member("climb", .measure({ $0.climb }, { $0.climb = $1 }))
    visitor.member("satellitesSeen", .whole({ $0.satellitesSeen }, { $0.satellitesSeen = $1 }))
    visitor.member(
      "status",
      .anyText(
        { $0.quality?.status?.rawValue },
        { if let status = GNSSQuality.Status(rawValue: $1) { $0.knownQuality.status = status } }))
    visitor.member("hdop", .measure({ $0.quality?.hdop }, { $0.knownQuality.hdop = $1 }))
    visitor.member("vdop", .measure({ $0.quality?.vdop }, { $0.knownQuality.vdop = $1 }))
    visitor.member("pdop", .measure({ $0.quality?.pdop }, { $0.knownQuality.pdop = $1 }))
    visitor.member(
      "geoidSeparation", .measure({ $0.quality?.geoidSeparation }, { $0.knownQuality.geoidSeparation = $1 }))
    visitor.member("dgpsAge", .measure({ $0.quality?.dgpsAge }, { $0.knownQuality.dgpsAge = $1 }))
    visitor.member("dgpsStation", .whole({ $0.quality?.dgpsStation }, { $0.knownQuality.dgpsStation = $1 }))
    visitor.member("device", .anyText({ $0.sourceInformation?.deviceIdentifier }, { $0.source.deviceIdentifier = $1 }))
    visitor.member("tdop", .measure({ $0.quality?.tdop }, { $0.knownQuality.tdop = $1 }))
    visitor.member("gdop", .measure({ $0.quality?.gdop }, { $0.knownQuality.gdop = $1 }))
    visitor.member("held", .flag({ $0.sourceInformation?.isHeld == true ? true : nil }, { $0.source.isHeld = $1 }))
    visitor.member(
      "doubts",
      .anyText(
        { $0.doubts?.names },
        { location, names in
          let doubts = Doubts(names: names)
          if !doubts.isEmpty { location.doubts = doubts }
        }))
  }
}

extension RegionCrossing: ListedRecord {
  @inline(__always)
  static func showMembers(to visitor: inout some RecordMemberVisitor<RegionCrossing> & ~Copyable) {
    visitor.member("time", .time({ $0.location.timestamp }, { $0.location.timestamp = $1 }))
    visitor.member("fence", .anyText({ $0.region.identifier }, { $0.region.kept.identifier = $1 }), .required)
    visitor.member(
      "event",
      .text(
        { $0.state == .inside ? "enter" : "exit" },
        { crossing, event in
          crossing.state = event == "enter" ? .inside : .outside
          return event == "enter" || event == "exit"
        }), .required)
    visitor.member(
      "latitude", .angle({ $0.location.coordinate.known?.latitude }, { $0.location.coordinate.latitude = $1 }),
      .required)
    visitor.member(
      "longitude",
      .angle({ $0.location.coordinate.known?.longitude }, { $0.location.coordinate.longitude = $1 }), .required)
    visitor.member(
      "horizontalAccuracy",
      .measure({ $0.location.horizontalAccuracy }, { $0.location.horizontalAccuracy = $1 }), .kept)
    visitor.member(
      "centerLatitude", .angle({ $0.region.kept.center.latitude }, { $0.region.kept.center.latitude = $1 }),
      [.required, .kept])
    visitor.member(
      "centerLongitude", .angle({ $0.region.kept.center.longitude }, { $0.region.kept.center.longitude = $1 }),
      [.required, .kept])
    visitor.member("radius", .measure({ $0.region.kept.radius }, { $0.region.kept.radius = $1 }), [.required, .kept])
    visitor.member(
      "device",
      .anyText({ $0.location.sourceInformation?.deviceIdentifier }, { $0.location.source.deviceIdentifier = $1 }))
    visitor.member("reported", .flag({ $0.isReported ? true : nil }, { $0.isReported = $1 }))
  }
}

extension LocationError: ListedRecord {
  @inline(__always)
  static func showMembers(to visitor: inout some RecordMemberVisitor<LocationError> & ~Copyable) {
    visitor.member(
      "code",
      .text(
        { $0.code.rawValue },
        { error, text in LocationError.Code(rawValue: text).map { error.code = $0 } != nil }), .required)
    visitor.member("message", .anyText({ $0.message }, { $0.message = $1 }))
    visitor.member("device", .anyText({ $0.deviceIdentifier }, { $0.deviceIdentifier = $1 }))
  }
}

extension Region {
  /// What a journal keeps of a region: the circle around polygons.
  fileprivate var kept: CircularRegion {
    get { circle }
    set { self = .circle(newValue) }
  }
}

extension Location {
  /// Setters of the quality's members use it; the first one creates the quality.
  fileprivate var knownQuality: GNSSQuality {
    get { quality ?? GNSSQuality() }
    set { quality = newValue }
  }

  /// Setters of the source's members use it; the first one creates the source.
  package var source: LocationSourceInformation {
    get { sourceInformation ?? LocationSourceInformation() }
    set { sourceInformation = newValue }
  }
}

extension LocationSourceInformation {
  /// Whether the fix was simulated; `nil` for a fix of a collected device, which does not say.
  @inline(__always)
  fileprivate var knownSimulation: Bool? { deviceIdentifier == nil ? isSimulatedBySoftware : nil }
}

extension LocationCoordinate2D {
  @inline(__always)
  var isWritable: Bool {
    RecordBuffer.isWritable(latitude, places: .angle) && RecordBuffer.isWritable(longitude, places: .angle)
  }

  /// The coordinate if both its angles can be written; half a position is not one.
  @inline(__always)
  fileprivate var known: LocationCoordinate2D? { isWritable ? self : nil }
}
