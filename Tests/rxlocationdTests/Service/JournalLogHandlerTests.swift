import Logging
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct JournalLogHandlerTests {
  @Test func writesPrioritiesForTheJournal() {
    let lines = Logger.Level.allCases.map { JournalLogHandler.line("x", level: $0, isJournal: true) }
    #expect(lines == ["<7>x", "<7>x", "<6>x", "<5>x", "<4>x", "<3>x", "<2>x"])
  }

  @Test func namesTheProgramForAPerson() {
    #expect(JournalLogHandler.line("x", level: .info, isJournal: false) == "rxlocationd: x")
    #expect(JournalLogHandler.line("x", level: .warning, isJournal: false) == "rxlocationd: warning: x")
  }

  @Test func aMessageIsOneLineWhateverItHolds() {
    #expect(JournalLogHandler.line("a\nb\r\nc\n", level: .error, isJournal: true) == "<3>a b c")
    #expect(JournalLogHandler.line("a\n<0>b", level: .info, isJournal: false) == "rxlocationd: a <0>b")
  }
}
