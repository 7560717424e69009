#if !Daemon
  #error(
    """
    this product of rxlocationd needs the trait Daemon, which is on by default: leave 'traits:' out of its .package(…) line, \
    or write 'traits: [.defaults]'
    """)
#endif
