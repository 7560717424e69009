// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the libraries do not download the dependencies of measurements.
//
//     swift package --package-path Benchmarks benchmark
//
// compares the reactive kernel with OpenCombine and with a bare closure, and a call through a delegate proxy with a
// direct call, in one run.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "rxlocationd", path: ".."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .executableTarget(
      name: "RxBenchmarks",
      dependencies: [
        .product(name: "Rx", package: "rxlocationd"),
        .product(name: "RxBinding", package: "rxlocationd"),
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      path: "Benchmarks/RxBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(
      name: "DelegateProxyBenchmarks",
      dependencies: [
        .product(name: "HeadlessMap", package: "rxlocationd"),
        .product(name: "LocationKit", package: "rxlocationd"),
        .product(name: "Rx", package: "rxlocationd"),
        .product(name: "RxBinding", package: "rxlocationd"),
        .product(name: "RxLocation", package: "rxlocationd"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/DelegateProxyBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  var settings = target.swiftSettings ?? []
  settings += [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  target.swiftSettings = settings
}
