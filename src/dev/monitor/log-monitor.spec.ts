import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CheckpointSigner,
  consistencyRanges,
  rangeHash,
  stretchesOf,
  TreeEdge,
  WitnessSigner,
} from '../../../libs/claim-log';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unwitnessed, WitnessDemand } from './demand';
import { LogMonitor, OLDER, Rewritten } from './log-monitor';
import { Witness } from './witness';
import { newWitnessKey } from './witness-key';

const LOG = new CheckpointSigner('log.example', Buffer.alloc(32, 1));
const WITNESS = new WitnessSigner('w.example', Buffer.alloc(32, 2));
const LEAVES = Array.from({ length: 9 }, (_, i) => Buffer.alloc(32, i));
/** Honest answers may take as long as a busy machine needs. */
const TIMES = { answersWithinMs: 30_000, settlesWithinMs: 1, passWithinMs: 120_000, pageWithinMs: 2_000 };
const SHORT_MS = 150;
const PATIENT_MS = 1_000_000;

type Answer = (response: ServerResponse) => void;

/** What the server answers instead of what is honest, by the beginning of the path. */
let lies: Record<string, Answer>;
let size: number;
let times: typeof TIMES;
/** By the server; the real time unless set. */
let clockMs: number | undefined;
let signer: CheckpointSigner;
let server: Server;
let url: string;

const rootOf = (count: number): Buffer => {
  const edge = new TreeEdge();
  for (const leaf of LEAVES.slice(0, count)) edge.append(leaf);
  return edge.root;
};

const noteOf = (count: number): string => signer.sign(count, rootOf(count));
const cosigned = (count: number, at = 1): string =>
  `${noteOf(count)}${WITNESS.cosign(noteOf(count), at).line}\n`;
const text =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status).end(body);

const proofOf = (from: number, to: number): string[] =>
  consistencyRanges(from, to)
    .map((range) =>
      rangeHash(stretchesOf(range).map(({ first, count }) => LEAVES.slice(first, first + count))),
    )
    .map((hash) => hash.toString('hex'));

function honest(path: string, query: URLSearchParams): string {
  if (path === '/v1/log/key') return `${signer.verifierKey}\n`;
  if (path === '/v1/log/checkpoint') return query.has('quorum') ? cosigned(size) : noteOf(size);
  if (path === '/v1/log/checkpoint-to-cosign') return noteOf(size);
  const from = Number(query.get('from'));
  if (path === '/v1/log/consistency')
    return JSON.stringify({ proof: proofOf(from, Number(query.get('to'))) });
  const leaves = LEAVES.slice(from, size).map((hash, i) => ({ index: from + i, hash: hash.toString('hex') }));
  return JSON.stringify({ leaves });
}

beforeEach(async () => {
  [lies, size, signer, times, clockMs] = [{}, 5, LOG, { ...TIMES }, undefined];
  server = createServer((request, response) => {
    const lie = Object.keys(lies).find((path) => request.url!.startsWith(path));
    const { pathname, searchParams } = new URL(request.url!, 'http://log');
    if (clockMs !== undefined) response.setHeader('date', new Date(clockMs).toUTCString());
    (lie === undefined ? text(honest(pathname, searchParams)) : lies[lie]!)(response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const watching = (verifierKey?: string): LogMonitor =>
  new LogMonitor(url, undefined, verifierKey, '/v1/log/checkpoint', times);
const demanding = (lagMs: number): WitnessDemand => new WitnessDemand(1, [WITNESS.verifierKey], lagMs);

describe('a monitor that demands witnesses', () => {
  it('is content with an honest server', async () => {
    const monitor = watching();
    await monitor.pass();
    expect(await demanding(0).check(monitor)).toBe(
      'w.example have signed 5 leaves, the first of them at 1970-01-01T00:00:01.000Z',
    );
  });

  it.each<[what: string, at: number, ageSecondsMax: number | undefined, isCounted: boolean]>([
    ['older than it may be', -7_200, 3_600, false],
    ['not older than it may be', -1_800, 3_600, true],
    ['a little ahead, as clocks are', 300, 3_600, true],
    ['far ahead, though none may be old', 7_200, 3_600, false],
    ['far ahead, though any may be old', 7_200, undefined, false],
    ['a million years ahead', 2 ** 45, undefined, false],
  ])('counts no signature of a time that is wrong: %s', async (_, at, ageSecondsMax, isCounted) => {
    lies = { '/v1/log/checkpoint?quorum': text(cosigned(5, Math.floor(Date.now() / 1000) + at)) };
    const monitor = watching();
    await monitor.pass();
    const check = new WitnessDemand(1, [WITNESS.verifierKey], 0, ageSecondsMax).check(monitor);
    await (isCounted
      ? expect(check).resolves.toContain('5 leaves')
      : expect(check).rejects.toThrow(Unwitnessed));
  });

  it('gives up a pass whose leaves come too slowly in total, and reports the witnesses as missing', async () => {
    lies = { '/v1/log/leaves': (response) => response.writeHead(200).write('{') };
    [times.passWithinMs, times.pageWithinMs] = [SHORT_MS, 0];
    const monitor = watching(LOG.verifierKey);
    const error = await monitor.pass().catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/TimeoutError|given up/);
    times.passWithinMs = TIMES.passWithinMs;
    lies = {};
    expect(await monitor.pass()).toMatch(/^ok: 5 leaves/);
  });

  it('keeps both notes of a fork, for others to see', async () => {
    const monitor = watching();
    await monitor.pass();
    const edge = new TreeEdge();
    for (const leaf of LEAVES.toReversed()) edge.append(leaf);
    const fork = LOG.sign(9, edge.root);
    lies = { '/v1/log/checkpoint?quorum': text(`${fork}${WITNESS.cosign(fork, 1).line}\n`) };
    const error = await demanding(0)
      .check(monitor)
      .catch((thrown: Rewritten) => thrown);
    expect(error).toBeInstanceOf(Rewritten);
    expect((error as Rewritten).notes).toEqual([expect.stringContaining(fork), noteOf(5)]);
    expect(String(error)).toContain(`${fork}`);
  });

  it.each<[what: string, answer: Answer]>([
    ['is answered 503', text('{}', 503)],
    ['is answered 404 for another reason', text('{"code":"route.not_found"}', 404)],
    ['is answered nothing', () => undefined],
    ['is answered without an end', (response) => response.writeHead(200).write('log.example\n')],
    ['is cut off', (response) => response.destroy()],
    ['is answered what is not a note', text('signed, honestly')],
  ])('reports them as missing at the end of the lag when its request %s', async (_, answer) => {
    lies = { '/v1/log/checkpoint?quorum': answer };
    const monitor = watching();
    await monitor.pass();
    times.answersWithinMs = SHORT_MS;
    expect(await demanding(PATIENT_MS).check(monitor)).toMatch(/^waiting: /);
    await expect(demanding(0).check(monitor)).rejects.toThrow(Unwitnessed);
  });

  it('reports them as missing, and no rewriting, while they have signed only what the former key has signed', async () => {
    const former = new CheckpointSigner('log.example', Buffer.alloc(32, 9));
    const note = former.sign(5, rootOf(5));
    lies = { '/v1/log/checkpoint?quorum': text(`${note}${WITNESS.cosign(note, 1).line}\n`) };
    const monitor = watching(LOG.verifierKey);
    await monitor.pass();
    expect(await demanding(PATIENT_MS).check(monitor)).toContain('changes its key');
    await expect(demanding(0).check(monitor)).rejects.toThrow(Unwitnessed);
  });

  it('reports them as missing when the server does not prove that their tree is the one that it shows', async () => {
    lies = { '/v1/log/checkpoint?quorum': text(cosigned(3)), '/v1/log/consistency': text('{}', 503) };
    const monitor = watching();
    await monitor.pass();
    await expect(demanding(0).check(monitor)).rejects.toThrow(Unwitnessed);
    lies['/v1/log/consistency'] = text(JSON.stringify({ proof: proofOf(2, 5) }));
    await expect(demanding(0).check(monitor)).rejects.toThrow(Rewritten);
  });

  it('reports them as missing when the server shows a checkpoint, and none of its leaves', async () => {
    lies = {
      '/v1/log/checkpoint': (response) => {
        times.answersWithinMs = SHORT_MS;
        text(noteOf(size))(response);
      },
      '/v1/log/leaves': (response) => response.writeHead(200).write('{'),
    };
    const monitor = watching(LOG.verifierKey);
    const error = await monitor.pass().catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/TimeoutError/);
    expect(monitor.readSize).toBe(5);
    expect(() => demanding(0).missed(monitor.readSize!, error as Error)).toThrow(Unwitnessed);
    times.answersWithinMs = TIMES.answersWithinMs;
    lies = { '/v1/log/checkpoint': text('{}', 503) };
    await expect(monitor.pass()).rejects.toThrow('503');
    expect(monitor.readSize).toBeUndefined();
  });
});

describe('a witness', () => {
  let directory: string;

  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'hongbao-witness-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const toCosign = async (): Promise<LogMonitor> => {
    const first = watching();
    await first.pass();
    return new LogMonitor(url, first.kept, undefined, '/v1/log/checkpoint-to-cosign', TIMES);
  };

  it('takes an older checkpoint to sign for a cached one, not for rewriting, if the newest continues', async () => {
    const monitor = await toCosign();
    lies = { '/v1/log/checkpoint-to-cosign': text(noteOf(3)) };
    size = 7;
    expect(await monitor.pass()).toBe(OLDER);
    const edge = new TreeEdge();
    for (const leaf of LEAVES.toReversed()) edge.append(leaf);
    const fork = LOG.sign(9, edge.root);
    lies = { '/v1/log/checkpoint-to-cosign': text(noteOf(3)), '/v1/log/checkpoint': text(fork) };
    await expect(monitor.pass()).rejects.toThrow(`${noteOf(5)}\n${fork}`);
  });

  it('records and signs nothing while its clock and that of the server are far apart, and hands in again a cosignature that was not accepted', async () => {
    const key = newWitnessKey(join(directory, 'key'), 'w.example');
    const monitor = await toCosign();
    const witness = new Witness(key, url);
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    lies = {
      '/v1/log/leaves': (response) =>
        response.writeHead(200, { date }).end(honest('/v1/log/leaves', new URLSearchParams('from=0'))),
    };
    size = 6;
    await monitor.pass();
    await expect(witness.sign(monitor)).rejects.toThrow('One of them is wrong.');
    expect(readdirSync(join(directory, 'key.signed'))).toEqual(['1.json']);
    lies = {};
    await monitor.pass();
    const signed = await witness.sign(monitor);
    expect(signed).toMatchObject({ size: 6 });
    let attempts = 0;
    lies['/v1/log/cosignatures'] = (response) =>
      response.writeHead(++attempts === 1 ? 503 : 200, { 'retry-after': '0' }).end('{}');
    await witness.handOver(signed!);
    expect(attempts).toBe(2);
  });

  it('signs an unchanged log again each hour, but only once until the log has accepted the cosignature', async () => {
    const monitor = await toCosign();
    await monitor.pass();
    const witness = new Witness(newWitnessKey(join(directory, 'key'), 'w.example'), url);
    lies['/v1/log/cosignatures'] = text('{"detail":"no"}', 500);
    const first = await witness.sign(monitor);
    await expect(witness.handOver(first!)).rejects.toThrow('no');
    expect(await witness.sign(monitor)).toBe(first);
    expect(readdirSync(join(directory, 'key.signed'))).toEqual(['2.json']);
    let attempts = 0;
    lies['/v1/log/cosignatures'] = (response) =>
      response.writeHead(++attempts === 1 ? 429 : 200, { 'retry-after': '0' }).end('{}');
    await witness.handOver(first!);
    expect(attempts).toBe(2);
    expect(await witness.sign(monitor)).toBeUndefined();
    clockMs = Date.now() + 3_601_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(clockMs);
    try {
      await monitor.pass();
      expect(await witness.sign(monitor)).toMatchObject({ size: 5, at: Math.floor(clockMs / 1000) });
    } finally {
      now.mockRestore();
    }
  });

  it('signs nothing while the server does not send the time', async () => {
    const monitor = await toCosign();
    lies['/v1/log/leaves'] = (response) => {
      response.sendDate = false;
      text(honest('/v1/log/leaves', new URLSearchParams('from=0')))(response);
    };
    size = 6;
    await monitor.pass();
    const witness = new Witness(newWitnessKey(join(directory, 'key'), 'w.example'), url);
    await expect(witness.sign(monitor)).rejects.toThrow('no Date');
  });

  it('does not restart a record whose key is missing', () => {
    const file = join(directory, 'key');
    newWitnessKey(file, 'w.example');
    expect(() => newWitnessKey(file, 'w.example')).toThrow('never written over');
    rmSync(file);
    expect(() => newWitnessKey(file, 'w.example')).toThrow('of a key that was lost');
    expect(readdirSync(directory)).toEqual(['key.signed']);
  });
});
