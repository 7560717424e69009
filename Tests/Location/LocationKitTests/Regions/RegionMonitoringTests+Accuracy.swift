import Testing

@testable import LocationKit

/// Whether the receiver is accurate enough for a region.
extension RegionMonitoringTests {
  @Test func regionThatTheReceiverCannotResolveIsReportedOnce() {
    manager.startMonitoring(for: region(radius: 10))
    manager.startMonitoring(for: region("wide"))
    stay(at: 0, seconds: 10, accuracy: 17.12)
    stay(at: 0, seconds: 10, accuracy: 12.34)
    #expect(!delegate.calls.contains(.monitoringFailed("home", .regionMonitoringFailure)))
    stay(at: 0, seconds: 200, accuracy: 17.1)
    let failures = delegate.calls.filter { if case .monitoringFailed = $0 { true } else { false } }
    #expect(failures == [.monitoringFailed("home", .regionMonitoringFailure)])
    #expect(
      delegate.messages == [
        "region home with its radius of 10.0 m needs a horizontal accuracy of 10.0 m or better; "
          + "the receiver's best so far is 12.3 m"
      ])
    // It is watched all the same.
    #expect(manager.monitoredRegions.count == 2)
    stay(at: 0, seconds: 1, accuracy: 9)
    #expect(delegate.calls.last == .state(.inside, "home"))
    // The same circle again says nothing new.
    manager.startMonitoring(for: region(radius: 10, notifyOnExit: false))
    stay(at: 0, seconds: 60, accuracy: 17.1)
    #expect(delegate.messages.count == 1)
  }

  @Test func regionThatTheReceiverResolvedOnceIsNotReported() {
    manager.startMonitoring(for: region(radius: 10))
    stay(at: 0, seconds: 19, accuracy: 50)
    stay(at: 0, seconds: 1, accuracy: 10)
    stay(at: 0, seconds: 100, accuracy: 50)
    #expect(delegate.messages.isEmpty)
    // Fixes of unknown accuracy are believed.
    manager.startMonitoring(for: region("other", radius: 1))
    stay(at: 0, seconds: 100, accuracy: nil)
    #expect(delegate.messages.isEmpty)
  }

  @Test func regionThatNeedsMoreThanThePolicyTakesIsReported() {
    manager.startMonitoring(for: region(radius: 5000))
    stay(at: 0, seconds: 30, accuracy: 150)
    #expect(delegate.messages.first?.contains("needs a horizontal accuracy of 100.0 m or better") == true)
  }
}
