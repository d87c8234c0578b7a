#!/usr/bin/env python3
"""Checks the packets of a red packet rain from public files alone: docs/fairness.md.

    python3 verify-split.py https://HOST/v1/activities/ID       its public files, read without a token; #c=CODE if it needs one
    python3 verify-split.py FILE...

A file is an answer of GET /v1/activities/{id}/fairness, or of GET /v1/me/packets/{redPacketId}/proof.
Nothing but Python's standard library, and no code of the system itself.
"""
import hashlib, hmac, itertools, json, re, sys

FIELDS = [{"batches", "nextCursor"}, {"activityId", "batch", "no", "amount", "salt", "path", "root"}]
REFUSALS = (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError)

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def u64(number): return number.to_bytes(8, "big")
def demand(condition, reason):
    if not condition: raise ValueError(reason)

def whole(count):
    demand(re.fullmatch("[1-9][0-9]{0,6}", count), f"{count} is not a number of packets")
    return int(count)

def minor(amount, total):
    demand(re.fullmatch(r"(0|[1-9]\d*)(\.\d{1,3})?", amount), f"{amount} is not an amount")
    demand(len(amount.partition(".")[2]) == len(total.partition(".")[2]), f"{amount} has other decimals")
    return int(amount.replace(".", ""))

def terms_hash(terms):
    text = json.dumps(terms, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha(b"hongbao.terms.v1\0", text.encode())

def keystream(key):  # AES-256-CTR from a zero block (FIPS 197, SP 800-38A), because Python comes without AES
    twice = lambda byte: byte << 1 ^ (byte >> 7) * 0x11b
    powers, box = [1], [0x63] * 256
    while len(powers) < 255: powers.append(powers[-1] ^ twice(powers[-1]))
    for log, byte in enumerate(powers):
        for turn in range(5): box[byte] ^= (powers[-log] << turn | powers[-log] >> 8 - turn) & 255
    words, constant = [key[at:at + 4] for at in range(0, 32, 4)], 1
    for at in range(8, 60):
        word = words[-1][1:] + words[-1][:1] if at % 8 == 0 else words[-1]
        if at % 4 == 0: word = bytes(box[byte] for byte in word)
        if at % 8 == 0: word, constant = bytes([word[0] ^ constant, *word[1:]]), twice(constant)
        words.append(bytes(one ^ other for one, other in zip(words[at - 8], word)))
    first, *middle, last = [int.from_bytes(b"".join(words[at:at + 4]), "big") for at in range(0, 60, 4)]
    columns = [[twice(byte), byte, byte, byte ^ twice(byte)] for byte in box]
    mixed = [[int.from_bytes(bytes(column[-row:] + column[:-row]), "big") for column in columns] for row in range(4)]
    for counter in itertools.count():
        state = (counter ^ first).to_bytes(16, "big")
        for round_key in middle:
            parts = [mixed[0][state[at]] ^ mixed[1][state[at + 5 & 15]] ^ mixed[2][state[at + 10 & 15]] ^ mixed[3][state[at + 15 & 15]]
                     for at in (0, 4, 8, 12)]
            state = (parts[0] << 96 ^ parts[1] << 64 ^ parts[2] << 32 ^ parts[3] ^ round_key).to_bytes(16, "big")
        moved = bytes(box[state[at + at % 4 * 4 & 15]] for at in range(16))
        yield (int.from_bytes(moved, "big") ^ last).to_bytes(16, "big")

def values(seed, terms):  # 53 bits each
    if terms["v"] == "1":
        for block in keystream(seed):
            for at in (0, 8): yield int.from_bytes(block[at:at + 4], "little") >> 11 << 32 | int.from_bytes(block[at + 4:at + 8], "little")
    key, prefix, number = seed, b"hongbao.split.v2\0" + terms_hash(terms), 0
    if terms["v"] == "3":  # nothing of the terms: the server writes them when it knows both seeds
        mix = b"hongbao.mix.v1\0" + bytes.fromhex(terms["sponsorSeed"])
        key, prefix = hmac.digest(seed, mix, "sha256"), b"hongbao.split.v3\0"
    while True:
        block = hmac.digest(key, prefix + u64(number), "sha256")
        for at in range(0, 32, 8): yield int.from_bytes(block[at:at + 8], "big") >> 11
        number += 1

def draw(seed, terms):
    stream, total, count = values(seed, terms), minor(terms["total"], terms["total"]), whole(terms["count"])
    def below(bound):
        while True:
            value = next(stream)
            if value - value % bound <= 2**53 - bound: return value % bound
    amounts = []
    if terms["kind"] == "random":
        low = minor(terms["min"], terms["total"]) if "min" in terms else 1
        high = min(total, minor(terms["max"], terms["total"]) if "max" in terms else total)
        demand(1 <= low <= total // count and high >= -(-total // count), "no packets within these bounds")
        rest = total
        for left in range(count, 1, -1):  # uniform on the widest interval around the mean of the rest
            reach = min(rest // left - low, high + -rest // left)
            amounts.append((rest - reach * left + below((2 * reach + 1) * left)) // left)
            rest -= amounts[-1]
        amounts.append(rest)
    elif terms["kind"] == "equal":
        amounts = [total // count + (index < total % count) for index in range(count)]
    elif terms["kind"] == "tiers":
        for tier in terms["tiers"]: amounts += [minor(tier["amount"], terms["total"])] * whole(tier["count"])
    demand(len(amounts) == count and sum(amounts) == total and min(amounts) > 0, "amounts do not add up")
    for index in range(count - 1, 0, -1):
        other = below(index + 1)
        amounts[index], amounts[other] = amounts[other], amounts[index]
    return amounts

def leaf(terms_digest, no, amount, salt):
    return sha(b"\0hongbao.leaf.v1\0", terms_digest, u64(no), u64(amount), salt)

def name_of(batch): return f"activity {batch['terms']['activity']} batch {batch['batch']}"

def check_batch(batch):
    demand(set(batch) == {"batch", "firstNo", "terms", "commit", "root", "seed"}, "other fields")
    terms, name = batch["terms"], name_of(batch)
    demand(terms["v"] in ("1", "2", "3") and terms["batch"] == batch["batch"], "terms of another batch")
    if terms["v"] == "1":  # nothing was published before: this only shows that the seed draws packets of these terms
        if batch["seed"] is None: return f"{name}: version 1, without a commitment"
        demand(re.fullmatch("[0-9a-f]{64}", batch["seed"]), "no seed")
        return f"{name}: version 1, without a commitment; its seed draws {len(draw(bytes.fromhex(batch['seed']), terms))} packets of {terms['total']}"
    drawn_by = "by the server alone"
    if terms["v"] == "3":
        demand(all(re.fullmatch("[0-9a-f]{64}", terms[field]) for field in ("sponsorSeed", "commitment")), "no word")
        drawn_by = f"with the sponsor's word {terms['sponsorSeed']}"
    if batch["seed"] is None: return f"{name}: not revealed yet; drawn {drawn_by}"
    demand(re.fullmatch("[0-9a-f]{64}", batch["seed"]), "no seed")
    seed, digest = bytes.fromhex(batch["seed"]), terms_hash(terms)
    demand(terms["v"] == "2" or sha(b"hongbao.seed.v1\0", seed).hex() == terms["commitment"], "another seed")
    demand(sha(b"hongbao.commit.v1\0", seed, digest).hex() == batch["commit"], "another commitment")
    row = []
    for no, amount in enumerate(draw(seed, terms), int(batch["firstNo"])):
        row.append(leaf(digest, no, amount, hmac.digest(seed, b"hongbao.salt.v1\0" + digest + u64(no), "sha256")[:16]))
    while len(row) > 1:
        row = [sha(b"\1", *row[at:at + 2]) if at + 1 < len(row) else row[at] for at in range(0, len(row), 2)]
    demand(row[0].hex() == batch["root"], "another root")
    return f"{name}: all {terms['count']} packets are as committed, drawn {drawn_by}"

def check_proof(proof, batches):
    batch = next((b for b in batches if b["terms"]["activity"] == proof["activityId"] and b["batch"] == proof["batch"]), None)
    demand(batch and batch["root"] == proof["root"], "no batch with this root in the files")
    terms, no = batch["terms"], int(proof["no"])
    index, length = no - int(batch["firstNo"]), int(terms["count"])
    demand(0 <= index < length and str(no) == proof["no"] and re.fullmatch("[0-9a-f]{32}", proof["salt"]), "no such packet")
    node, path = leaf(terms_hash(terms), no, minor(proof["amount"], terms["total"]), bytes.fromhex(proof["salt"])), iter(proof["path"])
    while length > 1:
        if index % 2 or index + 1 < length:
            step = next(path, {"side": "none", "hash": ""})
            demand(step["side"] == ("left" if index % 2 else "right") and re.fullmatch("[0-9a-f]{64}", step["hash"]), "another way")
            other = bytes.fromhex(step["hash"])
            node = sha(b"\1", other, node) if index % 2 else sha(b"\1", node, other)
        index, length = index // 2, (length + 1) // 2
    demand(next(path, None) is None and node.hex() == proof["root"], "the way does not lead to the root")
    return f"packet {proof['no']} of activity {proof['activityId']}: existed with {proof['amount']} before it could be won"

def published(address):  # all pages; the code goes to this host alone, in a header
    import urllib.error, urllib.parse, urllib.request
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_): return None
    parts = urllib.parse.urlsplit(address)
    place = re.fullmatch(r"(.*)/(?:v1/activities|rain)/(\d+)(?:/fairness)?/?", parts.path)
    demand(place, f"{address} is not the address of an activity")
    api, activity = f"{parts.scheme}://{parts.netloc}{place[1]}/v1/activities/{place[2]}/fairness", place[2]
    code = (urllib.parse.parse_qs(parts.query).get("c") or urllib.parse.parse_qs(parts.fragment).get("c") or [None])[0]
    batches, query = [], {"limit": "100"}
    for _ in range(10_000):
        request = urllib.request.Request(f"{api}?{urllib.parse.urlencode(query)}", headers={"Share-Code": code} if code else {})
        try:
            with urllib.request.build_opener(Stay).open(request, timeout=30) as answer: page = json.load(answer)
        except urllib.error.HTTPError as error: raise ValueError(f"{error.code}: {error.read(1000).decode(errors='replace')}")
        for batch in page["batches"]:
            demand(batch["batch"] == str(len(batches)) and batch["terms"]["activity"] == activity, "not the next batch of this activity")
            batches.append(batch)
        if page["nextCursor"] is None: return json.dumps({"batches": batches, "nextCursor": None})
        demand(page["batches"], "the list has no end")
        query["cursor"] = page["nextCursor"]
    raise ValueError("the list has no end")

def text_of(name):
    if re.match("https?://", name): return published(name)
    with open(name, encoding="utf-8") as file: return file.read()

def check_together(batches):  # of all files: a batch is the same in each, and no packet is in two batches
    places, seeds, ends = {}, {}, {}
    for batch in batches:
        place, shown, seed = name_of(batch), {**batch, "seed": None}, batch["seed"]
        demand(places.setdefault(place, shown) == shown, f"{place} was published in two ways")
        demand(seed is None or seeds.setdefault(place, seed) == seed, f"{place} was revealed with two seeds")
    for place, batch in sorted(places.items(), key=lambda item: int(item[1]["firstNo"])):
        first, activity = int(batch["firstNo"]), batch["terms"]["activity"]
        demand(first >= ends.get(activity, 1), f"{place} has packets of another batch")
        ends[activity] = first + whole(batch["terms"]["count"])

def check(texts):
    contents = [json.loads(text) for text in texts]
    demand(contents and all(set(content) in FIELDS for content in contents), "other fields")
    batches = [batch for content in contents for batch in content.get("batches", [])]
    lines, after = [check_batch(batch) for batch in batches], {}
    for batch in batches:  # two batches after one: one of them was made in place of the other
        previous = batch["terms"].get("previous", "0" * 64)
        demand(previous == "0" * 64 or after.setdefault(previous, batch["commit"]) == batch["commit"], "the chain has a fork")
    check_together(batches)
    return lines + [check_proof(content, batches) for content in contents if "path" in content]

if __name__ == "__main__":
    try: print(*check([text_of(name) for name in sys.argv[1:]]), sep="\n")
    except REFUSALS as error: sys.exit(f"REFUSED {error}")
