import FoundationEssentials
import LocationKit

/// A fix so many seconds after noon.
func fix(_ seconds: Double = 0, latitude: Double = 37.5, longitude: Double = -122.25) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 10.25, horizontalAccuracy: 5,
    course: 46, speed: 12, timestamp: Date(timeIntervalSince1970: 1_800_014_400 + seconds), mode: .threeDimensional,
    satellitesUsed: 9)
}
