import Platform
import TestSupport
import Testing

@Suite(.inTurn) struct AccountTests {
  @Test func waitingIsWhatIsNeitherWrittenNorDropped() {
    var account = Account()
    account.accept(10)
    account.write(4)
    account.drop(2, .overflow)
    account.drop(0, .failure)
    #expect(account.waiting == 4 && account.dropped == 2 && account.drops == [.overflow: 2])
    account.revoke(1, .overflow)
    #expect(account.written == 3 && account.lost == 3 && account.waiting == 4)
    account.giveBack(4)
    #expect(account.accepted == 6 && account.waiting == 0)
  }

  @Test func aReaderThatLeftIsNoLoss() {
    var account = Account()
    account.accept(3)
    #expect(account.hasLostNothing && !account.isSettled)
    account.drop(3, .unwanted)
    #expect(account.isSettled)
    account.hasFailed = true
    #expect(!account.hasLostNothing)
  }

  @Test func accountsAddUp() {
    var (one, other) = (Account(), Account())
    one.accept(3)
    one.drop(1, .limit)
    other.accept(4)
    other.drop(2, .limit)
    other.write()
    let sum = one + other
    #expect(sum.accepted == 7 && sum.written == 1 && sum.drops == [.limit: 3] && sum.waiting == 3)
    #expect(!sum.hasFailed)
    other.hasFailed = true
    #expect((one + other).hasFailed && (other + one).hasFailed)
  }

  @Test func lossesAreReportedOnceAMinuteWhileTheyGrow() {
    var report = LossReport()
    #expect(report.due(0, at: 0) == nil)
    #expect(report.due(5, at: 1) == 5)
    #expect(report.due(9, at: 60.9) == nil)
    #expect(report.due(9, at: 61) == 9)
    #expect(report.due(9, at: 1000) == nil)
  }
}
