import Foundation
import Glibc

/// An HTTP server on a port of loopback that takes POSTs, by Python. It answers after it has stored what it was sent, and
/// can be killed. Killed when released.
///
/// Blocking; every wait has a deadline.
package final class RealServer {
  package struct Request: Decodable, Sendable {
    /// The number of its connection, from 1 on for each start of the server.
    package var connection: Int
    package var path: String
    /// The headers; names are in lower case.
    package var headers: [String: String]
    package var body: String
    /// What it was answered, as `plan` says it.
    package var answer: String

    package var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
    }
  }

  private static let python = "/usr/bin/python3"
  package static let isInstalled = access(python, X_OK) == 0
  package let port: UInt16
  package let folder: TemporaryFolder
  private let arguments: [String]
  private var program: BackgroundProgram?

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - plan: What is answered, one after the other, and the last one for ever: a status with headers behind it, as in
  ///     "503 Retry-After=1"; "hang" for no answer, "slow" for a 200 after 50 ms, "close" for a connection that ends without
  ///     an answer, "long" for a 200 with a body of 8 MiB.
  ///   - certificate: The name of a certificate in the folder, with which it speaks TLS.
  ///   - options: "client" for one that asks clients for a certificate of the folder's authority.
  package init(
    _ plan: [String] = ["200"], certificate: String? = nil, options: [String] = [], folder: TemporaryFolder? = nil
  ) throws {
    port = LoopbackSocket.unusedPort()
    self.folder = folder ?? TemporaryFolder()
    arguments = [certificate ?? "-"] + options
    try self.folder.write(Self.script, to: "server.py")
    try self.plan(plan)
    try start()
  }

  deinit { kill() }

  package func plan(_ answers: [String]) throws {
    try folder.write(answers.joined(separator: "\n"), to: "plan.new")
    guard rename(folder.file("plan.new"), folder.file("plan")) == 0 else { throw SupportError("no plan") }
  }

  /// Starts the server and waits until it accepts connections.
  package func start() throws {
    program = try BackgroundProgram(
      [Self.python, folder.file("server.py"), "\(port)", folder.path] + arguments, output: folder.file("server.log"))
    let listens = eventuallyBlocking(within: 120) { (try? LoopbackSocket.client(port: port)) != nil }
    guard listens else { throw SupportError("the server did not listen: \(contents(folder.file("server.log")))") }
  }

  package func kill() { program = nil }

  package var requests: [Request] {
    (FileManager.default.contents(atPath: folder.file("requests")) ?? Data()).split(separator: UInt8(ascii: "\n"))
      .compactMap { try? JSONDecoder().decode(Request.self, from: $0) }
  }

  private static let script = """
    import http.server, json, os, socket, ssl, sys, threading, time

    port, folder, certificate, options = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    lock = threading.Lock()
    store = open(folder + "/requests", "ab")
    connections = 0

    def next_answer():
        with open(folder + "/plan") as file:
            lines = file.read().split("\\n")
        if len(lines) > 1:
            with open(folder + "/plan.next", "w") as file:
                file.write("\\n".join(lines[1:]))
            os.rename(folder + "/plan.next", folder + "/plan")
        return lines[0]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        number = 0

        def do_POST(self):
            global connections
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                if self.number == 0:
                    connections += 1
                    self.number = connections
                answer = next_answer()
                request = {"connection": self.number, "path": self.path, "body": body.decode(), "answer": answer,
                           "headers": {name.lower(): value for name, value in self.headers.items()}}
                store.write(json.dumps(request).encode() + b"\\n")
                store.flush()
            words = answer.split()
            if words[0] == "hang":
                time.sleep(600)
            if words[0] == "close":
                self.close_connection = True
                return
            if words[0] == "slow":
                time.sleep(0.05)
            body = b" " * (8 << 20) if words[0] == "long" else b"[]"
            self.send_response(200 if words[0] in ("long", "slow") else int(words[0]))
            for word in words[1:]:
                self.send_header(*word.split("=", 1))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self):
            client, address = super().get_request()
            if certificate != "-":
                # The handshake is the handler's, so that one that fails holds nobody up.
                client = context.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
            return client, address

        def handle_error(self, *_):
            pass

    if certificate != "-":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/{certificate}.pem", f"{folder}/{certificate}.key")
        if "client" in options:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(folder + "/ca.pem")
    Server(("127.0.0.1", port), Handler).serve_forever()

    """
}
