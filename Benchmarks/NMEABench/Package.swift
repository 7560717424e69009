// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NMEABench",
  dependencies: [
    .package(name: "rxlocationd", path: "../.."),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "NMEABench",
      dependencies: [
        .product(name: "NMEA", package: "rxlocationd"), .product(name: "LocationKit", package: "rxlocationd"),
        .product(name: "SystemPackage", package: "swift-system"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
