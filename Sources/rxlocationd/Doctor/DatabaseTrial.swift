import GPSD
import Journal
import Platform

extension DatabasePasswordOptions {
  /// Checks that a journal in a database can be reached and written, without creating anything.
  func tried(_ url: String) async -> Diagnosis {
    let step = "journal"
    do {
      return try await Thread.result {
        do throws(JournalError) {
          let journal = try self.journal(at: url)
          return switch try journal.tryWriting() {
          case .canBeMade: Diagnosis(step: step, .ok, "\(journal.name) can be reached, and its tables can be made")
          case .canBeWritten: Diagnosis(step: step, .ok, "\(journal.name) can be written")
          case .onlyMonthsThatAreThere(let making):
            Diagnosis(
              step: step, .warning,
              "\(journal.name) can be written for months that it has a part for; this user may make none, so a device whose "
                + "clock is years off cannot be kept",
              hint:
                "let the owner of its tables write it, or have somebody who may make tables make each month's part in "
                + "time, the next by: \(making)")
          }
        } catch {
          return Diagnosis(step: step, .failure, error.message)
        }
      }
    } catch {
      return Diagnosis(step: step, .failure, "no thread to look with: \(error)")
    }
  }
}
