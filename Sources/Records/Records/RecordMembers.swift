public import LocationKit

extension RecordMember<Location> {
  /// The members of a location. Units are Core Location's: degrees, metres, metres per second.
  public static let location: [Self] = {
    var list = RecordMemberList<Location>()
    showLocation(to: &list)
    return list.members
  }()

  /// Shows the members of a location to a visitor.
  @inline(__always)
  static func showLocation(to visitor: inout some RecordMemberVisitor<Location> & ~Copyable) {
    visitor.time("time", { $0.timestamp }, { $0.timestamp = $1 }, [])
    visitor.angle("latitude", { $0.coordinate.known?.latitude }, { $0.coordinate.latitude = $1 }, .required)
    visitor.angle("longitude", { $0.coordinate.known?.longitude }, { $0.coordinate.longitude = $1 }, .required)
    visitor.measure("altitude", { $0.altitude }, { $0.altitude = $1 }, [])
    visitor.measure("ellipsoidalAltitude", { $0.ellipsoidalAltitude }, { $0.ellipsoidalAltitude = $1 }, [])
    visitor.measure("horizontalAccuracy", { $0.horizontalAccuracy }, { $0.horizontalAccuracy = $1 }, [])
    visitor.measure("verticalAccuracy", { $0.verticalAccuracy }, { $0.verticalAccuracy = $1 }, [])
    visitor.measure("course", { $0.course }, { $0.course = $1 }, [])
    visitor.measure("courseAccuracy", { $0.courseAccuracy }, { $0.courseAccuracy = $1 }, [])
    visitor.measure("speed", { $0.speed }, { $0.speed = $1 }, [])
    visitor.measure("speedAccuracy", { $0.speedAccuracy }, { $0.speedAccuracy = $1 }, [])
    visitor.measure("climb", { $0.climb }, { $0.climb = $1 }, .kept)
    visitor.whole(
      "mode", { Int($0.mode.rawValue) }, { $0.mode = $1 == 3 ? .threeDimensional : .twoDimensional }, .required)
    visitor.whole("satellites", { $0.satellitesUsed }, { $0.satellitesUsed = $1 }, [])
    visitor.whole("satellitesSeen", { $0.satellitesSeen }, { $0.satellitesSeen = $1 }, .kept)
    visitor.text(
      "source", { $0.sourceInformation?.device },
      { location, device in
        location.source.device = device
        return true
      }, [])
    visitor.flag(
      "simulated", { $0.sourceInformation?.isSimulatedBySoftware }, { $0.source.isSimulatedBySoftware = $1 }, [])
  }
}

extension RecordMember<RegionCrossing> {
  /// The members of the crossing of a fence: which one, which way, and the fix that showed it.
  public static let crossing: [Self] = [
    Self("time", .time({ $0.location.timestamp }, { $0.location.timestamp = $1 })),
    Self("fence", .anyText({ $0.region.identifier }, { $0.region.identifier = $1 }), isRequired: true),
    Self(
      "event",
      .text(
        { $0.state == .inside ? "enter" : "exit" },
        { crossing, event in
          crossing.state = event == "enter" ? .inside : .outside
          return event == "enter" || event == "exit"
        }), isRequired: true),
    Self(
      "latitude",
      .angle({ $0.location.coordinate.known?.latitude }, { $0.location.coordinate.latitude = $1 }), isRequired: true),
    Self(
      "longitude",
      .angle({ $0.location.coordinate.known?.longitude }, { $0.location.coordinate.longitude = $1 }),
      isRequired: true),
    Self(
      "horizontalAccuracy",
      .measure({ $0.location.horizontalAccuracy }, { $0.location.horizontalAccuracy = $1 }), isKeptOnly: true),
    Self(
      "centerLatitude", .angle({ $0.region.center.latitude }, { $0.region.center.latitude = $1 }), isRequired: true,
      isKeptOnly: true),
    Self(
      "centerLongitude", .angle({ $0.region.center.longitude }, { $0.region.center.longitude = $1 }), isRequired: true,
      isKeptOnly: true),
    Self("radius", .measure({ $0.region.radius }, { $0.region.radius = $1 }), isRequired: true, isKeptOnly: true),
  ]
}

extension RecordMember<LocationError> {
  /// The members of a failure of the location service.
  public static let error: [Self] = [
    Self(
      "code",
      .text(
        { $0.code.rawValue },
        { error, text in LocationError.Code(rawValue: text).map { error.code = $0 } != nil }), isRequired: true),
    Self("message", .anyText({ $0.message }, { $0.message = $1 })),
  ]
}

extension Location {
  /// For members that say something of the source: the first makes one.
  fileprivate var source: LocationSourceInformation {
    get { sourceInformation ?? LocationSourceInformation() }
    set { sourceInformation = newValue }
  }
}

extension LocationCoordinate2D {
  /// Whether both angles can be written.
  @inline(__always)
  var isWritable: Bool {
    RecordBuffer.isWritable(latitude, places: .angle) && RecordBuffer.isWritable(longitude, places: .angle)
  }

  /// Itself when it can be written: half a position is none.
  @inline(__always)
  fileprivate var known: LocationCoordinate2D? { isWritable ? self : nil }
}
