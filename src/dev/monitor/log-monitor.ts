import { setTimeout as pause } from 'node:timers/promises';
import {
  type Checkpoint,
  claimLeafHash,
  openCheckpoint,
  provesConsistency,
  TILE_LEAVES,
  TreeEdge,
} from '../../../libs/claim-log';
import { fetchPatiently, type Schema } from '../../../libs/client';

/** Longer than any process lags behind another with an older checkpoint. */
const SETTLES_WITHIN_MS = 2_500;

/** Older leaves that a pass rereads, in turn; if the log has fewer, all of them. */
const READ_AGAIN_MAX = 100_000;

/** For a whole answer, repetitions included: a server could send a byte a minute. */
export const ANSWERS_WITHIN_MS = 30_000;

/** For all answers of a pass: a server could send each page of leaves as slowly as it is allowed to. */
const PASS_WITHIN_MS = 120_000;
/** Added to that for each page. */
const PAGE_WITHIN_MS = 2_000;
const LEAVES_PER_PAGE = 1_000;

const NEWEST = '/v1/log/checkpoint';
/** The line of a pass in which there is nothing to sign. */
export const OLDER = 'ok: the log shows an older checkpoint than before, and its newest continues both.';

/** The memory of a monitor from one pass to the next. */
export interface Kept {
  readonly verifierKey: string;
  readonly checkpoint: string;
  /** The hashes of 256 leaves each. */
  readonly tiles: readonly string[];
  /** The tile with which the next pass begins to read older leaves again. */
  readonly next: number;
}

/** History has changed since it was signed. */
export class Rewritten extends Error {
  /** @param notes whatever shows it to others */
  constructor(
    said: string,
    readonly notes: readonly string[] = [],
  ) {
    super(notes.length === 0 ? said : `${said} Both are signed:\n${notes.join('\n')}`);
  }
}

/** Watches a log of claims over its public routes. */
export class LogMonitor {
  /** The size of the checkpoint that the last pass read, even if the pass failed later. */
  readSize: number | undefined;

  /** The clock of the server when it last answered, in seconds since 1970. */
  serverSeconds: number | undefined;

  private passEndsAtMs = Infinity;

  constructor(
    private readonly url: string,
    public kept: Kept | undefined,
    private readonly verifierKey?: string,
    /** A witness watches what it signs, so that it has seen no tree beyond that. */
    private readonly path: typeof NEWEST | '/v1/log/checkpoint-to-cosign' = NEWEST,
    private readonly times = {
      answersWithinMs: ANSWERS_WITHIN_MS,
      settlesWithinMs: SETTLES_WITHIN_MS,
      passWithinMs: PASS_WITHIN_MS,
      pageWithinMs: PAGE_WITHIN_MS,
    },
  ) {}

  /**
   * Compares the log with its saved state, and saves its current state. Returns a line about it.
   * @throws Rewritten; or any other error when the log cannot be read
   */
  async pass(): Promise<string> {
    this.passEndsAtMs = performance.now() + this.times.passWithinMs;
    try {
      return await this.read();
    } finally {
      this.passEndsAtMs = Infinity;
    }
  }

  private async read(): Promise<string> {
    this.readSize = undefined;
    const former = this.kept && this.opened(this.kept.checkpoint, this.kept.verifierKey);
    const seen = await this.checkpointAfter(former);
    if (seen === 'older') return OLDER;
    if (!seen) return 'The log is empty.';
    const { note, key, ...checkpoint } = seen;
    if (former) await this.checkConsistency(former, checkpoint, note);
    const tiles = (this.kept?.tiles ?? []).map((hex) => Buffer.from(hex, 'hex'));
    const leaves = checkpoint.size - tiles.length * TILE_LEAVES + READ_AGAIN_MAX;
    this.passEndsAtMs +=
      Math.ceil(Math.min(leaves, checkpoint.size) / LEAVES_PER_PAGE) * this.times.pageWithinMs;
    const again = await this.readAgain(tiles);
    await this.readNew(tiles, checkpoint);
    this.kept = {
      verifierKey: key,
      checkpoint: note,
      tiles: tiles.map((hash) => hash.toString('hex')),
      next: again.next,
    };
    return `ok: ${checkpoint.size} leaves, ${checkpoint.size - (former?.size ?? 0)} of them new, ${again.count} older ones read again; root ${checkpoint.root.toString('base64')}`;
  }

  private async checkpointAfter(former: Checkpoint | undefined) {
    const seen = await this.checkpoint();
    if ((seen?.size ?? 0) >= (former?.size ?? 0)) return seen;
    await pause(this.times.settlesWithinMs);
    const settled = await this.checkpoint();
    if ((settled?.size ?? 0) >= former!.size) return settled;
    if (this.path !== NEWEST && (await this.isContinued(former!))) return 'older';
    throw new Rewritten(
      `The log has ${settled?.size ?? 0} leaves, and had ${former!.size}: Postgres was restored, or leaves were removed.`,
      settled && [this.kept!.checkpoint, settled.note],
    );
  }

  /** A cache or a clock that was set back makes what witnesses sign older; only the newest checkpoint proves more. */
  private async isContinued(former: Checkpoint): Promise<boolean> {
    const newest = await this.checkpoint(NEWEST);
    if ((newest?.size ?? 0) < former.size) return false;
    const { note, key: _, ...later } = newest!;
    await this.checkConsistency(former, later, note);
    return true;
  }

  private async checkpoint(path = this.path) {
    const note = await this.text(path);
    if (note === undefined) return undefined;
    const key = this.verifierKey ?? this.kept?.verifierKey ?? (await this.text('/v1/log/key'))!.trim();
    const opened = this.opened(note, key);
    this.readSize = opened.size;
    return { ...opened, note, key };
  }

  /** A checkpoint that witnesses have signed, or undefined if there is none for this query. */
  cosigned(query: string): Promise<string | undefined> {
    return this.text(`/v1/log/checkpoint?${query}`);
  }

  /**
   * @param note of the first one; the other one is kept
   * @throws Rewritten unless one of these trees begins with the other
   */
  async requireSame(one: Checkpoint, other: Checkpoint, note: string): Promise<void> {
    const [former, later] = one.size <= other.size ? [one, other] : [other, one];
    if (await this.isExtended(former, later)) return;
    throw new Rewritten(
      `The tree of ${later.size} leaves does not begin with the ${former.size} of another checkpoint: history has a fork.`,
      [note, this.kept!.checkpoint],
    );
  }

  /** Whether the log can prove that the later tree begins with the former one. */
  async isExtended(former: Checkpoint, later: Checkpoint): Promise<boolean> {
    const isSame = former.size === later.size;
    const path = `/v1/log/consistency?from=${former.size}&to=${later.size}`;
    const { proof } = isSame ? { proof: [] } : await this.json<'LogConsistencyDto'>(path);
    const hashes = proof.map((hex) => Buffer.from(hex, 'hex'));
    return provesConsistency(former, later, hashes);
  }

  /** @throws Rewritten unless the key has signed the note */
  opened(note: string, key: string): Checkpoint {
    const checkpoint = openCheckpoint(note, key);
    if (!checkpoint) throw new Rewritten(`This checkpoint is not signed by ${key}:\n${note}`);
    return checkpoint;
  }

  private async checkConsistency(former: Checkpoint, later: Checkpoint, note: string): Promise<void> {
    if (await this.isExtended(former, later)) return;
    throw new Rewritten(
      `The tree of ${later.size} leaves does not begin with the ${former.size} that were signed before: ` +
        `history has a fork.`,
      [this.kept!.checkpoint, note],
    );
  }

  /** Adds the tiles that are complete now, and compares the root. */
  private async readNew(tiles: Buffer[], { size, root }: Checkpoint): Promise<void> {
    let rest: Buffer | undefined;
    for await (const tile of this.tilesFrom(tiles.length, size))
      if (tile.size === TILE_LEAVES) tiles.push(tile.root);
      else rest = tile.root;
    const whole = new TreeEdge();
    for (const tile of rest ? [...tiles, rest] : tiles) whole.append(tile);
    if (!whole.root.equals(root))
      throw new Rewritten(
        `The leaves do not lead to the root that was signed at ${size} leaves: some were edited.`,
      );
  }

  private async readAgain(tiles: readonly Buffer[]): Promise<{ count: number; next: number }> {
    const begin = (this.kept?.next ?? 0) < tiles.length ? this.kept!.next : 0;
    const end = Math.min(tiles.length, begin + Math.floor(READ_AGAIN_MAX / TILE_LEAVES));
    let at = begin;
    for await (const { root } of this.tilesFrom(begin, end * TILE_LEAVES)) {
      const [first, next] = [at * TILE_LEAVES, (at + 1) * TILE_LEAVES];
      if (!root.equals(tiles[at]!))
        throw new Rewritten(`Leaves ${first} to ${next - 1} are not what they were: some were edited.`);
      at += 1;
    }
    return { count: (end - begin) * TILE_LEAVES, next: end };
  }

  /** The trees of 256 leaves each from this tile on, and the tree of the remaining leaves before `end`. */
  private async *tilesFrom(tile: number, end: number): AsyncGenerator<TreeEdge> {
    let edge = new TreeEdge();
    for (let at = tile * TILE_LEAVES; at < end;) {
      for (const leaf of await this.leaves(at, end)) {
        edge.append(leaf);
        at += 1;
        if (edge.size < TILE_LEAVES && at < end) continue;
        yield edge;
        edge = new TreeEdge();
      }
    }
  }

  /** Some leaves from this one on, before `end`. */
  private async leaves(from: number, end: number): Promise<Buffer[]> {
    const { leaves } = await this.json<'LogLeavesDto'>(`/v1/log/leaves?from=${from}`);
    const wanted = leaves.slice(0, end - from);
    if (wanted.length === 0 || wanted.some(({ index }, i) => index !== from + i))
      throw new Rewritten(`Leaves from ${from} on are missing, though a tree that has them was signed.`);
    return wanted.map(hashOf);
  }

  private async json<Name extends 'LogConsistencyDto' | 'LogLeavesDto'>(path: string): Promise<Schema<Name>> {
    return (await this.get(path)).json() as Promise<Schema<Name>>;
  }

  /** Undefined while the log is empty. */
  private async text(path: string): Promise<string | undefined> {
    const response = await this.get(path, 404);
    const text = await response.text();
    if (response.ok) return text;
    if (/"log\.(empty|not_cosigned)"/.test(text)) return undefined;
    throw new Error(`GET ${path} answers ${response.status}.`);
  }

  private withinMs(): number {
    const left = this.passEndsAtMs - performance.now();
    if (left <= 0) throw new Error('The log answers so slowly that the pass was given up.');
    return Math.ceil(Math.min(this.times.answersWithinMs, left));
  }

  private async get(path: string, otherwise?: number): Promise<Response> {
    const response = await fetchPatiently(this.url + path, {
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(this.withinMs()),
    });
    const date = Date.parse(response.headers.get('date') ?? '');
    this.serverSeconds = Number.isNaN(date) ? undefined : date / 1000;
    if (response.ok || response.status === otherwise) return response;
    throw new Error(`GET ${path} answers ${response.status}.`);
  }
}

/** The log shows only the hash of a claim in an activity that is not public. */
function hashOf({ hash, ...leaf }: Schema<'ListedLeafDto'>): Buffer {
  if (hash !== undefined) return Buffer.from(hash, 'hex');
  const { activityId, no, confirmedAtMicros, user } = leaf as Required<Schema<'ListedLeafDto'>>;
  return claimLeafHash({
    activityId,
    packetNo: Number(no),
    userHash: Buffer.from(user, 'hex'),
    confirmedAtMicros: BigInt(confirmedAtMicros),
  });
}
