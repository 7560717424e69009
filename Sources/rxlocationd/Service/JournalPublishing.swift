import Journal
import LocationKit
import Logging
import Output
import Publishing
import SystemPackage

/// The publisher and what it reads: the journal under a reader's name of its own.
@MainActor
final class JournalPublishing {
  private let publisher: Publisher
  private let reader: JournalReader
  private let address: BrokerAddress
  /// Whether what is not delivered is lost at the end, because the journal is a temporary one.
  private let isTemporary: Bool

  /// The name under which the journal remembers how far the publisher has come.
  private static let readerName = "publish"

  /// Starts to publish what `journal` gets from now on, or where the last run ended.
  ///
  /// - Throws: `OutputError` when there is no reader or no thread.
  init(
    _ configuration: PublisherConfiguration, of journal: JournalWriter, isTemporary: Bool, fences: [CircularRegion],
    onNotice: @escaping OutputNotice.Handler
  ) throws(OutputError) {
    address = configuration.address
    self.isTemporary = isTemporary
    do throws(JournalError) {
      reader = try JournalReader(path: journal.path, name: Self.readerName, startingAt: .newest)
    } catch {
      throw OutputError(.cannotCreate, error.message)
    }
    do throws(Errno) {
      publisher = try Publisher(configuration, queue: reader, fences: fences) { notice in
        onNotice(OutputNotice(notice.severity == .notice ? .notice : .warning, notice.message))
      }
    } catch {
      throw OutputError(.cannotCreate, "cannot publish to \(address): \(error)")
    }
    journal.onCommit { [publisher] _ in publisher.wake() }
  }

  /// Announces these fences from now on.
  func setFences(_ fences: [CircularRegion]) { publisher.setFences(fences) }

  /// What was done so far, for metrics; any thread.
  nonisolated var statistics: Publisher.Statistics { publisher.statistics }

  /// What was done so far, in one line.
  var summary: String {
    let statistics = publisher.statistics
    return "\(statistics.acknowledged) messages published, \(statistics.waiting) records wait for the broker, "
      + "\(statistics.reconnections) reconnections"
      + (statistics.refused > 0 ? ", \(statistics.refused) messages refused" : "")
  }

  /// The state of the broker for a status line.
  var status: String {
    let statistics = publisher.statistics
    return (statistics.isConnected ? "publishing" : "no broker")
      + (statistics.waiting > 0 ? ", \(statistics.waiting) waiting" : "")
  }

  /// Waits until the broker has acknowledged everything, at most for `time`; `stop` ends the waiting.
  ///
  /// - Returns: What was lost, in one sentence.
  func finish(within time: Duration?) async -> String? {
    if let time {
      Task(executorPreference: BackgroundExecutor.shared) { [publisher] in
        try? await Task.sleep(for: time)
        publisher.stop()
      }
    }
    await publisher.finish()
    var losses: [String] = []
    let leftOut = publisher.statistics.leftOut
    if leftOut > 0 { losses.append("\(leftOut) messages were refused by \(address) and left out") }
    if isTemporary, case let waiting = await waiting(), waiting > 0 {
      losses.append(
        "\(waiting) records were not delivered to \(address) and are lost; with a journal they would wait for the next "
          + "start")
    }
    return losses.isEmpty ? nil : losses.joined(separator: "; ")
  }

  /// What the journal holds that was not delivered. The publisher's thread is not asked, for it may hang.
  private func waiting() async -> Int {
    await Task(executorPreference: BackgroundExecutor.shared) { [reader, publisher] in
      (try? reader.waiting().count) ?? publisher.statistics.waiting
    }.value
  }

  /// Ends at once. From any thread.
  nonisolated func stop() { publisher.stop() }
}
