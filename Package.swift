// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "rxlocationd",
  // For the libraries of Reactive and Location; the daemon is Linux's.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "rxlocationd", targets: ["rxlocationd"]),
    .library(name: "Rx", targets: ["Rx"]),
    .library(name: "RxBinding", targets: ["RxBinding"]),
    .library(name: "RxFoundation", targets: ["RxFoundation"]),
    .library(name: "RxTest", targets: ["RxTest"]),
    .library(name: "RxMacros", targets: ["RxMacros"]),
    .library(name: "RxBlocking", targets: ["RxBlocking"]),
    .library(name: "LocationKit", targets: ["LocationKit"]),
    .library(name: "HeadlessMap", targets: ["HeadlessMap"]),
    .library(name: "NMEA", targets: ["NMEA", "Replay"]),
    .library(name: "GPSD", targets: ["GPSD", "Replay"]),
    .library(name: "DaemonSource", targets: ["DaemonSource"]),
    .library(name: "RxLocation", targets: ["RxLocation"]),
    .library(name: "Publishing", targets: ["Publishing", "Collecting"]),
    .library(name: "Tracks", targets: ["Tracks"]),
    .library(name: "TrackDocuments", targets: ["TrackDocuments"]),
    .library(name: "TerminalKit", targets: ["TerminalKit"]),
    .library(name: "RxTerminal", targets: ["RxTerminal"]),
  ],
  traits: [
    .default(enabledTraits: ["Daemon"]),
    .trait(name: "Daemon", description: "The daemon and the sources of locations: SwiftNIO and others are fetched."),
    .trait(name: "Macros", description: "@DelegateProxy of the module RxMacros: swift-syntax is fetched."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
  ],
  targets: [
    // Reactive: the kernel and its bindings.
    .target(name: "Rx", path: "Sources/Reactive/Rx"),
    .target(name: "RxBinding", dependencies: ["Rx"], path: "Sources/Reactive/RxBinding"),
    .target(name: "RxFoundation", dependencies: ["Rx"], path: "Sources/Reactive/RxFoundation"),
    .target(name: "RxTest", dependencies: ["Rx"], path: "Sources/Reactive/RxTest"),
    .macro(
      name: "RxMacrosPlugin",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      path: "Sources/Reactive/RxMacrosPlugin"),
    .target(name: "RxMacros", dependencies: ["Rx", "RxBinding", "RxMacrosPlugin"], path: "Sources/Reactive/RxMacros"),
    .target(name: "RxBlocking", dependencies: ["Rx"], path: "Sources/Reactive/RxBlocking"),

    // Location: Core Location's and MapKit's models, and their delegate proxies.
    .target(name: "LocationKit", path: "Sources/Location/LocationKit"),
    .target(name: "HeadlessMap", dependencies: ["LocationKit"], path: "Sources/Location/HeadlessMap"),
    .target(
      name: "RxLocation", dependencies: ["Rx", "RxBinding", "LocationKit", "HeadlessMap"],
      path: "Sources/Location/RxLocation"),

    // Platform: helpers for Linux. Without the trait that it needs, its dependency fails first, with one error.
    .target(name: "DaemonTrait", path: "Sources/Traits"),
    .systemLibrary(
      name: "CZlib", path: "Sources/Platform/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "Platform",
      dependencies: ["CZlib", "DaemonTrait", .product(name: "SystemPackage", package: "swift-system")],
      path: "Sources/Platform", exclude: ["CZlib"]),

    // Records: a location's record in every format.
    .target(
      name: "Records", dependencies: ["LocationKit", "HeadlessMap", "Platform"], path: "Sources/Records/Records"),

    // Receivers: the sources of locations.
    .target(
      name: "Replay",
      dependencies: ["LocationKit", "Platform", .product(name: "SystemPackage", package: "swift-system")],
      path: "Sources/Receivers/Replay"),
    .target(
      name: "NMEA",
      dependencies: [
        "LocationKit", "Platform", "Replay", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Receivers/NMEA"),
    .systemLibrary(
      name: "CLibGPS", path: "Sources/Receivers/CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .target(name: "CGPS", dependencies: ["CLibGPS"], path: "Sources/Receivers/CGPS"),
    .target(
      name: "GPSD",
      dependencies: [
        "CGPS", "LocationKit", "Platform", "Records", "Replay",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Receivers/GPSD"),
    .target(
      name: "DaemonSource",
      dependencies: [
        "LocationKit", "Platform", "Records", "Replay", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Receivers/DaemonSource"),

    // Tracks: recordings of receivers, this program and others.
    .systemLibrary(
      name: "CExpat", path: "Sources/Tracks/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(
      name: "Tracks",
      dependencies: [
        "CExpat", "GPSD", "LocationKit", "NMEA", "Platform", "Records",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Tracks/Tracks"),
    .target(
      name: "TrackDocuments", dependencies: ["LocationKit", "Platform", "Records", "Tracks"],
      path: "Sources/Tracks/TrackDocuments"),

    // Writing: the outbox, standard output, the region log and the record.
    .target(
      name: "Writing",
      dependencies: [
        "LocationKit", "Platform", "Records", .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Writing"),

    // Sending: journals, and what is sent from them.
    .systemLibrary(
      name: "CSQLite", path: "Sources/Sending/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Its header is that of libpq-dev; the library is loaded when it is needed.
    .target(name: "CPostgreSQL", path: "Sources/Sending/CPostgreSQL"),
    .target(
      name: "Journal",
      dependencies: [
        "CPostgreSQL", "CSQLite", "LocationKit", "Writing", "Platform", "Records",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Sending/Journal"),
    // Its headers are those of libcurl4-openssl-dev; the library is loaded when it is needed.
    .target(name: "CCurl", path: "Sources/Sending/CCurl"),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/Sending/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CSodium", path: "Sources/Sending/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(
      name: "Publishing",
      dependencies: [
        "CCurl", "COpenSSL", "CSodium", "Journal", "LocationKit", "Writing", "Platform", "Records",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Sending/Publishing"),

    // Collecting: what devices publish.
    .target(
      name: "Collecting",
      dependencies: [
        "Journal", "LocationKit", "Platform", "Publishing", "Records", "Writing",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Collecting"),

    // Serving: sockets for many readers, HTTP, region updates, and the map page.
    .target(
      name: "Serving",
      dependencies: [
        "LocationKit", "Platform", "Records", "Writing", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Serving/Serving"),
    .target(
      name: "CMapAssets", path: "Sources/Serving/CMapAssets", cSettings: [.headerSearchPath("../MapPage/Assets")]),
    .target(
      name: "MapPage",
      dependencies: [
        "CMapAssets", "CSQLite", "Records", "Serving", "HeadlessMap", "LocationKit", "Platform", "Tracks",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/Serving/MapPage", exclude: ["Assets"]),

    // Terminal: controls on a screen of text. Without pkgConfig, whose flags SwiftPM refuses with a warning.
    .systemLibrary(name: "CNcurses", path: "Sources/Terminal/CNcurses", providers: [.apt(["libncurses-dev"])]),
    .target(
      name: "TerminalKit",
      dependencies: ["CNcurses", "Platform", .product(name: "SystemPackage", package: "swift-system")],
      path: "Sources/Terminal/TerminalKit"),
    .target(name: "RxTerminal", dependencies: ["Rx", "RxBinding", "TerminalKit"], path: "Sources/Terminal/RxTerminal"),

    .target(
      name: "Monitor",
      dependencies: [
        "Rx", "RxBinding", "RxLocation", "RxTerminal", "LocationKit", "Platform", "Records", "TerminalKit",
      ],
      path: "Sources/Terminal/Monitor"),

    // The daemon: the commands and their wiring.
    .executableTarget(
      name: "rxlocationd",
      dependencies: [
        "Rx", "RxBinding", "RxLocation", "HeadlessMap", "LocationKit", "Tracks", "TrackDocuments", "NMEA", "GPSD",
        "Records", "Replay", "Writing", "Journal", "Publishing", "Collecting", "Serving", "MapPage", "Monitor",
        "Platform", "TerminalKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),

    // Tests mirror Sources.
    .target(name: "TestSupport", dependencies: ["Rx"], path: "Tests/Support/TestSupport"),
    .target(name: "CSimulatedDisk", dependencies: ["CSQLite"], path: "Tests/Support/CSimulatedDisk"),
    .target(name: "RxTestSupport", dependencies: ["Rx", "TestSupport"], path: "Tests/Support/RxTestSupport"),
    .testTarget(
      name: "RxTests", dependencies: ["Rx", "RxTest", "RxTestSupport", "TestSupport"], path: "Tests/Reactive/RxTests"),
    .testTarget(
      name: "RxBindingTests", dependencies: ["RxBinding", "RxFoundation", "RxTest", "RxTestSupport", "TestSupport"],
      path: "Tests/Reactive/RxBindingTests"),
    .testTarget(
      name: "RxFoundationTests", dependencies: ["RxFoundation", "RxBlocking", "RxTestSupport", "TestSupport"],
      path: "Tests/Reactive/RxFoundationTests"),
    .testTarget(
      name: "RxBlockingTests", dependencies: ["RxBlocking", "RxTestSupport", "TestSupport"],
      path: "Tests/Reactive/RxBlockingTests"),
    .testTarget(
      name: "RxTestTests", dependencies: ["RxTest", "RxTestSupport", "TestSupport"], path: "Tests/Reactive/RxTestTests"),
    .testTarget(
      name: "RxMacrosTests",
      dependencies: [
        "RxMacros", "RxMacrosPlugin", "LocationKit", "HeadlessMap", "TestSupport",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      path: "Tests/Reactive/RxMacrosTests", swiftSettings: [.define("BY_MACRO")]),
    .testTarget(
      name: "TutorialTests",
      dependencies: ["RxLocation", "RxFoundation", "RxTerminal", "RxTest", "RxTestSupport", "TestSupport"],
      path: "Tests/Reactive/TutorialTests"),
    .testTarget(
      name: "LocationKitTests", dependencies: ["LocationKit", "TestSupport"], path: "Tests/Location/LocationKitTests"),
    .testTarget(
      name: "HeadlessMapTests", dependencies: ["HeadlessMap", "TestSupport"], path: "Tests/Location/HeadlessMapTests"),
    .testTarget(
      name: "RxLocationTests", dependencies: ["RxLocation", "RxTest", "TestSupport"],
      path: "Tests/Location/RxLocationTests"),
    .testTarget(
      name: "PlatformTests",
      dependencies: ["Platform", "TestSupport", .product(name: "SystemPackage", package: "swift-system")]),
    .testTarget(
      name: "RecordsTests", dependencies: ["Records", "LocationKit", "HeadlessMap", "TestSupport"],
      path: "Tests/Records/RecordsTests"),
    .testTarget(
      name: "NMEATests",
      dependencies: [
        "NMEA", "LocationKit", "Platform", "Records", "Replay", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Receivers/NMEATests"),
    .testTarget(
      name: "GPSDTests", dependencies: ["GPSD", "CGPS", "LocationKit", "NMEA", "Platform", "Replay", "TestSupport"],
      path: "Tests/Receivers/GPSDTests"),
    .testTarget(
      name: "TracksTests",
      dependencies: [
        "Tracks", "LocationKit", "NMEA", "Platform", "Records", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Tracks/TracksTests"),
    .testTarget(
      name: "TrackDocumentsTests", dependencies: ["TrackDocuments", "LocationKit", "Records", "TestSupport", "Tracks"],
      path: "Tests/Tracks/TrackDocumentsTests"),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Platform", "Records", "Serving", "TestSupport", "Writing", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/Serving/ServingTests"),
    .testTarget(
      name: "WritingTests",
      dependencies: [
        "Records", "Writing", "LocationKit", "HeadlessMap", "Platform", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "MapPageTests",
      dependencies: [
        "MapPage", "CSQLite", "Serving", "HeadlessMap", "LocationKit", "Platform", "Records",
        "TestSupport", "Tracks",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Serving/MapPageTests", exclude: ["Files"]),
    .testTarget(
      name: "JournalTests",
      dependencies: ["Journal", "CSQLite", "LocationKit", "Writing", "Platform", "Records", "TestSupport"],
      path: "Tests/Sending/JournalTests"),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "rxlocationd", "CSimulatedDisk", "Collecting", "GPSD", "Journal", "LocationKit", "Writing", "Platform",
        "Publishing", "Records", "Rx", "RxBinding", "RxLocation", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Support/Simulation", exclude: ["README.md"]),
    .testTarget(
      name: "PublishingTests",
      dependencies: ["Collecting", "Publishing", "Journal", "LocationKit", "Writing", "Platform", "TestSupport"],
      path: "Tests/Sending/PublishingTests"),
    .testTarget(
      name: "TerminalKitTests", dependencies: ["TerminalKit", "TestSupport"], path: "Tests/Terminal/TerminalKitTests"),
    .testTarget(
      name: "RxTerminalTests",
      dependencies: ["LocationKit", "RxLocation", "RxTerminal", "RxTest", "TerminalKit", "TestSupport"],
      path: "Tests/Terminal/RxTerminalTests"),
    .testTarget(
      name: "MonitorTests",
      dependencies: ["Monitor", "LocationKit", "RxTerminal", "RxTest", "TerminalKit", "TestSupport"],
      path: "Tests/Terminal/MonitorTests"),
    .testTarget(
      name: "rxlocationdTests",
      dependencies: [
        "rxlocationd", "CSQLite", "Collecting", "DaemonSource", "GPSD", "Serving", "HeadlessMap", "Journal",
        "LocationKit", "MapPage", "NMEA", "Writing", "Platform", "Publishing", "Records", "Replay", "Rx", "RxBinding",
        "RxLocation", "TestSupport", "TrackDocuments", "Tracks",
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  var settings = target.swiftSettings ?? []
  settings += [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // `Resources.total` counts live reactive resources, as RxSwift's TRACE_RESOURCES does.
    .define("TRACE_RESOURCES", .when(configuration: .debug)),
  ]
  // Not in a user's build: users' libraries and compilers may be newer than ours, and warn of other things.
  if Context.environment["RXLOCATIOND_WARNINGS"] == "error" { settings.insert(.treatAllWarnings(as: .error), at: 0) }
  target.swiftSettings = settings
}

// Each package is behind a trait, so that a client of `Rx` alone fetches none of them.
for target in package.targets {
  target.dependencies = target.dependencies.map { dependency in
    guard case .productItem(let name, let package?, _, _) = dependency else { return dependency }
    let trait = package == "swift-syntax" ? "Macros" : "Daemon"
    return .product(name: name, package: package, condition: .when(traits: [trait]))
  }
}

// Some sets of tests are packages of their own in this file, each with what it needs and nothing else. A test target that
// imports a macro's plugin makes SwiftPM build everything for the host a second time; the thread sanitizer needs a build of
// its own; Scripts/check-release runs only the tests that meet Debian's programs.
//
//     RXLOCATIOND_TESTS=macros swift test --traits Daemon,Macros --scratch-path .build/macros
//     RXLOCATIOND_TESTS=threads swift test --sanitize thread --scratch-path .build/threads
//     RXLOCATIOND_TESTS=simulation swift test -c release -Xswiftc -enable-testing --scratch-path .build/simulation
//
// The names of test targets make a set, too, which is the quick way to work on a module:
//
//     RXLOCATIOND_TESTS=NMEATests,GPSDTests swift test
let testSets: [String: Set<String>] = [
  "macros": ["RxMacrosTests"],
  "threads": ["RxTests", "RxBindingTests", "RxBlockingTests", "WritingTests"],
  "simulation": ["SimulationTests"],
  // The Swift Package Index builds the documentation of what needs no trait.
  "documentation": [
    "Rx", "RxBinding", "RxFoundation", "RxTest", "RxBlocking", "LocationKit", "HeadlessMap", "RxLocation", "RxMacros",
  ],
  // SwiftPM would fetch swift-syntax if no target named it.
  "debian": ["GPSDTests", "PublishingTests", "JournalTests", "rxlocationdTests", "RxMacros"],
]
let set = Context.environment["SPI_BUILD"] == nil ? Context.environment["RXLOCATIOND_TESTS"] : "documentation"
if let name = set {
  // SwiftPM would fetch swift-syntax if no target named it.
  var needed = testSets[name] ?? Set(name.split(separator: ",").map(String.init) + ["RxMacros"])
  for _ in package.targets {
    for target in package.targets where needed.contains(target.name) {
      for case .byNameItem(let other, _) in target.dependencies { needed.insert(other) }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { !needed.contains($0.name) || $0.name == "RxMacros" }
} else {
  package.targets.removeAll { $0.name == "RxMacrosTests" }
}
