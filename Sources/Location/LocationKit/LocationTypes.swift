/// Degrees of latitude or longitude, WGS84. Core Location's `CLLocationDegrees`.
public typealias LocationDegrees = Double

/// Metres. Core Location's `CLLocationDistance`.
public typealias LocationDistance = Double

/// A radius of uncertainty in metres, one standard deviation times gpsd's 95 % factor where gpsd
/// supplies it. Core Location's `CLLocationAccuracy`.
public typealias LocationAccuracy = Double

/// Metres per second. Core Location's `CLLocationSpeed`.
public typealias LocationSpeed = Double

/// Metres per second of uncertainty. Core Location's `CLLocationSpeedAccuracy`.
public typealias LocationSpeedAccuracy = Double

/// Degrees clockwise from true north, 0 ..< 360. Core Location's `CLLocationDirection`.
public typealias LocationDirection = Double

/// Degrees of uncertainty of a direction. Core Location's `CLLocationDirectionAccuracy`.
public typealias LocationDirectionAccuracy = Double
