// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NMEABench",
  dependencies: [.package(name: "rxlocationd", path: "../..")],
  targets: [
    .executableTarget(
      name: "NMEABench",
      dependencies: [
        .product(name: "NMEA", package: "rxlocationd"), .product(name: "LocationKit", package: "rxlocationd"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
