import Synchronization

/// Lets a user pause a replay, change its speed, and send it ahead or back.
///
/// On the way to a target the replay delivers all events, as fast as possible, so that fences, journals and distances are
/// right. On the way back it begins again with the recording's first event, and its outputs get events again.
package final class ReplayControl: Sendable {
  /// What the user wants, and where the replay is. Positions are in seconds since the recording's beginning.
  package struct State: Sendable, Equatable {
    /// Seconds of the recording per second; `nil` for as fast as possible.
    package var factor: Double?
    package var isPaused = false
    /// The position that the replay goes to as fast as possible.
    package var target: Double?
    package fileprivate(set) var position = 0.0
    /// The position of the end; `nil` while it is unknown.
    package fileprivate(set) var length: Double?
    /// How often the replay was sent back.
    package fileprivate(set) var returns = 0
  }

  private struct Content {
    var state: State
    var hasOrders = false
    var onChange: @Sendable () -> Void = {}
  }

  private let content: Mutex<Content>

  /// Creates the control of a replay that is to begin with this speed.
  package init(factor: Double?) { content = Mutex(Content(state: State(factor: factor))) }

  package var state: State { content.withLock { $0.state } }

  /// Sets the handler that is called after each change, on the thread that makes it.
  package func onChange(_ handler: @escaping @Sendable () -> Void) { content.withLock { $0.onChange = handler } }

  // MARK: For the user

  /// Gives orders; any thread.
  package func order(_ change: (inout State) -> Void) {
    update {
      change(&$0.state)
      $0.hasOrders = true
    }
  }

  // MARK: For the thread that plays

  /// The state, if there are orders since the last call.
  package func takeOrders() -> State? {
    content.withLock { content in
      guard content.hasOrders else { return nil }
      content.hasOrders = false
      return content.state
    }
  }

  package func report(position: Double) { update { $0.state.position = position } }

  /// Tells that the replay is at this target. It asks for orders again; the user may have set another target meanwhile.
  package func reportArrival(at target: Double) {
    update { content in
      content.state.position = target
      if content.state.target == target { content.state.target = nil }
      content.hasOrders = true
    }
  }

  /// Tells that the replay begins again, on its way back to the target.
  package func reportReturn() {
    update {
      $0.state.position = 0
      $0.state.returns += 1
    }
  }

  package func report(length: Double) { update { $0.state.length = length } }

  private func update(_ change: (inout Content) -> Void) {
    let onChange = content.withLock { content in
      change(&content)
      return content.onChange
    }
    onChange()
  }
}
