import Glibc
import Testing

@testable import GPSD

extension GPSDTests {
  struct LinkFailureTests {
    @Test(arguments: [
      (EACCES, LinkFailure.denied("Permission denied")),
      (EPERM, .denied("Operation not permitted")),
      (ECONNREFUSED, .unreachable("Connection refused")),
      (ENETUNREACH, .unreachable("Network is unreachable")),
      (EHOSTUNREACH, .unreachable("No route to host")),
      (ETIMEDOUT, .unreachable("Connection timed out")),
      (EMFILE, .system("Too many open files")),
    ])
    func saysWhatAnErrorOfConnectMeans(error: Int32, failure: LinkFailure) {
      #expect(LinkFailure(connecting: error) == failure)
    }
  }
}
