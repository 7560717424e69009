#if Macros
  import Foundation
  import Rx
  import RxMacros
  import TestSupport
  import Testing

  /// The page "A macro for delegate proxies" does what it says.
  @MainActor @Suite(.inTurn) struct MacroArticleTests {
    @Test func theSamplesAreTheOnesThatAreTested() throws {
      let page = Checkout.file("Sources/Reactive/RxBinding/RxBinding.docc/MacroForDelegateProxies.md")
      let samples = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
      let tested = try lines(
        of: String(contentsOf: Checkout.file("Tests/Reactive/RxMacrosTests/ArticleExample.swift"), encoding: .utf8))
      #expect(samples.count == 2)
      for sample in samples { #expect(tested.contains(lines(of: sample))) }
    }

    @Test func theExampleWorks() {
      let uploader = Uploader()
      let bag = DisposeBag()
      let log = StreamLog(uploader.rx.didSend)
      observe(uploader, until: bag)
      uploader.delegate?.uploader(uploader, didSend: 3)
      #expect(log.elements == [3])
      #expect(uploader.delegate?.uploader(uploader, shouldRetryAfter: 1) == true)
    }

    /// Without the indentation, which `#if` adds to.
    private func lines(of text: String) -> String {
      text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        .joined(separator: "\n")
    }
  }
#endif
