import { openCosignature, WitnessSigner } from '../../libs/claim-log';
import { ClaimLogLeader } from '../../src/extensions/claim-log/claim-log-leader';
import { ClaimLogRepository } from '../../src/extensions/claim-log/claim-log.repository';
import { ClaimLogService } from '../../src/extensions/claim-log/claim-log.service';
import { CosignatureIntake } from '../../src/extensions/claim-log/cosignature-intake';
import { CosignatureRepository } from '../../src/extensions/claim-log/cosignature.repository';
import { CosignatureService } from '../../src/extensions/claim-log/cosignature.service';
import { WitnessWatch } from '../../src/extensions/claim-log/witness-watch';
import { Metrics } from '../../src/platform/telemetry';
import { Books, openBooks } from '../harness/books';
import { waitFor } from '../harness/engines';

const WITNESSES = ['one.example', 'two.example', 'three.example'].map(
  (name, i) => new WitnessSigner(name, Buffer.alloc(32, i + 1)),
);
const KEYS = WITNESSES.map(({ verifierKey }) => verifierKey);
const [ONE, TWO, THREE] = WITNESSES as [WitnessSigner, WitnessSigner, WitnessSigner];

let books: Books;
let close: () => Promise<void>;

beforeEach(async () => {
  const opened = await openBooks();
  books = await Books.of(opened.books.databaseUrl, { CLAIM_LOG_WITNESSES: KEYS.join(',') });
  await books.dataSource.query('alter table claim_checkpoint disable trigger append_only');
  close = async () => {
    await books.close();
    await opened.close();
  };
});

afterEach(() => close());

/** Adds a claim to the log. Returns the size of the new tree and its note. */
async function grow(): Promise<{ size: number; note: string }> {
  await books.claim(await books.activity({ packets: 1 }), ['ann']);
  await books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
  const { size, note } = (await books.serviceOf(ClaimLogRepository).head())!;
  return { size, note };
}

const age = (size: number, seconds: number) =>
  books.dataSource.query(
    `update claim_checkpoint set signed_at = now() - make_interval(secs => $2) where tree_size = $1`,
    [size, seconds],
  );

type Tree = Awaited<ReturnType<typeof grow>>;

const nowSeconds = () => Math.floor(Date.now() / 1000);
const lineOf = (witness: WitnessSigner, { note }: Tree, at = nowSeconds()) => witness.cosign(note, at).line;
const hand = (size: number, cosignature: string) =>
  books.serviceOf(CosignatureIntake).add({ size, cosignature });
const add = (witness: WitnessSigner, tree: Tree) => hand(tree.size, lineOf(witness, tree));

/** Waits for an answer with these fields, because a process reads the log only twice a second. */
const becomes = (answer: () => Promise<object>, expected: object) =>
  waitFor(
    async () => {
      const given: object = await answer().catch((error: object) => error);
      return Object.entries(expected).every(([key, value]) => given[key as keyof object] === value);
    },
    { what: JSON.stringify(expected) },
  );

describe('cosignatures of the log of claims', () => {
  it('are requested for the last checkpoint before a full half minute that is surely committed', async () => {
    const due = () => books.serviceOf(CosignatureRepository).due();
    const [first, second, third] = [await grow(), await grow(), await grow()];
    expect(await due()).toBeUndefined();
    await age(first.size, 100);
    await age(second.size, 36);
    expect(await due()).toBe(second.note);
    await age(third.size, 36);
    expect(await due()).toBe(third.note);
  });

  it('count towards a quorum only on the same checkpoint, of the newest that has it', async () => {
    const newest = (quorum: number, names?: string[]) =>
      books.serviceOf(CosignatureService).newestBy(quorum, names);
    const [first, second, third] = [await grow(), await grow(), await grow()];
    for (const witness of [ONE, TWO]) await add(witness, first);
    for (const witness of [ONE, THREE]) await add(witness, second);
    await add(TWO, third);
    expect((await newest(1)).split('\n')[1]).toBe('3');
    expect((await newest(2)).split('\n')[1]).toBe('2');
    expect((await newest(2, ['one.example', 'two.example'])).split('\n')[1]).toBe('1');
    const note = await newest(2);
    expect(KEYS.map((key) => openCosignature(note, key) !== undefined)).toEqual([true, false, true]);
    await expect(newest(3)).rejects.toMatchObject({ code: 'log.not_cosigned' });
    await expect(newest(1, ['nobody.example'])).rejects.toMatchObject({ code: 'log.not_cosigned' });
  });

  it('are also on the checkpoint of a proof, whose tree is the same', async () => {
    const tree = await grow();
    await add(ONE, tree);
    const packet = `${(await books.dataSource.query<[{ id: string }]>('select activity_id as id from claim'))[0].id}0000001`;
    const { checkpoint } = await books.serviceOf(ClaimLogService).ofPacket(packet, 'ann');
    expect(checkpoint.startsWith(tree.note)).toBe(true);
    expect(openCosignature(checkpoint, KEYS[0]!)).toBeDefined();
  });

  it('are refused for a checkpoint that others followed more than ten minutes ago', async () => {
    const [first, second] = [await grow(), await grow()];
    const line = lineOf(ONE, first);
    await hand(first.size, line);
    await age(first.size, 700);
    await age(second.size, 601);
    await becomes(() => add(TWO, first), { code: 'log.checkpoint_old' });
    expect(await hand(first.size, line)).toMatchObject({ size: 1 });
    expect(await add(TWO, second)).toMatchObject({ size: 2 });
    await expect(add(TWO, first)).rejects.toMatchObject({ code: 'log.checkpoint_old' });
  });

  it('are refused for a smaller checkpoint than the witness has signed', async () => {
    const [first, second] = [await grow(), await grow()];
    await add(ONE, second);
    await expect(add(ONE, first)).rejects.toMatchObject({ code: 'log.checkpoint_old' });
    expect(await add(TWO, first)).toMatchObject({ size: 1 });
  });

  it('are refused if their clock is more than ten minutes behind that of the log, or ahead of it', async () => {
    const tree = await grow();
    const dated = (seconds: number) => hand(tree.size, lineOf(ONE, tree, nowSeconds() + seconds));
    for (const seconds of [-610, 610])
      await expect(dated(seconds)).rejects.toMatchObject({ code: 'log.cosignature_invalid' });
    expect(await dated(-500)).toMatchObject({ size: tree.size });
  });

  it.each([
    ['without a dash', (line: string) => line.slice(2)],
    ['whose signature is not base64', (line: string) => `${line}*`],
    ['with a word too many', (line: string) => `${line} more`],
    ['that ends before the hash of its key', (line: string) => line.slice(0, line.lastIndexOf(' ') + 5)],
  ])('are refused as no signature line of a note %s', async (_, damaged) => {
    const tree = await grow();
    const answer = hand(tree.size, damaged(lineOf(ONE, tree)));
    await expect(answer).rejects.toMatchObject({
      code: 'log.cosignature_invalid',
      detail: 'cosignature must be a line of a signed note: "— NAME SIGNATURE".',
    });
  });

  it('cost Postgres no query if they are forged or kept already, however many are sent', async () => {
    const tree = await grow();
    const kept = lineOf(ONE, tree);
    await hand(tree.size, kept);
    const id = Buffer.from(kept.split(' ')[2]!, 'base64').subarray(0, 4);
    const forged = Array.from({ length: 300 }, (_, i) => {
      const signature = Buffer.concat([id, Buffer.alloc(72, i)]).toString('base64');
      return `— one.example ${signature}`;
    });
    const asked = jest.spyOn(books.dataSource, 'query');
    const began = performance.now();
    const answers = await Promise.allSettled(
      forged.flatMap((line) => [
        hand(tree.size, line),
        hand(tree.size, kept),
        hand(tree.size, lineOf(ONE, tree)),
      ]),
    );
    const honest = await add(TWO, tree);
    const readings = 1 + Math.ceil((performance.now() - began) / 500);
    const inserts = asked.mock.calls.filter(([sql]) => sql.includes('insert'));
    const [count] = [asked.mock.calls.length];
    asked.mockRestore();
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(600);
    expect(honest).toMatchObject({ witness: 'two.example' });
    // Each reading of the log sends three queries, and the honest line sends two.
    expect(inserts).toHaveLength(1);
    expect(count).toBeLessThanOrEqual(readings * 3 + 2);
  });

  it('of an unchanged checkpoint are replaced by those that are half an hour later, each once', async () => {
    const tree = await grow();
    const lines = () => books.dataSource.query<{ line: string }[]>('select line from claim_cosignature');
    const shown = async () =>
      (await books.serviceOf(CosignatureService).on(tree.size, tree.note)).split('\n').at(-2);
    const now = nowSeconds();
    const [old, soon, later] = [now - 2_400, now - 700, now].map((at) => lineOf(ONE, tree, at)) as [
      string,
      string,
      string,
    ];
    const keep = (line: string, at: number) =>
      books.serviceOf(CosignatureRepository).keep(KEYS[0]!, { size: tree.size, line, at });
    await keep(old, now - 2_400);
    expect(await keep(soon, now - 700)).toMatchObject({ line: old });
    expect(await shown()).toBe(old);
    expect(await hand(tree.size, later)).toMatchObject({ cosignedAt: new Date(now * 1000).toISOString() });
    for (const line of [later, lineOf(ONE, tree, now + 300), later]) await hand(tree.size, line);
    expect(await keep(old, now - 2_400)).toMatchObject({ line: later });
    expect(await shown()).toBe(later);
    expect(await lines()).toHaveLength(2);
    expect(
      (await books.serviceOf(CosignatureService).newestBy(1))
        .split('\n')
        .filter((line) => line.startsWith('— one')),
    ).toEqual([later]);
    await expect(books.serviceOf(CosignatureService).newestBy(2)).rejects.toMatchObject({
      code: 'log.not_cosigned',
    });
  });

  it('count towards a quorum even behind more checkpoints than a search reads, if few witnesses have signed those', async () => {
    const first = await grow();
    for (const witness of [ONE, TWO]) await add(witness, first);
    await books.dataSource.query(
      `insert into claim_cosignature (verifier_key, tree_size, line)
       select $1, 1 + no, $2 from generate_series(1, 1500) as no`,
      [KEYS[2], lineOf(THREE, first)],
    );
    const newest = (quorum: number) => books.serviceOf(CosignatureService).newestBy(quorum);
    expect((await newest(2)).split('\n')[1]).toBe('1');
  });

  it('are missed from a witness that has not signed the checkpoint that is due', async () => {
    const behind = async () => {
      await books.serviceOf(WitnessWatch).watch();
      const metrics = await books.serviceOf(Metrics).expose();
      return Array.from(
        metrics.matchAll(/^hongbao_claim_log_witness_behind_seconds\{witness="(\w+)\S+ (\S+)$/gm),
        ([, name, seconds]) => [name, Math.round(Number(seconds) / 60)],
      );
    };
    expect(await behind()).toEqual([
      ['one', 0],
      ['two', 0],
      ['three', 0],
    ]);
    const [first, second, third] = [await grow(), await grow(), await grow()];
    await age(first.size, 1200);
    await age(second.size, 660);
    await add(ONE, second);
    await add(TWO, first).catch(() => undefined);
    expect(await behind()).toEqual([
      ['one', 0],
      ['two', 20],
      ['three', 20],
    ]);
    await age(third.size, 120);
    expect(await behind()).toEqual([
      ['one', 2],
      ['two', 20],
      ['three', 20],
    ]);
  });

  it('neither wait for the leader nor make it wait', async () => {
    const tree = await grow();
    const unlock = await books.hold((tx) =>
      tx.query('lock table claim_cosignature in access exclusive mode'),
    );
    expect(await grow()).toMatchObject({ size: 2 });
    await unlock();
    const release = await books.hold((tx) =>
      tx.query(`select pg_advisory_xact_lock(hashtextextended('claim-log', 0))`),
    );
    expect(await add(ONE, tree)).toMatchObject({ size: 1 });
    await release();
  });
});
