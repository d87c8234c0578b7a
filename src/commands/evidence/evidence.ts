import { createHash, randomBytes } from 'node:crypto';
import { access, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ApiClient, ApiProblem } from '../../../libs/client';
import { writeArchive } from './archive';
import { EvidenceFiles, linesOf } from './evidence-files';
import { pagesOf } from '../pages';
import { Pseudonyms } from './pseudonyms';

/** The largest pages of the API. */
const PER_PAGE = 100;
const BATCHES_PER_PAGE = 20;
const LEAVES_PER_PAGE = 1_000;
const KEY_BYTES = 32;

/** A held win is open, was released, or was resolved otherwise. One that was declared void is among the voids. */
const HELD_STATUSES = ['open', 'replayed', 'resolved'] as const;

type LettersQuery = NonNullable<Parameters<ApiClient['listDeadLetters']>[0]>;

const README = `Evidence of a red packet rain. Check it with examples/verify-evidence.py of the system, or by hand:

activity.json   its rules and terms, as they were published
notices.ndjson  what staff and the sponsor did with it, such as top-ups and an early close, and the packets that were
                declared void or held, with the reasons
fairness-*.json commitments and seeds of its packets, as anyone can read them
packets.ndjson  every packet: its amount, and what became of it
claims.ndjson   every win, and when it was paid into a wallet
ledger.ndjson   every movement of its money
payouts.ndjson  what was paid out of wallets through its channel
taps.ndjson     taps by minute and answer; who tapped and won nothing is not kept
log-key.txt, log-checkpoint.txt, log-leaves.ndjson
                the signed log of all wins, of this activity and of others by their hashes; others who
                signed the checkpoint are named below it
manifest.json   the hash of each of these; manifest.sha256 is the hash of that list

People are pseudonyms: the first 16 bytes of HMAC-SHA-256(key, "hongbao.pseudonym.v1" and a zero byte, user id).
The key is in a separate file; manifest.json has its hash. The sponsor keeps its name. All times are UTC.
`;

/** Which witnesses have signed the checkpoint. */
export interface SignedBy {
  readonly quorum?: number;
  /** Names, separated by commas. */
  readonly of?: string;
}

/** The files that were written. */
export interface WrittenEvidence {
  readonly file: string;
  readonly sha256: string;
  readonly keyFile: string;
}

/**
 * Writes an activity that has ended as one archive that can be checked without this system, and the key of its
 * pseudonyms next to it. Neither file exists before it is whole, and neither is overwritten.
 * @param signed how many witnesses have signed the checkpoint, and of which; unless given, the newest one is taken
 */
export async function writeEvidence(
  api: ApiClient,
  id: string,
  file: string,
  signed: SignedBy = {},
): Promise<WrittenEvidence> {
  const keyFile = `${file}.key.json`;
  for (const taken of [file, keyFile]) await requireFree(taken);
  const directory = await mkdtemp(join(dirname(file), '.evidence-'));
  try {
    const key = randomBytes(KEY_BYTES);
    const files = new EvidenceFiles(directory);
    await new Collecting(api, id, files, key, signed).collect();
    const about = {
      ...{ format: 'hongbao.evidence.v1', activityId: id, madeAt: new Date().toISOString() },
      keySha256: createHash('sha256').update(key).digest('hex'),
    };
    const whole = join(directory, 'whole.tar');
    const sha256 = await writeArchive(whole, await files.all(about));
    const keyText = { archive: sha256, key: key.toString('hex') };
    await writeFile(keyFile, `${JSON.stringify(keyText, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(whole, file);
    return { file, sha256, keyFile };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function requireFree(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new Error(`${file} exists already: evidence is never written over.`);
}

class Collecting {
  private pseudonyms!: Pseudonyms;

  constructor(
    private readonly api: ApiClient,
    private readonly id: string,
    private readonly files: EvidenceFiles,
    private readonly key: Buffer,
    private readonly signed: SignedBy,
  ) {}

  /** The packets come first: the API refuses them before the end. */
  async collect(): Promise<void> {
    const { api, id, files } = this;
    const activity = await api.readActivity(id);
    this.pseudonyms = new Pseudonyms(this.key, activity.sponsorId);
    await files.addText('README.txt', README);
    await this.addExport('packets', await api.exportResults(id, { format: 'ndjson' }));
    await this.addExport('claims', await api.exportClaims(id, { format: 'ndjson' }));
    await this.addExport('ledger', await api.exportLedger(id, { format: 'ndjson' }));
    await this.addPayouts(activity.payout !== undefined);
    await files.addJson('activity.json', this.pseudonyms.in(activity));
    await files.addLines('notices.ndjson', this.notices());
    await files.addLines('taps.ndjson', this.taps());
    await this.addFairness();
    await this.addLog();
  }

  private async addExport(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.files.addLines(`${name}.ndjson`, this.masked(linesOf(bytes)));
  }

  private async *masked(values: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    for await (const value of values) yield this.pseudonyms.in(value);
  }

  /** An activity without a channel has none. */
  private async addPayouts(hasChannel: boolean): Promise<void> {
    if (!hasChannel) return this.files.addText('payouts.ndjson', '');
    await this.addExport('payouts', await this.api.exportPayouts(this.id, { format: 'ndjson' }));
  }

  private async *notices(): AsyncGenerator<unknown> {
    const subject = `activity:${this.id}`;
    const deeds = pagesOf((cursor) => this.api.listAuditLog({ subject, limit: PER_PAGE, cursor }));
    yield* this.masked(deeds);
    yield* this.letters({ status: 'void' });
    for (const status of HELD_STATUSES) yield* this.letters({ status, reason: 'held' });
  }

  private letters(which: Pick<LettersQuery, 'status' | 'reason'>): AsyncGenerator<unknown> {
    const query = { ...which, activityId: this.id, limit: PER_PAGE };
    return this.masked(pagesOf((cursor) => this.api.listDeadLetters({ ...query, cursor })));
  }

  private async *taps(): AsyncGenerator<unknown> {
    const { stepSeconds, points } = await this.api.readActivityHistory(this.id);
    for (const point of points) yield { stepSeconds, ...point };
  }

  private async addFairness(): Promise<void> {
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const answer = await this.api.readFairness(this.id, { limit: BATCHES_PER_PAGE, cursor });
      await this.files.addJson(`fairness-${page}.json`, answer);
      if (answer.nextCursor === null) return;
      cursor = answer.nextCursor;
    }
  }

  /** Without a log, its files are empty. */
  private async addLog(): Promise<void> {
    const [key, checkpoint] = await this.logHead();
    await this.files.addText('log-key.txt', key);
    await this.files.addText('log-checkpoint.txt', checkpoint);
    await this.files.addLines('log-leaves.ndjson', this.leaves(Number(checkpoint.split('\n')[1] ?? 0)));
  }

  private async logHead(): Promise<readonly [key: string, checkpoint: string]> {
    try {
      return [
        await text(await this.api.readLogKey()),
        await text(await this.api.readCheckpoint(this.signed)),
      ];
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'log.empty') return ['', ''];
      throw error;
    }
  }

  private async *leaves(size: number): AsyncGenerator<unknown> {
    for (let from = 0; from < size; from += LEAVES_PER_PAGE) {
      const { leaves } = await this.api.listLogLeaves({ from });
      yield* leaves.slice(0, size - from);
    }
  }
}
