/// A point in, or a span of, virtual time: a number of ticks of a ``TestScheduler``.
public typealias TestTime = Int
