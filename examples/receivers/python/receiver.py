"""A receiver of payouts: the part of your balance system that Hongbao calls. Python 3.9, no packages.

    SECRETS="whsec_new whsec_old" JOURNAL=payouts.ndjson PORT=8090 python3 receiver.py

PUT /payouts/{id} pays, GET /payouts/{id} answers what became of it, GET /statements/{day} is the file
of a day (UTC). Three rules keep the money safe:

  1. A decision is on the disk before it is answered, and it never changes.
  2. The same id gets the same answer. With another user, amount or currency it gets `conflict`.
  3. A code of the closed list (`user-unknown`, …) means: not paid, and never will be.
"""

import base64
import csv
import hashlib
import hmac
import io
import json
import os
import re
import threading
import time
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = os.environ.get("SECRETS", "")
JOURNAL = os.environ.get("JOURNAL", "payouts.ndjson")
PORT = int(os.environ.get("PORT", "8090"))
CURRENCY = os.environ.get("CURRENCY", "CNY")
TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 65_536

if not re.fullmatch(r"whsec_\S+( whsec_\S+)*", SECRETS):
    raise SystemExit("SECRETS: one or two of whsec_…")
KEYS = [base64.b64decode(secret[len("whsec_"):]) for secret in SECRETS.split(" ")]

payouts = {}
deciding = threading.Lock()


def refusal_of(order):
    """Yours: look the user up. Here the beginning of an id decides."""
    if order["userId"].startswith("unknown-"):
        return "user-unknown"
    if order["userId"].startswith("closed-"):
        return "user-closed"
    if order["currency"] != CURRENCY:
        return "currency"
    if not re.fullmatch(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,3})?", order["amount"]) or not order["amount"].strip("0."):
        return "amount"
    return None


def decide(order):
    """Yours: one transaction of your database, which adds to the balance and inserts the payout under
    its id as primary key. Here a line of the journal is both. If it cannot be written, this program
    ends, and reads at its next start what is really on the disk."""
    code = refusal_of(order)
    payout = {"state": "refused", "code": code} if code else {"state": "paid", "externalId": str(uuid.uuid4())}
    payout.update({name: order[name] for name in ("payoutId", "userId", "amount", "currency")})
    payout["at"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    try:
        journal.write(json.dumps(payout).encode() + b"\n")
        journal.flush()
        os.fsync(journal.fileno())
    except OSError:
        os._exit(1)
    payouts[payout["payoutId"]] = payout
    return payout


def read_journal():
    journal.seek(0)
    text = journal.read()
    whole = text[:text.rfind(b"\n") + 1]
    journal.truncate(len(whole))  # A crash may leave half a line behind. It was never answered.
    for line in whole.splitlines():
        payout = json.loads(line)
        payouts[payout["payoutId"]] = payout


def is_signed(headers, body):
    """https://www.standardwebhooks.com: any of the signatures, by any of our secrets."""
    at = headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs(time.time() - int(at)) > TOLERANCE_SECONDS:
        return False
    content = f"{headers.get('webhook-id')}.{at}.".encode() + body
    macs = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, b"v1," + mac) for one in given for mac in macs)


def answer_to(method, path, headers, body):
    """Returns a status and a body: JSON, or text."""
    match = re.fullmatch(r"/(payouts|statements)/([0-9A-Za-z-]{1,32})", path)
    if not match:
        return 404, {}
    kind, payout_id = match.groups()
    if headers.get("webhook-id") != payout_id or not is_signed(headers, body):
        return 401, {"code": "signature"}
    if method == "GET" and kind == "statements":
        return 200, statement_of(payout_id)
    if method == "GET":
        return show(payouts[payout_id]) if payout_id in payouts else (404, {"code": "not-found"})
    if kind != "payouts":
        return 405, {}

    order = parse(body)
    if order is None or order["payoutId"] != payout_id:
        return 400, {"code": "malformed"}
    with deciding:
        known = payouts.get(payout_id) or decide(order)
    same = all(known[name] == order[name] for name in ("userId", "amount", "currency"))
    return show(known) if same else (409, {"code": "conflict"})


def show(payout):
    answer = {name: value for name, value in payout.items() if name != "at"}
    return (200 if payout["state"] == "paid" else 422), answer


def parse(body):
    try:
        order = json.loads(body)
        texts = [order[name] for name in ("payoutId", "userId", "amount", "currency")]
        return order if all(isinstance(text, str) for text in texts) else None
    except (ValueError, KeyError, TypeError):
        return None


def statement_of(day):
    file = io.StringIO()
    columns = ["payoutId", "userId", "amount", "state", "at"]
    writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(payout for payout in list(payouts.values()) if payout["at"].startswith(day + "T"))
    return file.getvalue()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self):
        length = self.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return self.reply(413, {})
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # A request that is cut off has no effect.
            self.close_connection = True
            return None
        return self.reply(*answer_to(self.command, self.path, self.headers, body))

    do_GET = do_PUT = answer

    def reply(self, status, answer):
        is_text = isinstance(answer, str)
        body = (answer if is_text else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("content-type", f"{'text/csv' if is_text else 'application/json'}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


if __name__ == "__main__":
    journal = open(JOURNAL, "a+b")
    read_journal()
    Server(("127.0.0.1", PORT), Receiver).serve_forever()
