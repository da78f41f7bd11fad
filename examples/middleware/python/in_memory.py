"""A site with several processes does both in its database."""

import json
import threading
import time
from collections import defaultdict, deque
from concurrent.futures import Future

from refusal import Refusal

CALLS_PER_MINUTE = 60


class Limit:
    """Counts calls per token."""

    def __init__(self):
        self.calls, self.lock = defaultdict(deque), threading.Lock()

    def count(self, token):
        with self.lock:
            now, calls = time.monotonic(), self.calls[token]
            while calls and calls[0] <= now - 60:
                calls.popleft()
            if len(calls) >= CALLS_PER_MINUTE:
                seconds = int(calls[0] + 60 - now) + 1
                raise Refusal(429, f"Too many calls. Wait {seconds} seconds.", {"Retry-After": str(seconds)})
            calls.append(now)


class KeptResponses:
    """Runs a call once per key and returns the same response to repeated requests, also while the first one still runs.
    Store responses in your database for a day: in memory, a restart forgets them."""

    def __init__(self, capacity=10_000):
        self.kept, self.capacity, self.lock = {}, capacity, threading.Lock()

    def once(self, key, arguments, run):
        own = Future()
        with self.lock:
            before, response = self.kept.setdefault(key, (arguments, own))
            if len(self.kept) > self.capacity:
                self.kept.pop(next(iter(self.kept)))
        if before != arguments:
            raise Refusal(422, "This Idempotency-Key was used with other arguments. Send a new one.")
        if response is own:
            self.run(key, own, run)
        return json.loads(response.result())

    def run(self, key, own, run):
        try:
            # JSON now, because the tool may change the object later.
            own.set_result(json.dumps(run()))
        except BaseException as error:
            # A failure is not kept, so that the next attempt may succeed.
            with self.lock:
                self.kept.pop(key, None)
            own.set_exception(error)
