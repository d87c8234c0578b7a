#!/usr/bin/env python3
"""Checks the evidence of a red packet rain, written by `npm run admin -- evidence`: docs/operations.md.

    python3 verify-evidence.py FILE [--key KEYFILE --user ID] [--witness KEY]... [--require N]

With the key of its pseudonyms, it also prints what the user ID has won; with the keys of witnesses, at least N of them (otherwise
all) have to have signed the checkpoint of the log. Nothing but Python's standard library,
verify-split.py and verify-log.py in the same folder, and no code of the system itself.
"""
import hashlib, hmac, importlib.util, json, os, sys

BLOCK = 512
RETURNED = ("void", "refund")

def beside(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), f"verify-{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

split, log = beside("split"), beside("log")
demand = split.demand
REFUSALS = (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError)

def header(name, size):  # POSIX ustar, with nothing left open
    text = name.encode().ljust(100, b"\0") + b"0000644\0" + 2 * b"0000000\0" + b"%011o\0" % size + b"%011o\0" % 0
    text = (text + 8 * b" " + b"0").ljust(257, b"\0") + b"ustar\x0000"
    text = text.ljust(BLOCK, b"\0")
    return text[:148] + b"%06o\0 " % sum(text) + text[156:]

def unpack(data):
    files, at = {}, 0
    while data[at:at + BLOCK].strip(b"\0"):
        try: name, size = data[at:at + 100].rstrip(b"\0").decode(), int(data[at + 124:at + 135], 8)
        except ValueError: demand(False, f"the header at byte {at}, after {len(files)} files, is not as it was written")
        demand(data[at:at + BLOCK] == header(name, size), f"the header before {name} is not as it was written")
        demand(name not in files, f"{name} occurs twice")
        files[name], at = data[at + BLOCK:at + BLOCK + size], at + BLOCK + size
        rest = -size % BLOCK
        demand(data[at:at + rest] == bytes(rest), f"there is something after {name}")
        at += rest
    demand(data[at:] == bytes(2 * BLOCK), "the archive does not end where it should")
    return files

def check_manifest(files):
    demand({"manifest.json", "manifest.sha256"} <= set(files), "manifest.json or manifest.sha256 is missing")
    manifest = files["manifest.json"]
    demand(files["manifest.sha256"] == hashlib.sha256(manifest).hexdigest().encode() + b"\n", "manifest.json is not what manifest.sha256 says")
    about = json.loads(manifest)
    demand(about["format"] == "hongbao.evidence.v1", "manifest.json: a format that this checker does not know")
    listed = {entry["name"]: entry for entry in about["files"]}
    demand([*listed, "manifest.json", "manifest.sha256"] == list(files), "manifest.json lists other files, or in another order")
    for name, entry in listed.items():
        demand(len(files[name]) == entry["bytes"] and hashlib.sha256(files[name]).hexdigest() == entry["sha256"], f"{name} was changed")
    return about

def lines(files, name): return [json.loads(line) for line in files[name].decode().split("\n") if line]

class Rain:
    def __init__(self, files, about, witnesses, require):
        self.files, self.id, self.witnesses, self.require = files, about["activityId"], witnesses, require
        self.activity = json.loads(files["activity.json"])
        demand(self.activity["id"] == self.id, "activity.json: another activity")
        self.packets, self.claims, self.ledger, self.payouts = (lines(files, f"{name}.ndjson") for name in ("packets", "claims", "ledger", "payouts"))

    def minor(self, amount): return split.minor(amount, self.activity["totalAmount"])
    def no(self, packet):  # docs/glossary.md
        activity, no = divmod(int(packet["redPacketId"]), 10_000_000)
        demand(str(activity) == self.id, "there is a packet of another activity")
        return no

    def check_packets(self):
        numbers, winners = [self.no(packet) for packet in self.packets], [packet["userId"] for packet in self.packets if packet["userId"]]
        demand(len(set(numbers)) == len(numbers), "packets.ndjson: a packet occurs twice")
        demand(len(set(winners)) == len(winners), "packets.ndjson: somebody has two packets")
        return f"{len(numbers)} packets, {len(winners)} of them won, each by somebody else"

    def check_draw(self):
        names, drawn = sorted(name for name in self.files if name.startswith("fairness-")), {}
        told = split.check([self.files[name].decode() for name in names])
        for name in names:
            for batch in json.loads(self.files[name])["batches"]:
                demand(batch["terms"]["activity"] == self.id, f"{name}: a batch of another activity")
                demand(batch["seed"], f"{name}: a seed is not revealed")
                drawn.update(enumerate(split.draw(bytes.fromhex(batch["seed"]), batch["terms"]), int(batch["firstNo"])))
        demand(drawn.keys() == {self.no(packet) for packet in self.packets}, "packets.ndjson: there are other packets than were drawn")
        for packet in self.packets:
            no = self.no(packet)
            demand(drawn[no] == self.minor(packet["amount"]), f"packets.ndjson: packet {no} has another amount than was drawn")
        return told + [f"the amounts of {len(drawn)} packets are those that were drawn"]

    def check_claims(self):
        won = {packet["redPacketId"]: packet for packet in self.packets if packet["userId"]}
        demand(sorted(claim["redPacketId"] for claim in self.claims) == sorted(won), "claims.ndjson: there are other wins than in packets.ndjson")
        demand(len({claim["claimId"] for claim in self.claims}) == len(won), "claims.ndjson: two wins have one claimId")
        for claim in self.claims:
            packet = won[claim["redPacketId"]]
            demand((claim["userId"], claim["amount"]) == (packet["userId"], packet["amount"]), f"claims.ndjson: claim {claim['claimId']} is not what packets.ndjson says")
        return f"{len(self.claims)} wins are those of the packets"

    def check_money(self):
        claims, paid, sums = {claim["claimId"]: claim for claim in self.claims}, set(), {}
        for transfer in self.ledger:
            amount, kind = self.minor(transfer["amount"]), transfer["kind"]
            sums[kind] = sums.get(kind, 0) + amount
            if kind != "credit": continue
            claim = claims[transfer["claimId"]]
            demand(transfer["to"] == f"wallet:{claim['userId']}" and amount == self.minor(claim["amount"]), f"ledger.ndjson: transfer {transfer['transferId']} does not pay its claim")
            demand(claim["claimId"] not in paid, f"ledger.ndjson: claim {claim['claimId']} is paid twice")
            paid.add(claim["claimId"])
        put_in, out = sums.get("fund", 0) + sums.get("top-up", 0), sums.get("credit", 0) + sum(sums.get(kind, 0) for kind in RETURNED)
        demand(put_in == sum(self.minor(packet["amount"]) for packet in self.packets), "ledger.ndjson: what was put in is not what the packets hold")
        demand(put_in >= out, "ledger.ndjson: more came out than was put in")
        settled = {claim["claimId"] for claim in self.claims if claim["creditedAt"]}
        demand(settled == paid, "ledger.ndjson: other claims are paid than claims.ndjson says")
        for payout in self.payouts:
            claim = claims[payout["claimId"]]
            demand(payout["claimId"] in paid and (payout["userId"], payout["amount"]) == (claim["userId"], claim["amount"]), f"payouts.ndjson: the payout of claim {payout['claimId']} is not of its credit")
        rest = "" if put_in == out else f", {put_in - out} minor units are not settled yet"
        return f"what was put in is what came out: {len(paid)} credits{rest}"

    def check_log(self):
        if not self.files["log-checkpoint.txt"]:
            demand(not self.witnesses and self.require is None, "there is no log of claims that a witness could have signed")
            return ["there is no log of claims"]
        entries = lines(self.files, "log-leaves.ndjson")
        key, note = self.files["log-key.txt"].decode(), self.files["log-checkpoint.txt"].decode()
        size = log.read_note(note, key)[0]
        demand([entry["index"] for entry in entries] == list(range(size)), f"log-leaves.ndjson: these are not the {size} leaves of the checkpoint, each once")
        told = log.check([key, note, json.dumps({"leaves": entries})], "", self.witnesses, self.require)
        logged = {int(entry["no"]) for entry in entries if entry.get("activityId") == self.id}
        missing = [claim["claimId"] for claim in self.claims if self.no(claim) not in logged]
        hashes = sum("hash" in entry for entry in entries)
        # An activity that is not public has only hashes there; any other has none.
        demand(not missing or not logged and len(missing) <= hashes, f"log-leaves.ndjson: claim {(missing or ['-'])[0]} is not in the log")
        demand(logged <= {self.no(claim) for claim in self.claims}, "log-leaves.ndjson: a win is in the log and not in claims.ndjson")
        rest = f", and whether {len(missing) or 'any'} others are among its {hashes} hashes is not checked" if hashes else ""
        return told + [f"{len(logged)} wins are in the log of claims{rest}"]

    def check(self):
        return [self.check_packets(), *self.check_draw(), self.check_claims(), self.check_money(), *self.check_log()]

def wins_of(rain, key, user):
    pseudonym = hmac.digest(bytes.fromhex(key["key"]), b"hongbao.pseudonym.v1\0" + user.encode(), "sha256")[:16].hex()
    won = [f"packet {packet['redPacketId']}: {packet['amount']}, {packet['outcome']}" for packet in rain.packets if packet["userId"] in (pseudonym, user)]
    return [f"{user} is {pseudonym}"] + (won or ["and has won nothing"])

def check(data, key=None, user=None, witnesses=(), require=None):
    if key: demand(hashlib.sha256(data).hexdigest() == key["archive"], "the key is of another archive, or the archive was changed")
    files = unpack(data)
    about = check_manifest(files)
    if key: demand("keySha256" in about and hashlib.sha256(bytes.fromhex(key["key"])).hexdigest() == about["keySha256"], "the key is not the one of these pseudonyms")
    told = [f"{len(files)} files of activity {about['activityId']} are as they were written at {about['madeAt']}"]
    rain = Rain(files, about, witnesses, require)
    return told + rain.check() + (wins_of(rain, key, user) if user else [])

if __name__ == "__main__":
    try:
        (name,), options, witnesses, require = log.read_options(sys.argv[1:], {"--key", "--user", "--witness", "--require"})
        key = json.load(open(options["--key"][-1], encoding="utf-8")) if "--key" in options else None
        print(*check(open(name, "rb").read(), key, options.get("--user", [None])[-1], witnesses, require), sep="\n")
    except REFUSALS as error: sys.exit(f"REFUSED {error}")
