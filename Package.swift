// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "rxlocationd",
  products: [
    .executable(name: "rxlocationd", targets: ["rxlocationd"]),
    .library(name: "Rx", targets: ["Rx"]),
    .library(name: "RxBinding", targets: ["RxBinding"]),
    .library(name: "RxFoundation", targets: ["RxFoundation"]),
    .library(name: "RxTest", targets: ["RxTest"]),
    .library(name: "LocationKit", targets: ["LocationKit"]),
    .library(name: "HeadlessMap", targets: ["HeadlessMap"]),
    .library(name: "NMEA", targets: ["NMEA"]),
    .library(name: "GPSD", targets: ["GPSD"]),
    .library(name: "RxLocation", targets: ["RxLocation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // The reactive libraries.
    .target(name: "Rx"),
    .systemLibrary(name: "CSwiftRuntime"),
    .target(name: "RxBinding", dependencies: ["Rx", "CSwiftRuntime"]),
    .target(name: "RxFoundation", dependencies: ["Rx"]),
    .target(name: "RxTest", dependencies: ["Rx"]),

    // Location and map.
    .target(name: "LocationKit"),
    .target(name: "HeadlessMap", dependencies: ["LocationKit"]),
    .target(name: "RxLocation", dependencies: ["RxBinding", "LocationKit", "HeadlessMap"]),

    // Where locations come from.
    .target(name: "NMEA", dependencies: ["LocationKit"]),
    .systemLibrary(name: "CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .target(name: "CGPS", dependencies: ["CLibGPS"]),
    .target(name: "GPSD", dependencies: ["CGPS", "LocationKit"]),

    // Where they go, and the daemon.
    .target(
      name: "Output",
      dependencies: [
        "LocationKit", "HeadlessMap",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "rxlocationd",
      dependencies: [
        "RxLocation", "NMEA", "GPSD", "Output",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),

    // Tests mirror Sources.
    .testTarget(name: "RxTests", dependencies: ["Rx", "RxTest"]),
    .testTarget(name: "RxBindingTests", dependencies: ["RxBinding", "RxFoundation", "RxTest"]),
    .testTarget(name: "LocationKitTests", dependencies: ["LocationKit"]),
    .testTarget(name: "HeadlessMapTests", dependencies: ["HeadlessMap"]),
    .testTarget(name: "RxLocationTests", dependencies: ["RxLocation", "RxTest"]),
    .testTarget(name: "NMEATests", dependencies: ["NMEA", "LocationKit"]),
    .target(name: "GPSDTestSupport", path: "Tests/Support/GPSDTestSupport"),
    .testTarget(name: "GPSDTests", dependencies: ["GPSD", "CGPS", "LocationKit", "GPSDTestSupport"]),
    .testTarget(name: "OutputTests", dependencies: ["Output", "LocationKit", "HeadlessMap"]),
    .testTarget(name: "TutorialTests", dependencies: ["RxLocation", "RxFoundation", "RxTest"]),
    .testTarget(
      name: "rxlocationdTests",
      dependencies: [
        "rxlocationd", "LocationKit", "Output", "GPSDTestSupport", .product(name: "Logging", package: "swift-log"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  var settings = target.swiftSettings ?? []
  settings += [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // `Resources.total` counts live reactive resources, as RxSwift's TRACE_RESOURCES does.
    .define("TRACE_RESOURCES", .when(configuration: .debug)),
  ]
  target.swiftSettings = settings
}
