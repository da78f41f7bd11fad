#!/usr/bin/env python3
"""A greenhouse that agents can look after: a whole site with bearer tokens, in standard Python (3.9 or newer).

    python3 greenhouse.py --cert site.pem --key site-key.pem

It keeps everything in memory and prints a token for each of its two users. Copy it, and replace the plants.
"""

import argparse
import copy
import hashlib
import json
import secrets
import ssl
import threading
import time
import traceback
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# --- What the site is about: replace this part ----------------------------------------------------------------------

PLANTS = {
    1: {"id": 1, "name": "Basil", "bed": "south", "millilitres": 250},
    2: {"id": 2, "name": "Tomato", "bed": "south", "millilitres": 900},
    3: {"id": 3, "name": "Fern", "bed": "north", "millilitres": 120},
}


def list_plants(user, bed=None):
    return {"plants": [plant for plant in PLANTS.values() if bed in (None, plant["bed"])]}


def water_plant(user, plant, millilitres):
    if plant not in PLANTS:
        raise Refusal(404, f"There is no plant {plant}. list_plants has the numbers.")
    PLANTS[plant]["millilitres"] += millilitres
    return {**PLANTS[plant], "watered_by": user}


# The model reads every description. `scope` and `effect` tell the platform what a call needs, and when to repeat it.
TOOLS = {
    "list_plants": {
        "run": list_plants,
        "description": "List the plants, and how much water each of them got.",
        "scope": "read",
        "effect": "read",
        "input_schema": {
            "type": "object",
            "properties": {
                "bed": {"type": "string", "description": "Only plants in this bed", "enum": ["north", "south"]},
            },
            "required": [],
            "additionalProperties": False,
        },
    },
    "water_plant": {
        "run": water_plant,
        "description": "Water a plant.",
        "scope": "write",
        # A repeated call has no further effect, because `call` keeps its responses by Idempotency-Key.
        "effect": "idempotent",
        "input_schema": {
            "type": "object",
            "properties": {
                "plant": {"type": "integer", "description": "Number of the plant", "minimum": 1, "examples": [1]},
                "millilitres": {"type": "integer", "description": "How much", "minimum": 1, "maximum": 2000},
            },
            "required": ["plant", "millilitres"],
            "additionalProperties": False,
        },
    },
}

USERS = {"gardener": ["read", "write"], "visitor": ["read"]}

# --- The protocol: keep this part -----------------------------------------------------------------------------------


class Refusal(Exception):
    """A response other than 200. The sentence says what to do, because a model reads it and
    retries."""

    def __init__(self, status, sentence, headers=None):
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, headers or {}


def manifest(origin):
    members = ("description", "scope", "effect", "input_schema")
    return {
        "name": "Example greenhouse",
        "version": "1.0.0",
        "description": "The plants of a small greenhouse, and their water.",
        "server": {"url": f"{origin}/api"},
        "auth": {"type": "bearer"},
        "tools": [{"name": name, **{one: tool[one] for one in members}} for name, tool in TOOLS.items()],
    }


class Tokens:
    """Users' tokens, kept as hashes, which nobody can use as tokens."""

    lifetime_seconds = 90 * 24 * 60 * 60

    def __init__(self):
        self.known = {}

    def create(self, user):
        token = f"greenhouse_{secrets.token_urlsafe(32)}"
        self.known[self.hash(token)] = (user, time.time() + self.lifetime_seconds)
        return token

    def user_of(self, authorization):
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Refusal(401, 'Send "Authorization: Bearer <token>".', {"WWW-Authenticate": "Bearer"})
        user, expires = self.known.get(self.hash(token), (None, 0))
        if expires < time.time():
            headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            raise Refusal(401, "The token is unknown or has expired.", headers)
        return user

    @staticmethod
    def hash(token):
        return hashlib.sha256(token.encode()).hexdigest()


class Limit:
    """Limits the calls of each user in any minute."""

    def __init__(self, calls=60):
        self.calls, self.times = calls, defaultdict(deque)

    def count(self, user):
        now, times = time.monotonic(), self.times[user]
        while times and times[0] <= now - 60:
            times.popleft()
        if len(times) >= self.calls:
            wait = int(times[0] + 60 - now) + 1
            raise Refusal(429, f"Too many calls. Wait {wait} seconds.", {"Retry-After": str(wait)})
        times.append(now)


TYPES = {"string": str, "integer": int}


def check(schema, arguments):
    """Refuses arguments that do not match the schema. Converts nothing: a 400 teaches the model."""
    if not isinstance(arguments, dict):
        raise Refusal(400, "The body must be a JSON object.")
    for name in schema["required"]:
        if name not in arguments:
            raise Refusal(400, f"{name} is missing.")
    for name, value in arguments.items():
        rule = schema["properties"].get(name)
        if rule is None:
            raise Refusal(400, f"There is no argument {name}.")
        # In Python, True is an integer.
        if not isinstance(value, TYPES[rule["type"]]) or isinstance(value, bool):
            raise Refusal(400, f"{name} must be of the type {rule['type']}.")
        if "enum" in rule and value not in rule["enum"]:
            raise Refusal(400, f"{name} must be one of {', '.join(rule['enum'])}.")
        if value < rule.get("minimum", value):
            raise Refusal(400, f"{name} must be {rule['minimum']} or more.")
        if value > rule.get("maximum", value):
            raise Refusal(400, f"{name} must be {rule['maximum']} or less.")


class Greenhouse:
    most_kept = 10_000  # responses; your own site keeps them in its database for a day

    def __init__(self):
        self.tokens, self.limit, self.kept, self.lock = Tokens(), Limit(), {}, threading.Lock()

    def call(self, name, headers, body):
        """One tool call: token, user, permission, arguments, execution, in this order."""
        user = self.tokens.user_of(headers["Authorization"])
        with self.lock:
            self.limit.count(user)
            tool = TOOLS.get(name)
            if tool is None:
                raise Refusal(404, f"There is no tool {name}.")
            if tool["scope"] not in USERS[user]:
                raise Refusal(403, f"{name} needs the permission \"{tool['scope']}\", which {user} does not have.")
            arguments = parse(body)
            check(tool["input_schema"], arguments)
            if tool["effect"] == "read" or headers["Idempotency-Key"] is None:
                return tool["run"](user, **arguments)
            # The key belongs to one user and one tool, so that nobody gets another user's response.
            key = (user, name, headers["Idempotency-Key"])
            if key not in self.kept:
                self.kept[key] = (arguments, copy.deepcopy(tool["run"](user, **arguments)))
            while len(self.kept) > self.most_kept:
                self.kept.pop(next(iter(self.kept)))
            before, answer = self.kept[key]
            if before != arguments:
                raise Refusal(422, "This Idempotency-Key was used with other arguments. Send a new one.")
            return answer


def parse(body):
    try:
        return json.loads(body)
    except ValueError:
        raise Refusal(400, "The body is not JSON.") from None


class Handler(BaseHTTPRequestHandler):
    timeout = 30  # seconds that a connection may be silent
    largest_body = 256 * 1024

    def do_GET(self):
        if self.path == "/.well-known/toolsite.json":
            self.answer(200, manifest(self.server.origin))
        elif self.path.startswith("/api/tools/"):
            self.answer(405, {"error": "Tools are called by POST."}, {"Allow": "POST"})
        else:
            self.answer(404, {"error": "There is nothing here."})

    def do_POST(self):
        try:
            body = self.read_body()
            root, _, name = urlsplit(self.path).path.rpartition("/")
            if root != "/api/tools":
                raise Refusal(404, "There is nothing here.")
            self.answer(200, self.server.greenhouse.call(name, self.headers, body))
        except Refusal as refusal:
            self.answer(refusal.status, {"error": refusal.sentence}, refusal.headers)
        except Exception:
            traceback.print_exc()
            self.answer(500, {"error": "Something went wrong on our side."})

    def read_body(self):
        """The whole body: closing a connection over unread bytes resets it, and the response is
        lost."""
        length = self.headers["Content-Length"] or ""
        if not length.isdigit():
            raise Refusal(411, "Send a Content-Length.")
        if int(length) > self.largest_body:
            raise Refusal(413, f"Send {self.largest_body} bytes at most.")
        return self.rfile.read(int(length))

    def answer(self, status, content, headers=None):
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        """Without the query, which may contain a token that belongs in no log."""
        print(f"{self.command} {urlsplit(self.path).path} {int(code)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True, help="the certificate, in PEM")
    parser.add_argument("--key", required=True, help="its private key, in PEM")
    parser.add_argument("--port", type=int, default=4501, help="4501 by default; 0 takes a free one")
    options = parser.parse_args()

    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.origin = f"https://127.0.0.1:{server.server_port}"
    server.greenhouse = Greenhouse()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(options.cert, options.key)
    # Each connection's own thread does the handshake, so that a silent client does not block the others.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"The greenhouse is at {server.origin}", flush=True)
    for user, scopes in USERS.items():
        print(f"A token for {user} ({', '.join(scopes)}): {server.greenhouse.tokens.create(user)}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
