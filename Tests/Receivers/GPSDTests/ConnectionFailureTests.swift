import Glibc
import Testing

@testable import GPSD

extension GPSDTests {
  struct ConnectionFailureTests {
    @Test(arguments: [
      (EACCES, ConnectionFailure.denied("Permission denied")),
      (EPERM, .denied("Operation not permitted")),
      (ECONNREFUSED, .refused("Connection refused")),
      (ENETUNREACH, .unreachable("Network is unreachable")),
      (EHOSTUNREACH, .unreachable("No route to host")),
      (ETIMEDOUT, .unreachable("Connection timed out")),
      (EMFILE, .system("Too many open files")),
    ])
    func saysWhatAnErrorOfConnectMeans(error: Int32, failure: ConnectionFailure) {
      #expect(ConnectionFailure(connecting: error) == failure)
    }
  }
}
