import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CheckpointSigner,
  claimLeafHash,
  consistencyRanges,
  inclusionRanges,
  TreeEdge,
  userHash,
  WitnessSigner,
} from '../../libs/claim-log';
import type { DistributedProgram } from '../../src/dev/engines';
import { barePython } from '../harness/distributed';
import { ownDirectory } from '../harness/own-directory';

const LOG = new CheckpointSigner('log.example', Buffer.alloc(32, 1));
const WITNESS = new WitnessSigner('w.example', Buffer.alloc(32, 2));
const OTHER = new WitnessSigner('v.example', Buffer.alloc(32, 3));

const ENTRIES = Array.from({ length: 4 }, (_, index) => ({
  index,
  activityId: '7',
  no: String(index + 1),
  confirmedAtMicros: '1679315147000000',
  user: String(index).repeat(64),
}));
type Entry = Partial<(typeof ENTRIES)[number]> & { hash?: string };

const hashOf = ({ activityId, no, user, confirmedAtMicros }: (typeof ENTRIES)[number]): Buffer =>
  claimLeafHash({
    ...{ activityId, packetNo: Number(no), userHash: Buffer.from(user, 'hex') },
    confirmedAtMicros: BigInt(confirmedAtMicros),
  });

function rootOf(entries: typeof ENTRIES): Buffer {
  const edge = new TreeEdge();
  for (const entry of entries) edge.append(hashOf(entry));
  return edge.root;
}

const noteOf = (size: number, entries = ENTRIES): string => LOG.sign(size, rootOf(entries.slice(0, size)));

/** The hashes of a proof. */
const pathOf = (ranges: ReturnType<typeof inclusionRanges>, entries: typeof ENTRIES): string[] =>
  ranges.map(({ start, end }) => rootOf(entries.slice(start, end)).toString('hex'));

const NOTE = noteOf(4);
const SIGNED = `${NOTE}${WITNESS.cosign(NOTE, 1).line}\n`;

const directory = ownDirectory('verify-log');
let python: DistributedProgram;

beforeAll(async () => {
  python = await barePython();
});

/** What the script prints, and its refusal. */
function check(texts: readonly string[], ...options: string[]): { out: string[]; refusal: string } {
  const files = texts.map((text, i) => {
    const file = join(directory, String(i));
    writeFileSync(file, text);
    return file;
  });
  const args = [join('examples', 'verify-log.py'), ...options, ...files];
  const { stdout, stderr } = spawnSync(python.command, args, { env: python.env, encoding: 'utf8' });
  return { out: stdout.trim().split('\n'), refusal: stderr.trim() };
}

const leaves = (entries: readonly Entry[]): string => JSON.stringify({ leaves: entries });
const checkLeaves = (entries: readonly Entry[], note = SIGNED) =>
  check([`${LOG.verifierKey}\n`, note, leaves(entries)], '--witness', WITNESS.verifierKey);

describe('the leaves of a log that witnesses have signed', () => {
  it('are all of its tree, each once and in any order of the pages', () => {
    expect(checkLeaves(ENTRIES)).toMatchObject({
      out: expect.arrayContaining([
        'checkpoint of 4 leaves: computed from them',
        'checkpoint of 4 leaves: signed by w.example',
      ]),
      refusal: '',
    });
    const pages = [leaves(ENTRIES.slice(2)), leaves(ENTRIES.slice(0, 2))];
    expect(check([LOG.verifierKey, SIGNED, ...pages]).out).toContain(
      'checkpoint of 4 leaves: computed from them',
    );
  });

  it('are refused if one is left out, added, doubled, edited, or says more than its hash', () => {
    const accepted: string[] = [];
    const forged = (entry: Entry): Entry => ({ ...entry, user: 'f'.repeat(64) });
    for (const [i, entry] of ENTRIES.entries())
      for (const [what, entries] of Object.entries<readonly Entry[]>({
        'left out': ENTRIES.toSpliced(i, 1),
        'left out, all others edited': ENTRIES.map(forged).toSpliced(i, 1),
        doubled: [...ENTRIES, entry],
        'doubled before': [forged(entry), ...ENTRIES],
        edited: ENTRIES.with(i, forged(entry) as (typeof ENTRIES)[number]),
        'a hash that names somebody': ENTRIES.map((one, at) =>
          at === i ? { ...forged(one), hash: hashOf(one).toString('hex') } : one,
        ),
        added: [...ENTRIES, { ...entry, index: 4 + i }],
      })) {
        // Without its last leaves, a list is a page of the log, and is not reported as checked.
        const { out, refusal } = checkLeaves(entries);
        const isChecked = refusal === '' && !out.some((line) => line.endsWith('they are not checked'));
        if (isChecked) accepted.push(`${i} ${what}`);
      }
    expect(accepted).toEqual([]);
  });

  it('are refused with the form of a key if something else is given as one', () => {
    const form = 'which has the form NAME+HASH+KEY';
    const listed = leaves(ENTRIES);
    expect(check(['mine', SIGNED, listed]).refusal).toBe(`REFUSED 'mine' is not the key of a log, ${form}`);
    expect(check([LOG.verifierKey, SIGNED, listed], '--witness', '').refusal).toBe(
      `REFUSED '' is not the key of a witness, ${form}`,
    );
  });

  it('are not reported as checked without a signed tree of them', () => {
    expect(checkLeaves(ENTRIES.slice(0, 3)).out).toContain(
      'leaves from 0 on lead to no checkpoint: they are not checked',
    );
    const former = check([LOG.verifierKey, noteOf(2), NOTE, leaves(ENTRIES.slice(0, 3))]);
    expect(former.out).toContain('leaves from 2 on lead to no checkpoint: they are not checked');
  });

  it('cannot be claimed by a proof that brings the hash of another leaf', () => {
    const edge = new TreeEdge();
    edge.append(hashOf(ENTRIES[0]!));
    const proof = {
      ...{ ...ENTRIES[0], path: [], salt: '00'.repeat(16), checkpoint: LOG.sign(1, edge.root) },
      ...{ user: '1b5e6f', hash: hashOf(ENTRIES[0]!).toString('hex'), verifierKey: LOG.verifierKey },
    };
    const script = `import hashlib; print(hashlib.sha256(b"hongbao.claim-user.v1\\0ann" + bytes(16)).hexdigest())`;
    proof.user = spawnSync(python.command, ['-c', script], {
      env: python.env,
      encoding: 'utf8',
    }).stdout.trim();
    expect(check([JSON.stringify(proof)], '--user', 'ann').refusal).toContain('REFUSED');
  });
});

describe('the proof of a win', () => {
  const SALT = Buffer.alloc(16, 9);
  const userOf = (userId: string) => userHash(userId, SALT).toString('hex');
  const entries = ENTRIES.map((entry) => ({ ...entry, user: userOf(`user-${entry.index}`) }));
  const path = pathOf(inclusionRanges(1, 4), entries);
  const proof = {
    ...{ ...entries[1]!, salt: SALT.toString('hex'), path },
    ...{ checkpoint: noteOf(4, entries), verifierKey: LOG.verifierKey },
  };

  it.each<[what: string, change: Partial<typeof proof>, userId: string, refusal: string]>([
    ['as it was given', {}, 'user-1', ''],
    ['for somebody else', {}, 'user-2', 'a leaf of another user'],
    [
      'for a win that is not in the log',
      { user: userOf('thief') },
      'thief',
      'the path does not lead to the root',
    ],
    ['for another packet', { no: '9' }, 'user-1', 'the path does not lead to the root'],
    ['for another moment', { confirmedAtMicros: '1' }, 'user-1', 'the path does not lead to the root'],
    ['for a place beyond the end', { index: 5 }, 'user-1', 'no such leaf'],
    ['with a path that is cut', { path: path.slice(1) }, 'user-1', 'a path is too short'],
  ])('is accepted for nothing but its leaf: %s', (_, change, userId, refusal) => {
    const checked = check([JSON.stringify({ ...proof, ...change })], '--user', userId);
    expect(checked.refusal).toBe(refusal && `REFUSED ${refusal}`);
  });

  it('counts by the key that its reader has kept, whatever key it brings', () => {
    const forger = new CheckpointSigner('log.example', Buffer.alloc(32, 7));
    const { verifierKey } = forger;
    const forged = JSON.stringify({ ...proof, verifierKey, checkpoint: forger.sign(4, rootOf(entries)) });
    expect(check([forged], '--user', 'user-1').refusal).toBe('');
    expect(check([LOG.verifierKey, forged], '--user', 'user-1').refusal).toBe(
      'REFUSED a checkpoint without a signature of the key',
    );
  });
});

/** Another history, which differs in its first win. */
const OTHERS = ENTRIES.with(0, { ...ENTRIES[0]!, no: '9' });

const grownBetween = (from: number, to: number, entries = ENTRIES): string =>
  JSON.stringify({ from, to, proof: pathOf(consistencyRanges(from, to), entries) });

describe('a later tree', () => {
  const ANOTHER = 'REFUSED the later tree does not begin with the former one';

  it.each([
    [2, ENTRIES, ENTRIES, ''],
    [3, ENTRIES, ENTRIES, ''],
    [2, OTHERS, OTHERS, ANOTHER],
    [3, OTHERS, OTHERS, ANOTHER],
    [3, ENTRIES, OTHERS, ANOTHER],
  ])(
    'begins with the former one, of %i leaves, if both follow from the proof',
    (from, proven, later, refusal) => {
      const files = [LOG.verifierKey, noteOf(from), noteOf(4, later), grownBetween(from, 4, proven)];
      expect(check(files).refusal).toBe(refusal);
    },
  );

  it('of the same size is a fork', () => {
    const checked = check([LOG.verifierKey, NOTE, noteOf(4, OTHERS)]);
    expect(checked.refusal).toBe('REFUSED two trees of 4 leaves: the log has a fork');
  });

  const LACKING = 'REFUSED the checkpoint of 2 leaves: 1 of w.example have signed neither it nor a later one';

  it.each<[what: string, files: string[], refusal: string]>([
    ['not alone', [], LACKING],
    ['with a proof', [grownBetween(2, 4)], ''],
    ['with all leaves of the later one', [leaves(ENTRIES)], ''],
    ['not with some of its leaves', [leaves(ENTRIES.slice(0, 3))], LACKING],
  ])('that a witness has signed vouches for a former one: %s', (_, files, refusal) => {
    const checked = check([LOG.verifierKey, noteOf(2), SIGNED, ...files], '--witness', WITNESS.verifierKey);
    expect(checked.refusal).toBe(refusal);
  });
});

describe('the time of a signature', () => {
  const now = Math.floor(Date.now() / 1000);
  /** Signed by both, this many seconds from now. */
  const of = (...times: number[]): string =>
    NOTE + [WITNESS, OTHER].map((signer, i) => `${signer.cosign(NOTE, now + times[i]!).line}\n`).join('');
  const both = [WITNESS, OTHER].flatMap(({ verifierKey }) => ['--witness', verifierKey]);
  const checked = (note: string, ...options: string[]) =>
    check([`${LOG.verifierKey}\n`, note], ...both, ...options);

  it('is shown for the first one that counts', () => {
    const first = new Date((now - 7_200) * 1000).toISOString().replace('.000Z', 'Z');
    expect(checked(of(-7_200, 0)).out).toContain(`the first of these signatures is of ${first}`);
  });

  it.each<[what: string, times: [number, number], options: string[], isEnough: boolean]>([
    ['older than it may be', [-7_200, 0], ['--max-age', '3600'], false],
    ['not older than it may be', [-1_800, 0], ['--max-age', '3600'], true],
    [
      'older than it may be, of one who is not needed',
      [-7_200, 0],
      ['--max-age', '3600', '--require', '1'],
      true,
    ],
    ['a little ahead, as clocks are', [300, 0], [], true],
    ['far ahead', [7_200, 0], [], false],
    ['a million years ahead', [2 ** 45, 0], [], false],
  ])('does not count if it is wrong: %s', (_, times, options, isEnough) => {
    const { refusal } = checked(of(...times), ...options);
    if (isEnough) expect(refusal).toBe('');
    else
      expect(refusal).toContain('neither it nor a later one (too old, or ahead of this clock: w.example at ');
  });

  it('cannot be demanded without witnesses', () => {
    expect(check([LOG.verifierKey, NOTE], '--max-age', '9').refusal).toContain('--max-age is of signatures');
  });
});

describe('the options of the checker of the log', () => {
  const files = [`${LOG.verifierKey}\n`, SIGNED];

  it.each([
    [['--witnesses', OTHER.verifierKey], 'there is no option --witnesses'],
    [['--require=2', 'x'], 'there is no option --require=2'],
    [['--require', '1'], 'each witness has to be named once'],
    [['--key', 'x'], 'there is no option --key'],
  ])('are refused if they would demand nothing: %s', (options, refusal) => {
    expect(check(files, ...options).refusal).toContain(`REFUSED ${refusal}`);
  });

  it('are refused if the last has no value', () => {
    expect(check([], '--witness').refusal).toBe('REFUSED --witness has no value');
  });

  it('count a key once, whatever its names are', () => {
    const alias = new WitnessSigner('alias.example', Buffer.alloc(32, 2));
    const note = `${SIGNED}${alias.cosign(NOTE, 1).line}\n`;
    const options = [WITNESS, alias].flatMap(({ verifierKey }) => ['--witness', verifierKey]);
    expect(check([LOG.verifierKey, note], ...options).refusal).toContain('each witness has to be named once');
  });

  it('accept no key with which anyone can sign', () => {
    const weak = [
      `01${'00'.repeat(31)}`,
      `ec${'ff'.repeat(30)}7f`,
      '00'.repeat(32),
      `ee${'ff'.repeat(30)}7f`,
    ];
    for (const hex of weak) {
      const key = Buffer.concat([Buffer.of(4), Buffer.from(hex, 'hex')]);
      const id = hash('sha256', Buffer.concat([Buffer.from('w\n'), key]), 'buffer').subarray(0, 4);
      // With the identity as its first half and 0 as its second, a signature of the identity passes for any text.
      const line = Buffer.concat([id, Buffer.alloc(8), Buffer.of(1), Buffer.alloc(63)]).toString('base64');
      const witness = `w+${id.toString('hex')}+${key.toString('base64')}`;
      const texts = [LOG.verifierKey, `${NOTE}— w ${line}\n`];
      expect([hex, check(texts, '--witness', witness).refusal]).toEqual([
        hex,
        expect.stringMatching(/^REFUSED (w: anyone can sign with this key|no point of the curve)$/),
      ]);
    }
  });

  it('ignore the line of another witness', () => {
    const note = `${NOTE}— other.example BR==\n${WITNESS.cosign(NOTE, 1).line}\n`;
    expect(check([LOG.verifierKey, note], '--witness', WITNESS.verifierKey).out).toContain(
      'checkpoint of 4 leaves: signed by w.example',
    );
  });
});
