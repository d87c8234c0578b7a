#!/usr/bin/env python3
"""Checks the log of claims of red packet rains from files: docs/fairness.md.

    python3 verify-log.py [--user ID] [--witness KEY]... [--require N] [--max-age SECONDS] FILE...

A file is an answer of GET /v1/log/key, /v1/log/checkpoint, /v1/log/leaves (all pages of them), /v1/log/consistency, or
/v1/me/packets/{redPacketId}/log-proof, for which ID is your user id. With the keys of witnesses, at least N of them (otherwise all)
have to have signed each checkpoint, or one that is proven to begin with it. A signature of a time that is more than ten minutes
ahead, or older than SECONDS, does not count.
Nothing but Python's standard library, and no code of the system itself.
"""
import base64, datetime, hashlib, json, sys, time

REFUSALS = (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError)
CLOCKS_WITHIN_SECONDS = 600

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def u64(number): return int(number).to_bytes(8, "big")
def node(left, right): return sha(b"\1", left, right)
def demand(condition, reason):
    if not condition: raise ValueError(reason)

# Ed25519: RFC 8032, section 6
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def add(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(factor, point):
    result = (0, 1, 1, 0)
    while factor:
        if factor & 1: result = add(result, point)
        point, factor = add(point, point), factor >> 1
    return result

def point(data):
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * pow(2, (P - 1) // 4, P) % P
    demand(y < P and (x * x - square) % P == 0 and not (x == 0 and sign), "no point of the curve")
    if x & 1 != sign: x = P - x
    return x, y, 1, x * y % P

BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def signed(key, message, signature):
    factor = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    left, right = times(int.from_bytes(signature[32:], "little"), BASE), add(point(signature[:32]), times(factor, point(key)))
    return (len(signature) == 64 and int.from_bytes(signature[32:], "little") < Q
            and (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0)

def signatures(note, name, key_id):  # C2SP signed-note: those that are said to be of this key
    text, lines = note.rsplit("\n\n", 1)
    for line in filter(None, lines.split("\n")):
        dash, signer, value = line.split(" ")
        if (dash, signer) != ("—", name): continue
        value = base64.b64decode(value, validate=True)
        if value[:4].hex() == key_id: yield text, value[4:]

def parts_of(verifier_key, whose):
    parts = verifier_key.strip().split("+", 2)
    demand(len(parts) == 3, f"'{verifier_key}' is not the key of a {whose}, which has the form NAME+HASH+KEY")
    name, key_id, key = parts
    return name, key_id, base64.b64decode(key, validate=True)

def read_note(note, verifier_key):  # C2SP signed-note and tlog-checkpoint
    name, key_id, key = parts_of(verifier_key, "log")
    demand(key[0] == 1 and len(key) == 33 and sha(f"{name}\n".encode(), key)[:4].hex() == key_id, "no key of a log")
    for text, signature in signatures(note, name, key_id):
        demand(signed(key[1:], f"{text}\n".encode(), signature), "a checkpoint is not signed by the key")
        origin, size, root = text.split("\n")
        demand(origin == name and str(int(size)) == size, "a checkpoint of another log")
        return int(size), base64.b64decode(root, validate=True)
    raise ValueError("a checkpoint without a signature of the key")

def cosigned(note, witness_key):  # C2SP tlog-cosignature
    name, key_id, key = parts_of(witness_key, "witness")
    demand(key[:1] == b"\4" and len(key) == 33 and sha(f"{name}\n".encode(), key)[:4].hex() == key_id, f"{name}: no key of a witness")
    torsion = times(8, point(key[1:]))
    demand(torsion[0] % P, f"{name}: anyone can sign with this key")
    for text, signature in signatures(note, name, key_id):
        at = int.from_bytes(signature[:8], "big")
        message = f"cosignature/v1\ntime {at}\n{text}\n"
        demand(signed(key[1:], message.encode(), signature[8:]), f"a checkpoint is not signed by {name}, as it says")
        return {name: at}
    return {}

def instant(seconds):
    try: return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError): return f"{seconds} seconds after 1970"

def counted(signed_by, max_age):  # a time that lies ahead would look new for as long as it does
    now = time.time()
    return {name: at for name, at in signed_by.items() if at <= now + CLOCKS_WITHIN_SECONDS and (max_age is None or at >= now - max_age)}

def check_witnesses(signers, proofs, leaves, witnesses, require, max_age):
    parts = [parts_of(witness, "witness") for witness in witnesses]
    names, keys = [name for name, _, _ in parts], {key for _, _, key in parts}
    demand(len(set(names)) == len(keys) == len(names) and 0 < require <= len(names), "each witness has to be named once, and enough of them")
    passed_over = [f"{name} at {instant(at)}" for signed_by in signers.values() for name, at in signed_by.items() if name not in counted(signed_by, max_age)]
    note = f" (too old, or ahead of this clock: {', '.join(passed_over)})" if passed_over else ""
    signers = {size: counted(signed_by, max_age) for size, signed_by in signers.items()}
    backed, lines = {size for size, signed_by in signers.items() if len(signed_by) >= require}, []
    for size in sorted(signers, reverse=True):  # a tree is backed by a later one that begins with it
        backed |= {start for start, end in proofs if end in backed and start == size}
        if any(later >= size and len(leaves) >= later for later in backed): backed.add(size)
        demand(size in backed, f"the checkpoint of {size} leaves: {require} of {', '.join(names)} have signed neither it nor a later one{note}")
        if signers[size]: lines += [f"checkpoint of {size} leaves: signed by {', '.join(sorted(signers[size]))}", f"the first of these signatures is of {instant(min(signers[size].values()))}"]
    return lines

def leaf(entry):
    if "hash" in entry:  # of an activity that is not public
        demand(not {"activityId", "no", "user"} & set(entry), "a leaf has both a hash and what it would be the hash of")
        return bytes.fromhex(entry["hash"])
    return sha(b"\0hongbao.claim.v1\0", u64(entry["activityId"]), u64(entry["no"]), u64(entry["confirmedAtMicros"]), bytes.fromhex(entry["user"]))

def root_of(row):  # an odd node moves up as it is, as in RFC 6962
    while len(row) > 1: row = [node(*row[at:at + 2]) if at + 1 < len(row) else row[at] for at in range(0, len(row), 2)]
    return row[0]

def climb(index, last, path, take):  # RFC 9162, sections 2.1.3.2 and 2.1.4.2
    for step in path:
        demand(last > 0, "a path is too long")
        if index % 2 or index == last:
            take("left", step)
            while index % 2 == 0 and index: index, last = index // 2, last // 2
        else: take("right", step)
        index, last = index // 2, last // 2
    demand(last == 0, "a path is too short")

def check_proof(proof, size, root, user):
    demand(sha(b"hongbao.claim-user.v1\0", user.encode(), bytes.fromhex(proof["salt"])).hex() == proof["user"], "a leaf of another user")
    demand(0 <= proof["index"] < size, "no such leaf")
    top = [leaf(proof)]
    def take(side, step): top[0] = node(step, top[0]) if side == "left" else node(top[0], step)
    climb(proof["index"], size - 1, [bytes.fromhex(step) for step in proof["path"]], take)
    demand(top[0] == root, "the path does not lead to the root")
    return f"packet {proof['no']} of activity {proof['activityId']}: in the log at {proof['index']}"

def check_consistency(answer, roots):
    start, end, path = answer["from"], answer["to"], [bytes.fromhex(step) for step in answer["proof"]]
    demand(start in roots and end in roots and 0 < start <= end, "no checkpoints for a consistency proof")
    if start == end: demand(not path, "a path is too long")
    else:
        if start & (start - 1) == 0: path.insert(0, roots[start])
        former, later, index, last = path[0], path[0], start - 1, end - 1
        while index % 2: index, last = index // 2, last // 2
        tops = [former, later]
        def take(side, step): tops[:] = [node(step, tops[0]), node(step, tops[1])] if side == "left" else [tops[0], node(tops[1], step)]
        climb(index, last, path[1:], take)
        demand(tops == [roots[start], roots[end]], "the later tree does not begin with the former one")
    return f"{end} leaves begin with the {start} before"

def check_leaves(entries, roots):  # exactly the first ones, each once; those beyond the last root that they lead to are not checked
    entries, checked, lines = sorted(entries, key=lambda entry: entry["index"]), 0, []
    demand([entry["index"] for entry in entries] == list(range(len(entries))), "a leaf is missing, or occurs twice")
    leaves = [leaf(entry) for entry in entries]
    demand(len(leaves) <= max(roots, default=0), "there are leaves after those of the largest checkpoint: get a later one")
    for size, root in roots.items():
        if not 0 < size <= len(leaves): continue
        demand(root_of(leaves[:size]) == root, f"the leaves do not lead to the root of {size}")
        checked = max(checked, size)
        lines.append(f"checkpoint of {size} leaves: computed from them")
    return leaves, lines + ([f"leaves from {checked} on lead to no checkpoint: they are not checked"] if checked < len(leaves) else [])

def check(texts, user="", witnesses=(), require=None, max_age=None):
    answers = [json.loads(text) for text in texts if text.startswith("{")]
    others = [text for text in texts if not text.startswith("{")]
    noted = {text.strip() for text in others if "\n\n" not in text}
    keys = noted or {answer["verifierKey"] for answer in answers if "path" in answer}
    demand(len(keys) == 1, "there has to be one key")
    key, roots, lines, signers = keys.pop(), {}, [], {}
    for note in [text for text in others if "\n\n" in text] + [answer["checkpoint"] for answer in answers if "path" in answer]:
        size, root = read_note(note, key)
        demand(roots.setdefault(size, root) == root, f"two trees of {size} leaves: the log has a fork")
        lines.append(f"checkpoint of {size} leaves: signed")
        for witness in witnesses: signers.setdefault(size, {}).update(cosigned(note, witness))
        signers.setdefault(size, {})
    leaves, told = check_leaves([entry for answer in answers if "leaves" in answer for entry in answer["leaves"]], roots)
    lines += told
    lines += [check_consistency(answer, roots) for answer in answers if "proof" in answer]
    if witnesses or require is not None:
        proofs = [(answer["from"], answer["to"]) for answer in answers if "proof" in answer]
        lines += check_witnesses(signers, proofs, leaves, witnesses, len(witnesses) if require is None else require, max_age)
    elif max_age is not None: raise ValueError("--max-age is of signatures: name witnesses by --witness")
    return lines + [check_proof(answer, *read_note(answer["checkpoint"], key), user) for answer in answers if "path" in answer]

def read_options(words, known):  # each option as often as it likes, and the files among them
    options, names = {}, []
    while words:
        if words[0].startswith("--"):
            demand(words[0] in known, f"there is no option {words[0]}")
            demand(len(words) > 1, f"{words[0]} has no value")
            options.setdefault(words[0], []).append(words[1])
        else: names.append(words[0])
        words = words[2 if words[0].startswith("--") else 1:]
    return names, options, options.get("--witness", []), int(options["--require"][-1]) if "--require" in options else None

if __name__ == "__main__":
    try:
        names, options, witnesses, require = read_options(sys.argv[1:], {"--user", "--witness", "--require", "--max-age"})
        max_age = int(options["--max-age"][-1]) if "--max-age" in options else None
        print(*check([open(name, encoding="utf-8").read() for name in names], options.get("--user", [""])[-1], witnesses, require, max_age), sep="\n")
    except REFUSALS as error: sys.exit(f"REFUSED {error}")
