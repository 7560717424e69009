// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because everything in it is built with libFuzzer's main:
//   swift build --package-path Fuzz -c release --sanitize=fuzzer
let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "rxlocationd", path: "..")],
  targets: [
    .executableTarget(
      name: "FuzzNMEA",
      dependencies: [
        .product(name: "NMEA", package: "rxlocationd"), .product(name: "LocationKit", package: "rxlocationd"),
      ]),
    .executableTarget(
      name: "FuzzMessages",
      dependencies: [
        .product(name: "Publishing", package: "rxlocationd"), .product(name: "LocationKit", package: "rxlocationd"),
      ]),
    .executableTarget(name: "FuzzBroker", dependencies: [.product(name: "Publishing", package: "rxlocationd")]),
  ],
  swiftLanguageModes: [.v6]
)
