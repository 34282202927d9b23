"""A small HTTP server for a practice machine, with TLS or without, which keeps each POST as a line of JSON."""

from __future__ import annotations

import shlex
from pathlib import Path

PORT = 8093
TLS_PORT = 8094
GOT = "/var/lib/listener.jsonl"
_SERVER = f'''
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open("{GOT}", "a") as file:
            print(json.dumps({{"path": self.path, "headers": dict(self.headers.items()), "body": body}}), file=file)
        self.send_response(401 if self.headers.get("Authorization") == "Bearer wrong" else 200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", {PORT}), Handler).serve_forever()
'''
_TLS = Path(__file__).with_name("tls")  # an authority of its own, and a certificate by it for localhost
_TLS_SERVER = f"""
import ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/usr/local/lib/server.pem", "/usr/local/lib/server.key")
server = http.server.ThreadingHTTPServer(("127.0.0.1", {TLS_PORT}), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
"""
_UNIT = """[Service]
ExecStart=/usr/bin/python3 /usr/local/lib/listener.py
[Install]
WantedBy=multi-user.target
"""


def _installed(server: str) -> str:
    return (
        f"mkdir -p /usr/local/lib; printf %s {shlex.quote(server)} >/usr/local/lib/listener.py; "
        f"printf %s {shlex.quote(_UNIT)} >/etc/systemd/system/listener.service; ip link set lo up 2>/dev/null; "
        "systemctl daemon-reload; systemctl enable --quiet --now listener.service"
    )


def _file(name: str) -> str:
    text = (_TLS / name).read_text(encoding="ascii")
    return f"printf %s {shlex.quote(text)} >/usr/local/lib/{name}; "


INSTALL = _installed(_SERVER)
"""The shell's words that install it, so that it runs at each start, too."""
_HANDLER = _SERVER.rpartition("http.server.HTTPServer(")[0]
INSTALL_TLS = f"mkdir -p /usr/local/lib; {_file('server.pem')}{_file('server.key')}{_installed(_HANDLER + _TLS_SERVER)}"
"""Likewise, with TLS at TLS_PORT."""
