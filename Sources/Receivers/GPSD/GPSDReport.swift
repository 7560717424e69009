import LocationKit

/// One line of gpsd's protocol, as far as it is of use here.
enum GPSDReport: Equatable {
  /// Not a report, or one that libgps cannot read.
  case malformed
  /// A class that nothing here uses: AIS, RTCM and so on.
  case other
  /// gpsd's greeting.
  case version(release: String)
  /// Every device that gpsd has.
  case devices([String])
  /// A device came, changed or, when it is not active, went.
  case device(path: String, isActive: Bool)
  /// gpsd confirms the watch.
  case watch
  /// TPV: time, position, velocity, and of which device.
  case fix(LocationDraft, LocationSourceInformation)
  /// SKY with a list of satellites.
  case sky(device: String?, [Satellite], DilutionOfPrecision)
  /// SKY with a list of satellites, of which nobody wants more than the numbers of those seen and used.
  case skyCounts(device: String?, seen: Int, used: Int, DilutionOfPrecision)
  /// SKY without a list of satellites, as newer daemons send it; it may have the numbers of those seen and used.
  case skyWithoutList(device: String?, seen: Int?, used: Int?, DilutionOfPrecision)
  /// A device has reported what nobody wants.
  case unwanted
  /// ATT with a heading.
  case heading(device: String?, Heading)
  /// PPS: by how many seconds this host's clock was ahead of a receiver's pulse, and the power of two of seconds to which
  /// that is known.
  case pulse(device: String?, offset: Double, precision: Int?)
  /// gpsd objects to something.
  case error(String)
}
