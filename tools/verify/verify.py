"""Verifies an export of Tollgate's journal with nothing but Python 3: python3 verify.py <folder> <public key, 64 hex digits>

The layout is described at the top of verify.mjs. Python's library has no Ed25519, so section 5.1.7 of RFC 8032 is written out below. Each seal
names the hash of the one before, so the signature of a chain's last seal covers all, and only that is worked out; --all does every one.
"""
import functools, hashlib, json, os, re, sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BY = 4 * pow(5, P - 2, P) % P
ROW_HASH = re.compile(r',"hash":"([0-9a-f]{64})"\}$')
faults = []

def point_of(y, odd):
    """The point of a curve's ordinate, in extended coordinates; None if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and odd):
        return None
    x = x if x & 1 == odd else P - x
    return (x, y, 1, x * y % P)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def times(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total

def decoded(data):
    number = int.from_bytes(data, "little")
    return point_of(number & (2**255 - 1), number >> 255)

def is_signed(key_hex, message, signature_hex):
    if not re.fullmatch("[0-9a-fA-F]{64}", key_hex) or not re.fullmatch("[0-9a-f]{128}", str(signature_hex)):
        return False
    key, signature = bytes.fromhex(key_hex), bytes.fromhex(signature_hex)
    a, r, s = decoded(key), decoded(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, point_of(BY, 0)), add(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)

def check(holds, text):
    if not holds:
        faults.append(text)
        print("FAULT", text) if len(faults) <= 100 else None

def parsed(text, *needed):
    """The JSON object of a text; None if it is none, or lacks a member."""
    try:
        value = json.loads(text)
        return value if all(name in value for name in needed) else None
    except (TypeError, ValueError):
        return None

def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()

def main(folder, given_key, every):
    at = lambda name: os.path.join(folder, name)
    signed = open(at("manifest.json"), "rb").read()
    manifest = parsed(signed, "files", "chains", "keys", "totals") or sys.exit("FAULT manifest.json: it is no manifest")
    is_ours = is_signed(given_key, signed, open(at("manifest.sig")).read().strip())
    check(is_ours, "manifest.json: its signature is not by the given key, or it was changed after it was signed")
    for name, expected in manifest["files"].items():
        try:
            digest = hashlib.sha256()
            for part in iter(functools.partial(open(at(name), "rb").read, 1 << 20), b""):
                digest.update(part)
            check(digest.hexdigest() == expected["sha256"], f"{name}: it is not the file that was exported")
        except OSError:
            check(False, f"{name}: it cannot be read")
    chains = {c["chain"]: {**c, "at": c["first"] - 1, "hash": c["previousHash"]} for c in manifest["chains"]}
    sealed, last_seal, signatures = {}, {}, {}
    for line in open(at("seals.ndjson"), encoding="utf-8", newline="\n"):
        text, signature = ((parsed(line, "text", "signature") or {}).get(part) for part in ("text", "signature"))
        seal = parsed(text, "chain", "number", "position", "hash", "keyId")
        if not seal:
            check(False, f"seals.ndjson: {line.strip()[:80]} is no seal")
            continue
        name = f'seal {seal["number"]} of {seal["chain"]} (rows up to {seal["position"]})'
        before = last_seal.get(seal["chain"])
        check(seal["keyId"] in manifest["keys"], f'{name}: its key {seal["keyId"]} is not the installation\'s')
        signatures[(seal["chain"], seal["number"] if every else 0)] = (name, seal["keyId"], text, signature)
        if before and seal["number"] != before["number"] + 1:
            check(False, f'{name}: the seal before it should be {seal["number"] - 1} and is {before["number"]}')
        elif before and seal.get("previous") != before["sum"]:
            check(False, f"{name}: the seal before it is not the one that it names")
        sealed[(seal["chain"], seal["position"])] = (name, seal["hash"])
        last_seal[seal["chain"]] = {**seal, "sum": sha256(f"{text}\n{signature}")}
    for name, key_id, text, signature in signatures.values():
        check(is_signed(manifest["keys"].get(key_id, ""), text.encode(), signature), f"{name}: its signature is wrong")
    def compare_seal(chain, position, digest):
        name, expected = sealed.pop((chain, position), ("", digest))
        check(expected == digest, f"{name}: the rows that it covers are not those that were sealed")
    for state in (state for state in chains.values() if state["at"] > 0):
        compare_seal(state["chain"], state["at"], state["hash"])
    rows, units, totals = 0, {}, manifest["totals"]
    for line in open(at("journal.ndjson"), encoding="utf-8", newline="\n"):
        rows, line = rows + 1, line.rstrip("\n")
        row = parsed(line, "chain", "position", "id", "code", "amount")
        if not row or not isinstance(row["amount"], int):
            check(False, f"journal.ndjson: line {rows} is no row")
            continue
        found = ROW_HASH.search(line)
        units[row["code"]] = units.get(row["code"], 0) + row["amount"]
        name, state = f'row {row["position"]} of {row["chain"]} (posting {row["id"]})', chains.get(row["chain"])
        if not state or not found:
            check(False, f"{name}: it belongs to no chain of this export")
        elif row["position"] <= state["at"]:
            check(False, f"{name}: it is there a second time, or behind its place")
        else:
            if row["position"] > state["at"] + 1:
                check(False, f'{name}: rows {state["at"] + 1} to {row["position"] - 1} before it are missing')
            elif sha256(f'{state["hash"]}\n{line[:found.start()]}}}') != found[1]:
                check(False, f"{name}: it was changed, or put in")
            state.update(at=row["position"], hash=found[1])
            compare_seal(row["chain"], row["position"], found[1])
    for state in chains.values():
        name, at_end, last = f'chain {state["chain"]}', state["at"], state["last"]
        check(at_end == last, f"{name}: it ends at row {at_end}, and {last} were exported")
        sealed_to = last_seal.get(state["chain"], {}).get("position")
        check(sealed_to == last, f"{name}: the seal of its last row {last} is missing")
    for name, _ in sealed.values():
        check(False, f"{name}: there is no such row")
    check(rows == totals["rows"], f'journal.ndjson: {rows} rows, and the manifest counts {totals["rows"]}')
    for code in {**units, **totals["units"]}:
        is_, should = units.get(code, 0), int(totals["units"].get(code, 0))
        check(is_ == should, f"journal.ndjson: {code} moves {is_} units, and the manifest says {should}")
    print(f"{rows} rows,", ", ".join(f"{code} {total}" for code, total in units.items()))
    print(f'NOT VERIFIED: {len(faults)} faults.' if faults else f'VERIFIED: the journal from {manifest["from"]} to {manifest["to"]} is as it was sealed.')
    return 1 if faults else 0

words = [word for word in sys.argv[1:] if word != "--all"]
if len(words) != 2 or not re.fullmatch("[0-9a-fA-F]{64}", words[1]):
    sys.exit("usage: python3 verify.py <folder> <public key, 64 hex digits> [--all]")
sys.exit(main(*words, "--all" in sys.argv))
