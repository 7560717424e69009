"""A PostgreSQL server in a folder of its own, for measurements and tests."""
import glob, os, pwd, shutil, signal, subprocess, tempfile

from .measure import free_port, wait

PROGRAMS = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), None)


class PostgreSQL:
    """Use it with `with`. Committed rows are on the disk, because fsync is on."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        self.port = free_port()
        self.user = {}
        if os.getuid() == 0:
            # A server does not run as root.
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        data = f"{self.folder}/data"
        subprocess.run([f"{PROGRAMS}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"],
                       check=True, stdout=subprocess.DEVNULL, **self.user)
        self.log = open(f"{self.folder}.log", "w")
        self.process = subprocess.Popen(
            [f"{PROGRAMS}/postgres", "-D", data, "-p", str(self.port), "-c", "listen_addresses=", "-c",
             f"unix_socket_directories={self.folder}", "-c", "max_wal_size=4GB"],
            stdout=self.log, stderr=self.log, **self.user)
        wait(lambda: subprocess.run(["psql", "-qX", self.url, "-c", "SELECT 1"], capture_output=True).returncode == 0,
             "the database answers", 30)
        return self

    @property
    def url(self):
        return self.address("postgres")

    def address(self, name):
        folder = self.folder.replace("/", "%2F")
        return f"postgresql://postgres@/{name}?host={folder}&port={self.port}"

    def database(self, name):
        """Makes a database and returns its URL."""
        self.rows(f"CREATE DATABASE {name}")
        return self.address(name)

    def rows(self, query, url=None):
        """The rows of a query, as texts."""
        result = subprocess.run(["psql", "-qAtX", "-F", "\t", url or self.url, "-c", query], stdout=subprocess.PIPE, text=True,
                                check=True)
        return [tuple(line.split("\t")) for line in result.stdout.splitlines()]

    def __exit__(self, *_):
        # Ends at once, so that its shared memory is released.
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        self.log.close()
        os.unlink(self.log.name)
        shutil.rmtree(self.folder, ignore_errors=True)
