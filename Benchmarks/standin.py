"""A stand-in for gpsd, for benchmarks that follow a receiver."""
import json, socket, threading, time


class StandIn:
    """Speaks gpsd's protocol to any number of clients; `rate` reports a second once started."""

    def __init__(self, rate):
        self.rate = rate
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.clients = []
        self.index = 0
        self.sent = {}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.say(client, {"class": "VERSION", "release": "3.25", "rev": "3.25", "proto_major": 3, "proto_minor": 15})
            client.recv(4096)
            device = {"path": "/dev/ttyUSB0", "activated": "2026-01-01T00:00:00.000Z", "driver": "NMEA0183"}
            self.say(client, {"class": "DEVICES", "devices": [{"class": "DEVICE", **device}]})
            self.say(client, {"class": "WATCH", "enable": True, "json": True})
            self.clients.append(client)

    def say(self, client, message):
        client.sendall(json.dumps(message).encode() + b"\r\n")

    def report(self, seconds):
        """Reports for so long; `sent` has the moment at which each time was sent to each client, in the clients' order."""
        start = time.monotonic()
        for step in range(int(seconds * self.rate)):
            time.sleep(max(0, start + step / self.rate - time.monotonic()))
            index, self.index = self.index, self.index + 1
            second, part = divmod(index, self.rate)
            stamp = (f"2026-01-01T{12 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}."
                     f"{part * 1000 // self.rate:03d}Z")
            fix = {
                "class": "TPV", "device": "/dev/ttyUSB0", "mode": 3, "time": stamp,
                "lat": 51 + index * 1e-6, "lon": -0.125, "altMSL": 35.1, "altHAE": 82.0, "eph": 3.2, "epv": 5.1,
                "track": 45.0, "speed": 5.1, "climb": 0.1,
            }
            self.sent[stamp] = []
            for client in self.clients:
                self.sent[stamp].append(time.monotonic())
                self.say(client, fix)
