import Foundation
import Testing
import TestSupport

/// The README's Swift compiles as it stands.
@Suite(.startsPrograms) struct ReadmeTests {
  private func samples() throws -> [String] {
    let text = try String(contentsOf: Checkout.file("README.md"), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
  }

  @Test(.timeLimit(.minutes(30))) func theProgramIsComplete() throws {
    let program = try #require(samples().first { $0.contains("dispatchMain()") })
    #expect(try compilerMessages(about: program) ?? [] == [])
  }

  @Test(.timeLimit(.minutes(30))) func theProxyIsTenLines() throws {
    let proxy = try #require(samples().first { $0.contains("DelegateProxyType") })
    #expect(proxy.split(separator: "\n").count == 10)
    let around = """
      import Rx
      import RxBinding

      @MainActor protocol AnemometerDelegate: AnyObject {
        func anemometer(_ anemometer: Anemometer, didMeasure speed: Double)
      }
      @MainActor final class Anemometer: HasDelegate, ReactiveCompatible {
        typealias Delegate = any AnemometerDelegate
        weak var delegate: (any AnemometerDelegate)?
      }
      extension DelegateMethod
      where Delegate == any AnemometerDelegate, Arguments == (anemometer: Anemometer, speed: Double) {
        static var didMeasure: Self { Self() }
      }
      let speeds: Observable<Double> =
        RxAnemometerDelegateProxy.proxy(for: Anemometer()).methodInvoked(.didMeasure).map { $0.speed }

      """
    #expect(try compilerMessages(about: around + proxy) ?? [] == [])
  }
}
