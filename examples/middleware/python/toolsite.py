"""The manifest and the tools of a site as a WSGI application, in standard Python (3.9 or newer).

Mount it in your own application, or serve it alone. notebook.py is an example.
"""

import hashlib
import json
import traceback
from http import HTTPStatus

from arguments import assert_checkable, check
from in_memory import KeptResponses, Limit
from refusal import Refusal

ROOT = "/api/tools/"
MAX_BODY_BYTES = 256 * 1024


class Toolsite:
    """The application. `find_user` looks up the hash of a token in your database. It returns a dictionary with `name` and
    `scopes`, or None if the token is unknown, expired or revoked."""

    def __init__(self, origin, name, version, description, tools, find_user):
        for tool in tools.values():
            assert_checkable(tool["input_schema"])
        self.tools, self.find_user = tools, find_user
        self.limit, self.kept = Limit(), KeptResponses()
        self.manifest = {
            "name": name,
            "version": version,
            "description": description,
            "server": {"url": f"{origin}/api"},
            "auth": {"type": "bearer"},
            "tools": [
                {"name": tool_name, **{member: value for member, value in tool.items() if member != "run"}}
                for tool_name, tool in tools.items()
            ],
        }

    def __call__(self, environ, start_response):
        try:
            status, content, headers = 200, self.answer(environ), {}
        except Refusal as refusal:
            status, content, headers = refusal.status, {"error": refusal.sentence}, refusal.headers
        except Exception:
            traceback.print_exc()
            status, content, headers = 500, {"error": "Something went wrong on our side."}, {}
        body = json.dumps(content).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        start_response(f"{status} {HTTPStatus(status).phrase}", list(headers.items()))
        return [body]

    def answer(self, environ):
        path = environ.get("PATH_INFO", "")
        if path == "/.well-known/toolsite.json":
            return self.manifest
        if not path.startswith(ROOT):
            raise Refusal(404, "This page does not exist.")
        if environ["REQUEST_METHOD"] != "POST":
            raise Refusal(405, "Call tools with POST.", {"Allow": "POST"})
        # First of all, because some servers reset a connection that they close over unread bytes.
        body = read_body(environ)
        return self.call(path[len(ROOT) :], environ, body)

    def call(self, name, environ, body):
        token_hash = hash_of(token_of(environ))
        user = self.find_user(token_hash)
        if user is None:
            raise unauthorized("The token is unknown, expired or revoked.", 'Bearer error="invalid_token"')
        self.limit.count(token_hash)
        tool = self.tools.get(name)
        if tool is None:
            raise Refusal(404, f"There is no tool {name}.")
        if tool["scope"] not in user["scopes"]:
            raise Refusal(403, f"{name} needs the permission \"{tool['scope']}\", which {user['name']} does not have.")
        arguments = parse(body)
        check(tool["input_schema"], arguments, "The body")
        key = environ.get("HTTP_IDEMPOTENCY_KEY")
        if tool["effect"] == "read" or key is None:
            return tool["run"](user, **arguments)
        # Without the user and the tool in the key, one user could read another user's response.
        return self.kept.once((user["name"], name, key), arguments, lambda: tool["run"](user, **arguments))


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def token_of(environ):
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthorized('Send "Authorization: Bearer <token>".', "Bearer")
    return token.strip()


def unauthorized(sentence, challenge):
    return Refusal(401, sentence, {"WWW-Authenticate": challenge})


def read_body(environ):
    length = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        raise Refusal(411, "Send a Content-Length.")
    if int(length) > MAX_BODY_BYTES:
        raise Refusal(413, f"Send at most {MAX_BODY_BYTES} bytes.")
    return environ["wsgi.input"].read(int(length))


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(body):
    try:
        return json.loads(body.decode(), parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "The body is not valid JSON in UTF-8.") from None
