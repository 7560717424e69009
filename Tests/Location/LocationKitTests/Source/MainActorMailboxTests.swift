import Dispatch
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import LocationKit

@Suite(.inTurn, .timeLimit(.minutes(30))) struct MainActorMailboxTests {
  @MainActor final class Inbox {
    var elements: [Int] = []
    var batches = 0
  }

  @Test func deliversAllInOrder() async {
    let inbox = Inbox()
    let mailbox = MainActorMailbox<Int>(limit: 3) { batch in
      inbox.elements += batch
      inbox.batches += 1
    }
    let thread = Thread {
      for start in stride(from: 0, to: 30_000, by: 10) { mailbox.send(Array(start..<(start + 10))) }
    }
    thread.start()
    #expect(await eventually { await inbox.batches == 3000 })
    let elements = await inbox.elements
    #expect(elements == Array(0..<30_000))
  }

  @Test func senderWaitsForASlowMainActorAndAClosedMailboxLetsItGo() async {
    let inbox = Inbox()
    let mailbox = MainActorMailbox<Int>(limit: 2) { batch in inbox.elements += batch }
    let sent = Mutex(0)
    let refused = Mutex(false)
    let done = DispatchSemaphore(value: 0)
    let before = await MainActor.run {
      // The main actor is held here, so nothing is delivered.
      let thread = Thread {
        while mailbox.send([1]) { sent.withLock { $0 += 1 } }
        refused.withLock { $0 = true }
        done.signal()
      }
      thread.start()
      // Without a limit there would be thousands more within the milliseconds between two looks.
      _ = eventuallyBlocking { sent.withLock { $0 } >= 2 }
      let count = sent.withLock { $0 }
      mailbox.close()
      return count
    }
    #expect(before == 2)
    #expect(await eventually { refused.withLock { $0 } })
    let elements = await inbox.elements
    #expect(elements.isEmpty)
    #expect(!mailbox.send([2]))
  }

  @Test func whatHasJustComeIsDeliveredInOrderAndWhenTheCallReturns() async {
    let inbox = Inbox()
    let mailbox = MainActorMailbox<Int>(limit: 100) { batch in inbox.elements += batch }
    let counts = Mutex<[Int]>([])
    let ended = Mutex(false)
    let thread = Thread {
      for round in 0..<50 {
        mailbox.send([3 * round])
        mailbox.send([3 * round + 1])
        #expect(mailbox.deliver([3 * round + 2]))
        // Nobody else adds to the inbox, so it stands still now.
        counts.withLock { $0.append(DispatchQueue.main.sync { MainActor.assumeIsolated { inbox.elements.count } }) }
      }
      mailbox.close()
      #expect(!mailbox.deliver([-1]))
      ended.withLock { $0 = true }
    }
    thread.start()
    #expect(await eventually { ended.withLock { $0 } })
    #expect(counts.withLock { $0 } == (1...50).map { 3 * $0 })
    #expect(await inbox.elements == Array(0..<150))
  }
}
