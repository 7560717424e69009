import GPSD
import Journal
import Platform

extension DatabasePasswordOptions {
  /// Tries a journal in a database: whether it can be reached and written. Nothing is made there.
  func tried(_ url: String) async -> Diagnosis {
    let step = "journal"
    do {
      return try await Thread.result {
        do throws(JournalError) {
          let journal = try self.journal(at: url)
          return Diagnosis(
            step: step, .ok,
            try journal.tryWriting()
              ? "\(journal.name) can be written" : "\(journal.name) can be reached, and its tables can be made")
        } catch {
          return Diagnosis(step: step, .failure, error.message)
        }
      }
    } catch {
      return Diagnosis(step: step, .failure, "no thread to look with: \(error)")
    }
  }
}
