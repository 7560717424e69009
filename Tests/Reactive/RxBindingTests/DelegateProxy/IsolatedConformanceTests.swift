import Foundation
import Rx
import RxBinding
import RxTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

// The sample of "Write a delegate proxy", where the delegate's protocol is not the main actor's.

extension XMLParser: HasDelegate, ReactiveCompatible {
  /// The delegate's type.
  public typealias Delegate = any XMLParserDelegate
}

final class RxXMLParserDelegateProxy:
  DelegateProxy<XMLParser, any XMLParserDelegate>, DelegateProxyType, @MainActor XMLParserDelegate
{
  weak var forwarded: (any XMLParserDelegate)?

  init(parser: XMLParser) { super.init(parentObject: parser, delegateProxy: RxXMLParserDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxXMLParserDelegateProxy(parser: $0) } }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    invoke(.foundCharacters, string) { $0.parser(parser, foundCharacters: string) }
  }

  func parser(_ parser: XMLParser, resolveExternalEntityName name: String, systemID: String?) -> Data? {
    invoke(.externalEntity, name, default: nil) {
      $0.parser(parser, resolveExternalEntityName: name, systemID: systemID)
    }
  }
}

extension DelegateMethod where Delegate == any XMLParserDelegate, Arguments == String {
  static var foundCharacters: Self { Self() }
  static var externalEntity: Self { Self() }
}

@MainActor
extension Reactive where Base: XMLParser {
  var foundCharacters: Observable<String> { RxXMLParserDelegateProxy.proxy(for: base).methodInvoked(.foundCharacters) }
}

@MainActor
private final class Collector: @MainActor XMLParserDelegate {
  var text = ""

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}

@MainActor @Suite(.inTurn) struct IsolatedConformanceTests {
  @Test func theCallsOfAProtocolThatIsNotTheMainActorsAreStreams() {
    let parser = XMLParser(data: Data("<a>one<b>two</b></a>".utf8))
    let collector = Collector()
    parser.delegate = collector
    let texts = Recorder<String>()
    let subscription = parser.rx.foundCharacters.subscribe(onNext: { texts.record($0) })
    #expect(parser.parse())
    #expect(texts.values == ["one", "two"])
    #expect(collector.text == "onetwo")
    subscription.dispose()
  }
}
