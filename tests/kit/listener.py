"""A small HTTP server for a practice machine, which keeps what it receives by POST: a line of JSON each."""

from __future__ import annotations

import shlex

PORT = 8093
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
_UNIT = """[Service]
ExecStart=/usr/bin/python3 /usr/local/lib/listener.py
[Install]
WantedBy=multi-user.target
"""
INSTALL = (
    f"mkdir -p /usr/local/lib; printf %s {shlex.quote(_SERVER)} >/usr/local/lib/listener.py; "
    f"printf %s {shlex.quote(_UNIT)} >/etc/systemd/system/listener.service; ip link set lo up 2>/dev/null; "
    "systemctl daemon-reload; systemctl enable --quiet --now listener.service"
)
"""The shell's words that install it, so that it runs at each start, too."""
