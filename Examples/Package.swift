// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's package is. Scripts/check-examples builds and runs it.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "rxlocationd", path: "..")],
  targets: [
    .executableTarget(
      name: "Follow", dependencies: rxlocationd("HeadlessMap", "LocationKit", "NMEA", "Rx", "RxLocation")),
    .executableTarget(
      name: "WhereAmI",
      dependencies: rxlocationd("DaemonSource", "GPSD", "LocationKit", "NMEA", "Rx", "RxLocation")),
    .target(name: "TripComputer", dependencies: rxlocationd("LocationKit", "Rx", "RxBinding")),
    .executableTarget(
      name: "Trip", dependencies: ["TripComputer"] + rxlocationd("LocationKit", "NMEA", "Rx", "RxBinding", "RxLocation")
    ),
    .testTarget(
      name: "TripComputerTests",
      dependencies: ["TripComputer"]
        + rxlocationd("LocationKit", "Rx", "RxBinding", "RxBlocking", "RxLocation", "RxTest")),
    .executableTarget(
      name: "Tutorial1", dependencies: rxlocationd("Rx", "RxBinding", "RxTerminal", "TerminalKit"),
      swiftSettings: newcomers),
    .executableTarget(
      name: "Tutorial2", dependencies: rxlocationd("Rx", "RxBinding", "RxTerminal", "TerminalKit"),
      swiftSettings: newcomers),
    .executableTarget(
      name: "Tutorial3", dependencies: rxlocationd("Rx", "RxBinding", "RxTerminal", "TerminalKit"),
      swiftSettings: newcomers),
    // Without RxLocation, whose proxy it writes itself.
    .executableTarget(
      name: "Tutorial4", dependencies: rxlocationd("HeadlessMap", "LocationKit", "Rx", "RxBinding"),
      swiftSettings: newcomers),
    .executableTarget(
      name: "Tutorial5", dependencies: rxlocationd("Rx", "RxBinding", "RxFoundation", "RxTerminal", "TerminalKit"),
      swiftSettings: newcomers),
  ],
  swiftLanguageModes: [.v6]
)

// The types and functions of these programs belong to the main actor unless they say `nonisolated`.
var newcomers: [SwiftSetting] { [.defaultIsolation(MainActor.self)] }

func rxlocationd(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "rxlocationd") }
}
