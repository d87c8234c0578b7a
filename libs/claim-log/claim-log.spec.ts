import fc from 'fast-check';
import { sign } from 'node:crypto';
import { CheckpointSigner, isVerifierKey, openCheckpoint, openNote } from './checkpoint';
import { claimLeafHash, newSalts, userHash } from './claim-leaf';
import {
  isSignerOf,
  openCosignature,
  signerOf,
  witnessesFault,
  witnessNameFault,
  WitnessSigner,
} from './cosignature';
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  nodeHash,
  provesConsistency,
  rangeHash,
  rootOfPath,
  type Stretch,
  stretchesOf,
  TreeEdge,
} from './merkle-tree';
import { keyIdOf, signingKey } from './note';

/** The test vectors of Certificate Transparency's reference implementation. */
const ENTRIES = [
  ...['', '00', '10', '2021', '3031', '40414243', '5051525354555657'],
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** The eight points of small order, and three encodings of a y that is not below the prime. */
const WEAK_KEYS = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  `f0${'ff'.repeat(30)}7f`,
];

/** The definition of RFC 6962, word for word. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const LEAVES_MAX = 70_000;
const LEAVES = Array.from({ length: LEAVES_MAX }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
const EDGES_AT = [1, 255, 256, 257, 511, 512, 513, 4_096, 65_535, 65_536, 65_537, LEAVES_MAX];
const sizes = fc.oneof(fc.constantFrom(...EDGES_AT), fc.integer({ min: 1, max: LEAVES_MAX }));

/** Leaves and kept nodes as the log stores them. */
const rows: Buffer[][] = [LEAVES];
const whole = new TreeEdge();
for (const leaf of LEAVES)
  for (const { level, no, hash } of whole.append(leaf)) (rows[level] ??= [])[no] = hash;

const kept = ({ level, first, count }: Stretch): Buffer[] => rows[level]!.slice(first, first + count);
const hashOf = (range: { start: number; end: number }): Buffer => rangeHash(stretchesOf(range).map(kept));

describe('the tree of the log', () => {
  it('has the roots of RFC 6962', () => {
    const edge = new TreeEdge();
    const roots = [edge.root];
    for (const entry of ENTRIES) {
      expect(edge.append(leafHash(entry))).toEqual([]);
      roots.push(edge.root);
    }
    expect(roots.map((root) => root.toString('hex'))).toEqual(ROOTS);
  });

  it('continues from the stored hashes at any size, and gives each range the hash of RFC 6962', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 600 }), (size, more) => {
        const edge = new TreeEdge(size, stretchesOf({ start: 0, end: size }).map(kept));
        expect(edge.root).toEqual(treeHash(LEAVES.slice(0, size)));
        for (const leaf of LEAVES.slice(size, size + more))
          for (const { level, no, hash } of edge.append(leaf)) expect(rows[level]![no]).toEqual(hash);
        expect(edge.root).toEqual(hashOf({ start: 0, end: edge.size }));
      }),
      { numRuns: 20 },
    );
  });

  it('proves each leaf, and by the same path no other leaf, position or size', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, any) => {
        const index = any % size;
        const path = inclusionRanges(index, size).map(hashOf);
        const leaf = LEAVES[index]!;
        const root = hashOf({ start: 0, end: size });
        expect(rootOfPath(leaf, index, size, path)).toEqual(root);
        expect(rootOfPath(LEAVES[(index + 1) % LEAVES_MAX]!, index, size, path)).not.toEqual(root);
        if (size > 1) expect(rootOfPath(leaf, index, size, path.slice(1))).toBeUndefined();
        if (size > 1) expect(rootOfPath(leaf, (index + 1) % size, size, path)).not.toEqual(root);
        expect(rootOfPath(leaf, index, size, [...path, leaf])).toBeUndefined();
        for (const nowhere of [-1, size]) expect(rootOfPath(leaf, nowhere, size, path)).toBeUndefined();
      }),
    );
  });

  it('proves that a later tree extends an earlier tree, and refuses any other earlier tree', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (a, b, any) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const proof = consistencyRanges(from, to).map(hashOf);
        const former = { size: from, root: hashOf({ start: 0, end: from }) };
        const later = { size: to, root: hashOf({ start: 0, end: to }) };
        expect(provesConsistency(former, later, proof)).toBe(true);
        const edited = { size: from, root: nodeHash(former.root, former.root) };
        expect(provesConsistency(edited, later, proof)).toBe(false);
        expect(provesConsistency({ ...former, size: from + 1 }, later, proof)).toBe(false);
        const at = any % Math.max(1, proof.length);
        const broken = proof.map((hash, i) => (i === at ? nodeHash(hash, hash) : hash));
        if (proof.length > 0) expect(provesConsistency(former, later, broken)).toBe(false);
        expect(provesConsistency(former, later, [...proof, later.root])).toBe(false);
      }),
    );
  });
});

it('each tree is proven to extend each smaller tree, however their right edges meet', () => {
  const heads = Array.from({ length: 33 }, (_, i) => ({
    size: i + 1,
    root: hashOf({ start: 0, end: i + 1 }),
  }));
  for (const former of heads)
    for (const later of heads.slice(former.size)) {
      const proof = consistencyRanges(former.size, later.size).map(hashOf);
      expect([former.size, later.size, provesConsistency(former, later, proof)]).toEqual([
        ...[former.size, later.size],
        true,
      ]);
    }
});

it('a tree is not proven to extend an empty or larger tree, any other tree without a proof, or itself by one', () => {
  const [root] = LEAVES as [Buffer];
  expect(provesConsistency({ size: 0, root }, { size: 1, root }, [root])).toBe(false);
  expect(provesConsistency({ size: 2, root }, { size: 1, root }, [])).toBe(false);
  expect(provesConsistency({ size: 3, root }, { size: 4, root }, [])).toBe(false);
  expect(provesConsistency({ size: 1, root }, { size: 1, root }, [root])).toBe(false);
});

describe('a leaf of the log', () => {
  const salt = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
  const hashed = userHash('u1', salt);

  it('is the hash of a claim, from the bytes given in docs/fairness.md', () => {
    expect(hashed.toString('hex')).toBe('29b00c2061fd7cdc806c991d3317f5f652ea286764786a99a6687a82fa5579f6');
    const leaf = {
      activityId: '42',
      packetNo: 7,
      userHash: hashed,
      confirmedAtMicros: 1_795_843_000_123_456n,
    };
    expect(claimLeafHash(leaf).toString('hex')).toBe(
      'a4f81a3e5407808e5295e60cb1027205ee8cf6162ea981783030cd3a94601ac7',
    );
  });

  it('has its own 16-byte salt', () => {
    const salts = newSalts(100);
    expect(salts.map(({ length }) => length)).toEqual(Array(100).fill(16));
    expect(new Set(salts.map((one) => one.toString('hex'))).size).toBe(100);
  });
});

describe('a checkpoint', () => {
  /** The example of Go's package golang.org/x/mod/sumdb/note. */
  const KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
  const TEXT =
    'If you think cryptography is the answer to your problem,\nthen you don’t know what your problem is.\n';
  const NOTE =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

  it('is signed as other implementations of signed notes would sign it', () => {
    const signer = new CheckpointSigner('PeterNeumann', SEED);
    expect(signer.verifierKey).toBe(KEY);
    expect(signer.signText(TEXT.replace('’', "'"))).toBe(NOTE);
    expect(openNote(NOTE, KEY)).toBe(TEXT.replace('’', "'"));
    expect(openNote(NOTE.replace('answer', 'question'), KEY)).toBeUndefined();
  });

  it('can be opened only with its own key, whatever other signatures it has', () => {
    const signer = new CheckpointSigner('log.example', SEED);
    const note = signer.sign(70_000, whole.root);
    expect(note.split('\n').slice(0, 2)).toEqual(['log.example', '70000']);
    const checkpoint = { origin: 'log.example', size: 70_000, root: whole.root };
    expect(openCheckpoint(note, signer.verifierKey)).toEqual(checkpoint);
    const witnessed = `${note}— witness.example AAAAAGFueQ==\n`;
    expect(openCheckpoint(witnessed, signer.verifierKey)).toEqual(checkpoint);
    expect(openCheckpoint(note, KEY)).toBeUndefined();
    const other = new CheckpointSigner('log.example', Buffer.alloc(32, 7));
    expect(openCheckpoint(note, other.verifierKey)).toBeUndefined();
    expect(openCheckpoint(note.replace('70000', '70001'), signer.verifierKey)).toBeUndefined();
    expect(openCheckpoint('', signer.verifierKey)).toBeUndefined();
  });

  it('is not opened when it names another log, is not a checkpoint, or has a key or signature with another id', () => {
    const signer = new CheckpointSigner('log.example', SEED);
    const [, id] = signer.verifierKey.split('+') as [string, string];
    const note = signer.sign(1, whole.root);
    const otherId = (text: string) => text.replace(id, 'ffffffff');
    const withOtherId = note.replace(/ (\S+)\n$/, (_, signature: string) => {
      const bytes = Buffer.from(signature, 'base64').fill(0xff, 0, 4);
      return ` ${bytes.toString('base64')}\n`;
    });
    expect(openCheckpoint(note, signer.verifierKey)).toBeDefined();
    const elsewhere = signer.signText(`other.example\n1\n${whole.root.toString('base64')}\n`);
    for (const other of [elsewhere, signer.signText('any text\n'), withOtherId])
      expect(openCheckpoint(other, signer.verifierKey)).toBeUndefined();
    expect(openCheckpoint(withOtherId, otherId(signer.verifierKey))).toBeUndefined();
    expect(openCheckpoint(note, 'not a key')).toBeUndefined();
  });

  it('cannot be opened with a key for signatures of another type, which could sign another text', () => {
    const root = whole.root.toString('base64');
    const text = `log.example\n1\n${root}\n`;
    const opened = [1, 4].map((type) => {
      const { id, secret, verifierKey } = signingKey('log.example', Buffer.alloc(32, 5), type);
      const signature = Buffer.concat([id, sign(null, Buffer.from(text), secret)]).toString('base64');
      const note = `${text}\n— log.example ${signature}\n`;
      return [isVerifierKey(verifierKey), openCheckpoint(note, verifierKey)?.size];
    });
    expect(opened).toEqual([
      [true, 1],
      [false, undefined],
    ]);
  });

  it('has a verifier key that consists of a name, an id and 32 bytes, and no other form is accepted', () => {
    expect(isVerifierKey(KEY)).toBe(true);
    for (const other of [
      '',
      SEED.toString('base64'),
      `${KEY}=`,
      KEY.replace('+', ' +'),
      KEY.slice(1 + KEY.indexOf('+')),
    ])
      expect([other, isVerifierKey(other)]).toEqual([other, false]);
  });

  it('can also be opened with the previous key while both keys sign', () => {
    const previous = new CheckpointSigner('log.example', Buffer.alloc(32, 7));
    const signer = new CheckpointSigner('log.example', SEED, previous);
    const note = signer.sign(70_000, whole.root);
    for (const { verifierKey } of [signer, previous])
      expect(openCheckpoint(note, verifierKey)).toMatchObject({ size: 70_000 });
    expect(signer.verifierKey).not.toBe(previous.verifierKey);
  });
});

describe('a cosignature', () => {
  /** Made in Python, independently of this code, from the specification's checkpoint and the seed 00 01 … 1f. */
  const TEXT = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
  const AT = 1_679_315_147;
  const NAME = 'witness.example.com/w1';
  const KEY = `${NAME}+a0059f11+BAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4`;
  const LINE = `— ${NAME} oAWfEQAAAABkGFDLBuRDazBLVac2NE+Y+IjbjQOcXLfF9CSDZVUIoS83rE1nFZsVE8YiWV6Ngr7lV8H6bdoBQGP/l73euDMQ9k+bBQ==`;
  const LOG =
    '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=';
  const signer = new WitnessSigner(NAME, Buffer.from(Array.from({ length: 32 }, (_, i) => i)));
  const note = (...lines: string[]): string => `${TEXT}\n${lines.map((line) => `${line}\n`).join('')}`;

  it('matches that of another implementation byte for byte', () => {
    expect(signer.verifierKey).toBe(KEY);
    expect(signer.cosign(note(LOG), AT)).toEqual({ line: LINE, at: AT });
    expect(openCosignature(note(LOG, LINE), KEY)).toEqual({ line: LINE, at: AT });
  });

  it('covers only the text, and is not valid for another text, time or witness', () => {
    const edited = (from: number, to: string) => {
      const bytes = Buffer.from(LINE.split(' ')[2]!, 'base64');
      bytes.write(to, from, 'hex');
      return `— ${NAME} ${bytes.toString('base64')}`;
    };
    expect(openCosignature(note(LINE), KEY)).toEqual({ line: LINE, at: AT });
    expect(openCosignature(note(LOG, LINE).replace('20852163', '20852164'), KEY)).toBeUndefined();
    for (const [from, to] of [
      [0, 'ff'],
      [11, '00'],
      [12, '00'],
      [75, 'ff'],
      [4, 'ff'],
    ] as const)
      expect([from, openCosignature(note(LOG, edited(from, to)), KEY)]).toEqual([from, undefined]);
    const other = new WitnessSigner(NAME, Buffer.alloc(32, 9));
    const elsewhere = new WitnessSigner('other.example', Buffer.alloc(32, 9));
    for (const { verifierKey } of [other, elsewhere])
      expect(openCosignature(note(LOG, LINE), verifierKey)).toBeUndefined();
    expect(openCosignature(note(LOG, `${LINE}=`, LINE.slice(0, -8)), KEY)).toBeUndefined();
    expect(openCosignature('', KEY)).toBeUndefined();
    expect(openCosignature(note(LINE), 'not a key')).toBeUndefined();
  });

  it('is valid only in canonical base64, as strict readers demand', () => {
    for (const end of ['', '=', 'R==', 'f=='])
      expect([
        end,
        openCosignature(note(LOG, LINE.replace(/Q==$/, end.length < 2 ? `Q${end}` : end)), KEY),
      ]).toEqual([end, undefined]);
  });

  it('says by whom it is, whether or not it is valid', () => {
    expect(signerOf(LINE)).toEqual({ name: NAME, id: 'a0059f11' });
    expect(signerOf(`— ${NAME} oAWfEQ==`)).toEqual({ name: NAME, id: 'a0059f11' });
    for (const line of ['', TEXT, `— ${NAME}`, `— ${NAME} oAWf`])
      expect([line, signerOf(line)]).toEqual([line, undefined]);
  });

  it('is by the witness whose key has the name and the hash that it says', () => {
    const by = signerOf(LINE)!;
    expect(isSignerOf(by, KEY)).toBe(true);
    expect(isSignerOf({ ...by, name: 'other.example' }, KEY)).toBe(false);
    expect(isSignerOf({ ...by, id: 'a0059f12' }, KEY)).toBe(false);
    expect(isSignerOf(by, 'not a key')).toBe(false);
  });

  it('is found among invalid cosignatures of the same witness', () => {
    const false_ = LINE.replace('oAWfEQ', 'oAWfER');
    expect(openCosignature(note(LOG, false_, '— x', LINE), KEY)).toEqual({ line: LINE, at: AT });
  });

  it('counts only for keys that are listed once, are well-formed and belong to witnesses', () => {
    const log = new CheckpointSigner('log.example', Buffer.alloc(32, 1)).verifierKey;
    const twin = new WitnessSigner('twin.example', Buffer.from(Array.from({ length: 32 }, (_, i) => i)));
    const many = Array.from(
      { length: 15 },
      (_, i) => new WitnessSigner(`w${i}`, Buffer.alloc(32, i)).verifierKey,
    );
    expect(witnessesFault([])).toBeUndefined();
    expect(witnessesFault(many.slice(1))).toBeUndefined();
    expect(witnessesFault(many)).toBe('must have at most 14 keys');
    expect(witnessesFault([KEY, 'w1'])).toBe('has the key "w1", which is not of the form name+hash+key');
    expect(witnessesFault([KEY.replace('a0059f11', 'a0059f12')])).toContain(
      'was mistyped: name and key have the hash a0059f11',
    );
    expect(witnessesFault([log])).toContain('is of signature type 1: witnesses sign with type 4');
    expect(witnessesFault([KEY, KEY])).toContain('has the same name as another key');
    expect(witnessesFault([KEY, twin.verifierKey])).toContain('is listed under another name as well');
    const ofPoint = (hex: string) => {
      const key = Buffer.concat([Buffer.of(4), Buffer.from(hex, 'hex')]);
      return `w.example+${keyIdOf('w.example', key).toString('hex')}+${key.toString('base64')}`;
    };
    for (const hex of WEAK_KEYS)
      expect([hex, witnessesFault([ofPoint(hex)])]).toEqual([
        hex,
        expect.stringContaining('anyone can sign with'),
      ]);
    for (const name of ['a,b', 'x'.repeat(101)])
      expect(witnessesFault([new WitnessSigner(name, Buffer.alloc(32, 2)).verifierKey])).toContain(
        'begins with a text that ',
      );
  });

  it('is not that of another name in front of the same key, nor shorter than one', () => {
    expect(openCosignature(note(LINE.replace(NAME, 'other.example')), KEY)).toBeUndefined();
    const cut = Buffer.from(LINE.split(' ')[2]!, 'base64').subarray(0, 10).toString('base64');
    expect(openCosignature(note(`— ${NAME} ${cut}`), KEY)).toBeUndefined();
  });

  it('has a time that is read exactly, or is refused', () => {
    const at = (seconds: number) => openCosignature(note(signer.cosign(note(LOG), seconds).line), KEY)?.at;
    expect(at(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
    expect(at(2 ** 53)).toBeUndefined();
  });

  it.each<[name: string, fault: string | undefined]>([
    [NAME, undefined],
    ['x'.repeat(100), undefined],
    ['x'.repeat(101), 'has more than 100 characters'],
    ...['', 'a b', 'a+b', 'a,b', 'a\u0000b', 'a\nb'].map((name): [string, string] => [
      name,
      'is not a name: it must not contain spaces, + or commas; an example is witness.example/w1',
    ]),
  ])('by the name %j: %j', (name, fault) => {
    expect(witnessNameFault(name)).toBe(fault);
  });
});
