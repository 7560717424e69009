import RxBinding
import RxTerminal
import TerminalKit
import TestSupport
import Testing

/// A user's own proxy of a list, which writes no method, loses no call.
@MainActor @Suite(.inTurn) struct UnwrittenListMethodTests {
  @Test func aListsDelegateHasCallsThatTheProxyDoesNotWrite() {
    final class Reader: ListViewDelegate {
      var log: [String] = []

      func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool { row > 1 }
      func listView(_ listView: ListView, didSelectRow row: Int) { log.append("select \(row)") }
      func listView(_ listView: ListView, didDeleteRow row: Int) { log.append("delete \(row)") }
    }
    let (list, reader) = (ListView(), Reader())
    let proxy = SilentListViewDelegateProxy(listView: list)
    #expect(proxy.listView(list, shouldSelectRow: 1))
    proxy.setForwardToDelegate(reader, retainDelegate: false)
    #expect(!proxy.listView(list, shouldSelectRow: 1))
    #expect(proxy.listView(list, shouldSelectRow: 2))
    proxy.listView(list, didSelectRow: 3)
    proxy.listView(list, didDeleteRow: 4)
    #expect(reader.log == ["select 3", "delete 4"])
  }
}

private final class SilentListViewDelegateProxy:
  DelegateProxy<ListView, any ListViewDelegate>, DelegateProxyType, ListViewDelegate
{
  weak var forwarded: (any ListViewDelegate)?

  init(listView: ListView) { super.init(parentObject: listView, delegateProxy: SilentListViewDelegateProxy.self) }

  static func registerKnownImplementations() {}
}
