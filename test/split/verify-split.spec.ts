import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type CurrencyDigits, formatMoney } from '../../libs/money';
import type { Pace } from '../../libs/pace';
import {
  Batch,
  batchTerms,
  type BatchTerms,
  NO_COMMIT,
  seedCommitment,
  splitAmount,
  type SplitPlan,
} from '../../libs/split';
import type { DistributedProgram } from '../../src/dev/engines';
import { checkPublicFiles } from '../../src/dev/split/public-files';
import { barePython } from '../harness/distributed';

const SCRIPT = join('examples', 'verify-split.py');

/** Reads JSON, a line for each question, and answers with what the script returns or "refused". */
const driver = (call: string): string => `
import importlib.util as u, json, sys
spec = u.spec_from_file_location("script", sys.argv[1]); script = u.module_from_spec(spec); spec.loader.exec_module(script)
for line in sys.stdin:
    try: print(json.dumps(${call}))
    except script.REFUSALS: print('"refused"')
`;

/** Checks lists of files. */
const CHECK = driver('script.check(json.loads(line))');
/** Draws from pairs of a seed and terms. */
const DRAW = driver('(lambda seed, terms: script.draw(bytes.fromhex(seed), terms))(*json.loads(line))');

let python: DistributedProgram;

beforeAll(async () => {
  python = await barePython();
});

function askPython(questions: readonly (readonly unknown[])[], script = CHECK): unknown[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  const options = { input, env: python.env, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const output = execFileSync(python.command, ['-c', script, SCRIPT], options);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const askTypeScript = (lists: readonly (readonly string[])[]): Promise<unknown[]> =>
  Promise.all(lists.map((texts) => checkPublicFiles(texts).catch(() => 'refused')));

const CNY = { code: 'CNY', digits: 2 } as const;

interface Draw {
  readonly seed: string;
  readonly plan: SplitPlan;
  readonly packetCount: number;
  readonly totalMinor: bigint;
  readonly firstNo: number;
  readonly digits: CurrencyDigits;
  /** Of the currency; CNY unless given. */
  readonly code?: string;
  readonly pace?: Pace;
  /** The word of the sponsor. */
  readonly word?: string;
  /** The seed to whose hash the sponsor was committed; the one that draws unless given. */
  readonly promised?: string;
}

const PACES: (Pace | undefined)[] = [
  undefined,
  { kind: 'even', count: 1, fromMs: 1_800_000_000_000, untilMs: 1_800_000_060_000 },
  { kind: 'waves', waves: [1, 2].map((no) => ({ atMs: no * 1_000_000_000_000, count: no })) },
];

const seeds = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));

const draws: fc.Arbitrary<Draw> = fc
  .record({
    seed: seeds,
    word: fc.option(seeds, { nil: undefined }),
    kind: fc.constantFrom('random', 'equal', 'tiers'),
    packetCount: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 250, max: 520 })),
    min: fc.bigInt({ min: 1n, max: 500n }),
    width: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    isBounded: fc.boolean(),
    firstNo: fc.integer({ min: 1, max: 1_000_000 }),
    digits: fc.constantFrom<CurrencyDigits>(0, 1, 2, 3),
    pace: fc.constantFrom(...PACES),
  })
  .map(({ kind, packetCount, min, width, isBounded, ...rest }) => {
    const count = BigInt(packetCount);
    if (kind === 'tiers') {
      const tiers = [
        { amountMinor: min + width, count: 1 },
        ...(packetCount > 1 ? [{ amountMinor: min, count: packetCount - 1 }] : []),
      ];
      return { ...rest, packetCount, plan: { kind, tiers } as const, totalMinor: width + min * count };
    }
    const totalMinor = min * count + (width * count) / 3n;
    const bounds = isBounded ? { minMinor: min, maxMinor: min + width } : {};
    const plan = kind === 'equal' ? ({ kind } as const) : ({ kind: 'random', ...bounds } as const);
    return { ...rest, packetCount, totalMinor, plan };
  });

/** Version 3 with a word, otherwise version 2. */
function termsOf({ seed, digits, code = 'CNY', pace, word, promised = seed, ...terms }: Draw): BatchTerms {
  const place = { activityId: '7', batchNo: 2, previous: NO_COMMIT };
  const brought =
    word === undefined ? undefined : { commitment: seedCommitment(promised), sponsorSeed: word };
  return batchTerms(place, terms, { code, digits }, pace, brought);
}

/** Version 1: packets that a former release drew. */
function formerTermsOf(draw: Draw): object {
  const { previous: _, ...terms } = termsOf({ ...draw, pace: undefined, word: undefined });
  return { ...terms, v: '1' };
}

/** The two public files of a batch: the published data, and the proof of one of its packets. */
function filesOf(draw: Draw, index: number): [string, string] {
  const { seed, firstNo, digits } = draw;
  const published = termsOf(draw);
  const batch = new Batch(seed, published, firstNo);
  const amounts = batch.amounts();
  const { root, upper } = batch.tree(amounts);
  const no = firstNo + (index % amounts.length);
  const tile = batch.tileOf(no);
  const proof = {
    activityId: '7',
    batch: '2',
    no: String(no),
    amount: formatMoney(amounts[no - firstNo]!, digits),
    salt: batch.saltOf(no).toString('hex'),
    path: batch.pathOf(
      no,
      Array.from({ length: tile.count }, (_, i) => amounts[tile.firstNo + i - firstNo]!),
      batch.keptOffsets(no).map((offset) => upper.subarray(offset, offset + 32)),
    ),
    root: root.toString('hex'),
  };
  const fairness = {
    batches: [
      {
        batch: '2',
        firstNo: String(firstNo),
        terms: published,
        commit: batch.commit.toString('hex'),
        root: root.toString('hex'),
        seed,
      },
    ],
    nextCursor: null,
  };
  return [JSON.stringify(fairness), JSON.stringify(proof)];
}

const SMALL: Draw = {
  seed: 'ab'.repeat(32),
  packetCount: 300,
  totalMinor: 90_000n,
  firstNo: 4,
  digits: 2,
  plan: { kind: 'random', minMinor: 10n, maxMinor: 900n },
};

/** Each byte that has a meaning is replaced with another of its kind. */
function changesOf(text: string): string[] {
  return Array.from(text, (char, i) => {
    const other = char === '9' ? '8' : /\d/.test(char) ? String(Number(char) + 1) : char === 'e' ? 'f' : 'e';
    return text.slice(0, i) + other + text.slice(i + 1);
  });
}

it('both programs accept the public files of random batches, and say the same of every packet', async () => {
  const lists = fc.sample(fc.tuple(draws, fc.nat()), 40).map(([draw, index]) => filesOf(draw, index));
  const said = await askTypeScript(lists);
  expect(said).not.toContain('refused');
  expect(askPython(lists)).toEqual(said);
});

describe('packets of version 1, which were drawn before anything was committed to', () => {
  it('are drawn by both programs from random seeds and terms, the same by each', () => {
    const sample = fc.sample(draws, 40);
    const drawn = sample.map((draw) => Array.from(splitAmount(draw), Number));
    expect(
      askPython(
        sample.map((draw) => [draw.seed, formerTermsOf(draw)]),
        DRAW,
      ),
    ).toEqual(drawn);
  });

  /** libs/split/split.spec.ts has recorded them. */
  it.each([
    [{ kind: 'random' }, [142, 152, 102, 84, 71, 7, 67, 39, 132, 178, 26]],
    [{ kind: 'random', min: '0.50', max: '1.50' }, [91, 109, 126, 63, 98, 118, 50, 60, 67, 87, 131]],
    [{ kind: 'equal' }, [90, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91]],
    [
      {
        ...{ kind: 'tiers', total: '10.01' },
        tiers: [
          { amount: '0.01', count: '6' },
          { amount: '1.99', count: '5' },
        ],
      },
      [199, 199, 1, 1, 199, 1, 1, 1, 1, 199, 199],
    ],
  ])('are the recorded ones in Python: %j', (terms, recorded) => {
    const seed = createHash('sha256').update('a recorded split').digest('hex');
    expect(askPython([[seed, { v: '1', total: '10.00', count: '11', ...terms }]], DRAW)).toEqual([recorded]);
  });

  it('are confirmed by both programs from the seed, without a commitment, and refused under other terms', async () => {
    const terms = formerTermsOf(SMALL);
    const batch = { batch: '2', firstNo: '1', terms, commit: null, root: null, seed: SMALL.seed };
    const file = (change: object) => [
      JSON.stringify({ batches: [{ ...batch, ...change }], nextCursor: null }),
    ];
    const name = 'activity 7 batch 2: version 1, without a commitment';
    const answers: readonly (readonly [object, unknown])[] = [
      [{}, [`${name}; its seed draws 300 packets of 900.00`]],
      [{ seed: null }, [name]],
      [{ seed: 'ab' }, 'refused'],
      [{ batch: '1' }, 'refused'],
      [{ terms: { ...terms, min: '3.01' } }, 'refused'],
      [{ terms: { ...terms, min: '0.1' } }, 'refused'],
      [{ terms: { ...terms, count: '0' } }, 'refused'],
    ];
    const lists = answers.map(([change]) => file(change));
    const said = answers.map(([, answer]) => answer);
    expect(await askTypeScript(lists)).toEqual(said);
    expect(askPython(lists)).toEqual(said);
    const two = [...file({}), ...file({ seed: OTHER_SEED })];
    expect([await askTypeScript([two]), askPython([two])]).toEqual([['refused'], ['refused']]);
  });
});

describe('packets in a currency that is unlike CNY', () => {
  const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex');
  const FIVE = { seed: SEED, packetCount: 5, firstNo: 1 };
  const RANDOM = { totalMinor: 1_234n, plan: { kind: 'random', minMinor: 100n, maxMinor: 400n } } as const;

  it.each<[string, Draw, Record<'v1' | 'v2' | 'v3', number[]>]>([
    [
      'with three decimals',
      { ...FIVE, ...RANDOM, code: 'KWD', digits: 3 },
      { v1: [272, 214, 291, 111, 346], v2: [205, 138, 333, 227, 331], v3: [137, 393, 111, 290, 303] },
    ],
    [
      'without decimals',
      { ...FIVE, ...RANDOM, code: 'JPY', digits: 0 },
      { v1: [272, 214, 291, 111, 346], v2: [300, 303, 245, 129, 257], v3: [137, 393, 111, 290, 303] },
    ],
    [
      'whose units are codes',
      { ...FIVE, totalMinor: 5n, plan: { kind: 'equal' }, code: 'CODE7', digits: 0 },
      { v1: [1, 1, 1, 1, 1], v2: [1, 1, 1, 1, 1], v3: [1, 1, 1, 1, 1] },
    ],
  ])('are drawn by both programs as recorded, and proven: %s', async (_, draw, recorded) => {
    const withWord = { ...draw, word: 'cd'.repeat(32) };
    const amounts = (terms: BatchTerms) => Array.from(new Batch(SEED, terms, 1).amounts(), Number);
    expect([
      Array.from(splitAmount(draw), Number),
      amounts(termsOf(draw)),
      amounts(termsOf(withWord)),
    ]).toEqual(Object.values(recorded));
    const asked = [formerTermsOf(draw), termsOf(draw), termsOf(withWord)].map((terms) => [SEED, terms]);
    expect(askPython(asked, DRAW)).toEqual(Object.values(recorded));
    const lists = [filesOf(draw, 2), filesOf(withWord, 3)];
    const said = [recorded.v2[2]!, recorded.v3[3]!].map((minor) => [
      expect.stringContaining('all 5 packets are as committed'),
      expect.stringContaining(`existed with ${formatMoney(BigInt(minor), draw.digits)} before`),
    ]);
    expect(await askTypeScript(lists)).toEqual(said);
    expect(askPython(lists)).toEqual(said);
  });
});

it.each([
  ['drawn by the server alone', {}],
  ["drawn with the sponsor's word", { word: 'cd'.repeat(32) }],
])('a changed byte anywhere is refused by both programs in files %s', async (said, drawn) => {
  const [fairness, proof] = filesOf({ ...SMALL, ...drawn, packetCount: 5, totalMinor: 1_500n }, 2);
  expect(askPython([[fairness, proof]])).toEqual([[expect.stringContaining(said), expect.any(String)]]);
  const lists = [
    ...changesOf(fairness).map((text) => [text, proof]),
    ...changesOf(proof).map((text) => [fairness, text]),
  ];
  const accepted = (said: readonly unknown[]) => lists.filter((_, i) => said[i] !== 'refused');
  expect(accepted(await askTypeScript(lists))).toEqual([]);
  expect(accepted(askPython(lists))).toEqual([]);
});

const [OTHER_SEED, WORD] = ['12'.repeat(32), 'cd'.repeat(32)];

it.each<[string, string[]]>([
  [
    'another seed than the one to which the sponsor was committed',
    filesOf({ ...SMALL, word: WORD, promised: OTHER_SEED }, 0),
  ],
  [
    'the proof of a packet that another seed has drawn',
    [filesOf(SMALL, 0)[0], filesOf({ ...SMALL, seed: OTHER_SEED }, 0)[1]],
  ],
])('%s is refused by both programs, even if all that follows from it is right', async (_, files) => {
  expect(await askTypeScript([files])).toEqual(['refused']);
  expect(askPython([files])).toEqual(['refused']);
});

interface Shown {
  readonly activityId?: string;
  readonly batchNo?: number;
  readonly previous?: string;
  readonly firstNo?: number;
  readonly seed?: string;
  readonly isRevealed?: boolean;
}

/** The public file of a batch of five equal packets. */
function fileOf({ isRevealed = true, firstNo = 1, seed = SMALL.seed, ...shown }: Shown): string {
  const terms = batchTerms(
    { activityId: '8', batchNo: 0, previous: NO_COMMIT, ...shown },
    { totalMinor: 5n, packetCount: 5, plan: { kind: 'equal' } },
    CNY,
  );
  const batch = new Batch(seed, terms, firstNo);
  const [commit, root] = [batch.commit, batch.tree(batch.amounts()).root].map((hash) => hash.toString('hex'));
  const published = { batch: terms.batch, firstNo: String(firstNo), terms, commit, root };
  return JSON.stringify({ batches: [{ ...published, seed: isRevealed ? seed : null }], nextCursor: null });
}

const [BEFORE, AFTER] = [{ isRevealed: false }, { previous: 'c'.repeat(64) }];

it.each<[string, Shown, Shown, boolean]>([
  ['the same batch twice', AFTER, AFTER, true],
  ['a batch before and after its end', BEFORE, {}, true],
  ['two batches of an activity', {}, { ...AFTER, batchNo: 1, firstNo: 6 }, true],
  ['the first batches of two sponsors', {}, { activityId: '9' }, true],
  ['two batches with the same predecessor, which are a fork,', AFTER, { ...AFTER, activityId: '9' }, false],
  ['a batch in place of another first one of its sponsor', { ...BEFORE, seed: OTHER_SEED }, {}, false],
  ['a batch with another root than before', { ...BEFORE, firstNo: 2 }, {}, false],
  ['two batches with a packet in common', {}, { ...AFTER, batchNo: 1, firstNo: 5 }, false],
])('files of %s are judged together by both programs', async (_, one, other, isAccepted) => {
  const files = [one, other].map(fileOf);
  for (const file of files) expect(await askTypeScript([[file]])).not.toEqual(['refused']);
  const said = [...(await askTypeScript([files])), ...askPython([files])];
  expect(said.map((each) => each !== 'refused')).toEqual([isAccepted, isAccepted]);
});

it('the commands read files, and end with 1 if anything is refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-split-'));
  try {
    const names = filesOf(SMALL, 270).map((text, i) => {
      writeFileSync(join(directory, `${i}.json`), text);
      return join(directory, `${i}.json`);
    });
    for (const command of [
      [process.execPath, join('dist', 'src', 'dev', 'verify-split.js')],
      [python.command, SCRIPT],
    ]) {
      const run = (files: readonly string[]) =>
        spawnSync(command[0]!, [...command.slice(1), ...files], { env: python.env, encoding: 'utf8' });
      expect(run(names)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('all 300 packets are as committed'),
      });
      expect(run(names.slice(1))).toMatchObject({ status: 1, stderr: expect.stringContaining('REFUSED') });
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('an address that is not that of an honest server', () => {
  const CODE = 'yGIPwJ2Y7hCqkXz1Rr8dNw';
  const [fairness] = filesOf({ ...SMALL, packetCount: 5, totalMinor: 1_500n }, 0);
  const sent: { readonly host?: string; readonly code: unknown }[] = [];
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer(({ url, headers }, response) => {
      sent.push({ host: headers.host, code: headers['share-code'] });
      const json = (body: string) => response.setHeader('content-type', 'application/json').end(body);
      if (url!.startsWith('/v1/activities/1/'))
        response.writeHead(302, { location: `http://localhost:${port}/v1/activities/7/fairness` }).end();
      else if (url!.startsWith('/v1/activities/2/')) json('{"batches":[],"nextCursor":"again"}');
      else json(fairness);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(() => server.close());

  it.each([
    ['leads to another host, which does not get the code', '1'],
    ['has a list without an end', '2'],
    ['has the batches of another activity', '3'],
    ['begins with another batch than the first', '7'],
  ])('is refused by both programs if it %s', async (_, id) => {
    const address = `http://127.0.0.1:${port}/v1/activities/${id}#c=${CODE}`;
    for (const [command, script] of [
      [process.execPath, join('dist', 'src', 'dev', 'verify-split.js')],
      [python.command, SCRIPT],
    ] as const) {
      sent.length = 0;
      const run = promisify(execFile)(command, [script, address], { env: python.env });
      await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('REFUSED') });
      expect(sent).toEqual([{ host: `127.0.0.1:${port}`, code: CODE }]);
    }
  });
});
