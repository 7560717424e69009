extension RegionSocket {
  /// What can be chosen about region sockets.
  public struct Configuration: Sendable {
    /// The permissions of unix sockets.
    public var mode: UInt16 = 0o660
    /// The group, by name or number, that unix sockets are given to.
    public var group: String?
    /// The most readers, of all sockets together; fewer when the process may not have as many descriptors.
    public var readerLimit = 4096
    /// How long a reader may take nothing while something waits for it.
    public var stallTimeout = Duration.seconds(30)
    /// How many bytes of updates are kept for readers that are slow, in all.
    public var backlogBytes = 1 << 20
    /// How many updates are kept for readers that are slow.
    public var backlogLines = 8192

    /// Creates the usual configuration.
    public init() {}
  }

  /// What the region sockets have done so far.
  public struct Statistics: Sendable, Hashable {
    /// Readers just now.
    public var readers = 0
    /// Readers that were accepted.
    public var accepted = 0
    /// Readers that were refused because there were too many.
    public var refused = 0
    /// Readers that were closed because they took nothing.
    public var stalled = 0
    /// Updates that were published.
    public var published = 0
    /// Updates that readers lost, each counted for each of them.
    public var dropped = 0
    /// Bytes that were sent.
    public var bytes = 0
  }
}
