#!/usr/bin/env python3
"""A notebook with two tools, as an example of the middleware in toolsite.py. It keeps everything in memory.

    python3 examples/middleware/python/notebook.py --cert site.pem --key site-key.pem
"""

import argparse
import secrets
import ssl
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from toolsite import Toolsite, hash_of

NOTES = [{"id": 1, "text": "Water the plants.", "author": "editor"}]


def list_notes(user, limit=10):
    return {"notes": NOTES[-limit:]}


def add_note(user, text):
    note = {"id": len(NOTES) + 1, "text": text, "author": user["name"]}
    NOTES.append(note)
    return note


TOOLS = {
    "list_notes": {
        "run": list_notes,
        "description": "List the newest notes.",
        "scope": "read",
        "effect": "read",
        "input_schema": {
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "description": "How many notes", "minimum": 1, "maximum": 50},
            },
            "required": [],
            "additionalProperties": False,
        },
    },
    "add_note": {
        "run": add_note,
        "description": "Add a note.",
        "scope": "write",
        "effect": "idempotent",
        "input_schema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "The note", "minLength": 1, "maxLength": 2000},
            },
            "required": ["text"],
            "additionalProperties": False,
        },
    },
}

USERS = [{"name": "editor", "scopes": ["read", "write"]}, {"name": "reader", "scopes": ["read"]}]
USERS_BY_TOKEN_HASH = {}


def create_token(user):
    token = f"notebook_{secrets.token_urlsafe(32)}"
    USERS_BY_TOKEN_HASH[hash_of(token)] = user
    return token


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    timeout = 30  # seconds that a connection may be silent

    def log_message(self, *_):
        """Logs nothing, because a request line can contain a token in its query."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True, help="the certificate, in PEM")
    parser.add_argument("--key", required=True, help="its private key, in PEM")
    parser.add_argument("--port", type=int, default=4501)
    options = parser.parse_args()

    server = Server(("127.0.0.1", options.port), Handler)
    origin = f"https://127.0.0.1:{server.server_port}"
    server.set_app(
        Toolsite(
            origin=origin,
            name="Example notebook",
            version="1.0.0",
            description="Notes of a small team.",
            tools=TOOLS,
            find_user=USERS_BY_TOKEN_HASH.get,
        )
    )
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(options.cert, options.key)
    # Each connection's own thread does the handshake, so a silent client does not block the others.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"The site is at {origin}", flush=True)
    for user in USERS:
        print(f"A token for {user['name']}: {create_token(user)}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
