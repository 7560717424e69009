/// The best accuracy, with all aids to navigation. Core Location's `kCLLocationAccuracyBestForNavigation`; on a host it
/// equals `kLocationAccuracyBest`.
public let kLocationAccuracyBestForNavigation: LocationAccuracy = -2

/// The best accuracy of the receiver. Core Location's `kCLLocationAccuracyBest`.
public let kLocationAccuracyBest: LocationAccuracy = -1

/// Ten metres. Core Location's `kCLLocationAccuracyNearestTenMeters`.
public let kLocationAccuracyNearestTenMeters: LocationAccuracy = 10

/// A hundred metres. Core Location's `kCLLocationAccuracyHundredMeters`.
public let kLocationAccuracyHundredMeters: LocationAccuracy = 100

/// A kilometre. Core Location's `kCLLocationAccuracyKilometer`.
public let kLocationAccuracyKilometer: LocationAccuracy = 1000

/// Three kilometres. Core Location's `kCLLocationAccuracyThreeKilometers`.
public let kLocationAccuracyThreeKilometers: LocationAccuracy = 3000

/// Delivers every fix, even if the receiver has not moved. Core Location's `kCLDistanceFilterNone`.
public let kDistanceFilterNone: LocationDistance? = nil

/// Delivers every heading, even if the device has not turned. Core Location's `kCLHeadingFilterNone`.
public let kHeadingFilterNone: LocationDirection? = nil
