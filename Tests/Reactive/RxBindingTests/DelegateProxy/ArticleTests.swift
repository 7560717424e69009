import Foundation
import Rx
import RxBinding
import TestSupport
import Testing

/// The article "Write a delegate proxy" does what it says. (That all its samples compile, and that the refused lines do
/// not, is tested with the other pages of the catalogue.)
@MainActor @Suite(.inTurn) struct DelegateProxyArticleTests {
  @Test func theSamplesAreTheOnesThatAreTested() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let tested = try String(contentsOf: folder.appending(path: "ArticleExample.swift"), encoding: .utf8)
    let article = folder.appending(path: "../../../../Sources/Reactive/RxBinding/RxBinding.docc/WriteADelegateProxy.md")
    let samples = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(samples.count == 12)
    // The others are the use, which is tested below, what does not compile, and what InvokeTests and
    // IsolatedConformanceTests test.
    for sample in samples.prefix(5) + [samples[7], samples[11]] {
      let code = sample.replacing(/import \w+\n/, with: "")
      #expect(tested.contains(code.trimmingCharacters(in: .newlines)))
    }
  }

  @Test func theExampleWorks() {
    let anemometer = Anemometer()
    let speeds = StreamLog(anemometer.rx.didMeasure.map { speed in "\(speed) m/s" })
    let stalls = StreamLog(anemometer.rx.didStall)
    anemometer.measure(7.5)
    #expect(anemometer.records == [7.5])

    let sailor = Sailor()
    anemometer.delegate = sailor
    anemometer.measure(0)
    anemometer.measure(12)
    #expect(anemometer.records == [7.5, 12])
    #expect(sailor.log == ["0.0", "stalled", "12.0"])
    #expect(speeds.elements == ["7.5 m/s", "0.0 m/s", "12.0 m/s"])
    #expect(stalls.elements.count == 1)

    anemometer.delegate = nil
    let second = Sailor()
    let installation = anemometer.rx.setDelegate(second)
    anemometer.measure(1)
    installation.dispose()
    anemometer.measure(2)
    #expect(second.log == ["1.0"])
    #expect(sailor.log.count == 3)
  }

  @Test func aDefaultImplementationForwardsWhatAProxyDoesNotWrite() {
    let (anemometer, sailor) = (Anemometer(), Sailor())
    let proxy = BriefAnemometerDelegateProxy(anemometer: anemometer)
    anemometer.delegate = proxy
    anemometer.measure(0)
    proxy.setForwardToDelegate(sailor, retainDelegate: false)
    anemometer.measure(0)
    #expect(sailor.log == ["0.0", "stalled"])

    let brief = BriefSailor()
    anemometer.delegate = brief
    anemometer.measure(0)
    #expect(anemometer.records == [0, 0])
  }
}

private final class Sailor: AnemometerDelegate {
  var log: [String] = []

  func anemometer(_ anemometer: Anemometer, didMeasure speed: Double) { log.append("\(speed)") }
  func anemometerDidStall(_ anemometer: Anemometer) { log.append("stalled") }
  func anemometer(_ anemometer: Anemometer, shouldRecord speed: Double) -> Bool { speed > 10 }
}

/// Leaves out the method that has a default implementation.
final class BriefAnemometerDelegateProxy:
  DelegateProxy<Anemometer, any AnemometerDelegate>, DelegateProxyType, AnemometerDelegate
{
  weak var forwarded: (any AnemometerDelegate)?

  init(anemometer: Anemometer) {
    super.init(parentObject: anemometer, delegateProxy: BriefAnemometerDelegateProxy.self)
  }

  static func registerKnownImplementations() {}

  func anemometer(_ anemometer: Anemometer, didMeasure speed: Double) {
    invoke(.didMeasure, (anemometer, speed)) { $0.anemometer(anemometer, didMeasure: speed) }
  }

  func anemometer(_ anemometer: Anemometer, shouldRecord speed: Double) -> Bool {
    invoke(.shouldRecord, (anemometer, speed), default: true) { $0.anemometer(anemometer, shouldRecord: speed) }
  }
}

/// No proxy, and it leaves out the same method.
private final class BriefSailor: AnemometerDelegate {
  func anemometer(_ anemometer: Anemometer, didMeasure speed: Double) {}
  func anemometer(_ anemometer: Anemometer, shouldRecord speed: Double) -> Bool { true }
}
