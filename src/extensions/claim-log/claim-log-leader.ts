import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  CheckpointSigner,
  claimLeafHash,
  isVerifierKey,
  newSalts,
  TreeEdge,
  userHash,
} from '../../../libs/claim-log';
import { failpoint } from '../../../libs/failpoint';
import { AppConfig } from '../../platform/config';
import { installationId, isHeldUp } from '../../platform/postgres';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ClaimLogRepository, type NewClaim, type SignedTree } from './claim-log.repository';

const APPEND_EVERY_MS = 1_000;
/** Alerts wait a minute. The query may have to wait for a partition that someone keeps locked. */
const WATCH_EVERY_MS = 10_000;
const CLAIMS_AT_ONCE = 5_000;

/** Confirmations take milliseconds. A slower one is logged once it ends, out of order. */
const WRITERS_WITHIN_MS = 500;
const WRITERS_ASKED_EVERY_MS = 10;

interface Signing {
  readonly signer: CheckpointSigner;
  /** The public halves of its own key and of the previous one. */
  readonly follows: readonly (string | undefined)[];
}

/**
 * Appends every claim to the log once, soon after its commit, and signs the tree.
 *
 * A claim takes its id before its commit, so ids alone do not show what is new. The leader notes the highest
 * id that was taken, waits for all transactions that were writing claims by then, and reads what is committed
 * beyond `claims_to`, less what is logged. After that no claim up to the noted id can appear any more: the
 * next `claims_to`. If one of them does not end, `claims_to` stays, and the others are logged all the same.
 *
 * All of it is one transaction, on one connection, and nothing is remembered between two of them. A crash or
 * a failover therefore ends it as if it had not begun; a claim that a failover has lost was in no tree that
 * Postgres still has. A lock keeps a second leader out, and the unique constraints of the log would refuse
 * what it does.
 */
@Injectable()
export class ClaimLogLeader {
  private readonly appended;
  private readonly behind;
  private readonly isForeign;
  private signing?: Promise<Signing>;
  /** No claim was new when the tree had this size and this id was the last one taken. */
  private quietAt = '';

  constructor(
    private readonly log: ClaimLogRepository,
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    metrics: Metrics,
  ) {
    this.appended = metrics.counter({
      name: 'hongbao_claim_log_leaves_total',
      help: 'Claims that this process has appended to the log of claims',
    });
    this.behind = metrics.gauge({
      name: 'hongbao_claim_log_behind_seconds',
      help: 'Age of the oldest claim that no checkpoint has; rises after the log of claims has stopped',
    });
    this.isForeign = metrics.gauge({
      name: 'hongbao_claim_log_key_foreign',
      help: '1 if the log of claims was signed last by a key that this process does not have',
    });
  }

  @Repeats('ClaimLogLeader', APPEND_EVERY_MS, { logs: 'changes' })
  async appendAll(stopping: AbortSignal): Promise<void> {
    const seed = this.config.CLAIM_LOG_KEY;
    if (seed === undefined) return;
    this.signing ??= this.signingBy(seed);
    const signing = await this.signing;
    while (!stopping.aborted) {
      const count = await this.appendSome(signing);
      this.appended.inc(count);
      if (count < CLAIMS_AT_ONCE) return;
    }
  }

  /** A worker without the key also sees whether others keep the log. */
  @Repeats('ClaimLogWatch', WATCH_EVERY_MS)
  async watch(): Promise<void> {
    try {
      this.behind.set(await this.log.behindSeconds());
    } catch (error) {
      if (!isHeldUp(error)) throw error;
    }
  }

  /** Someone may keep an old partition locked. New claims are elsewhere, so they do not wait for it. */
  private async appendSome(signing: Signing): Promise<number> {
    try {
      return await this.dataSource.transaction((tx) => this.append(tx, signing, true));
    } catch (error) {
      if (!isHeldUp(error)) throw error;
      return this.dataSource.transaction((tx) => this.append(tx, signing, false));
    }
  }

  private async signingBy(seed: string): Promise<Signing> {
    const origin = `hongbao/${await installationId(this.dataSource)}`;
    const signerOf = (key: string, previous?: CheckpointSigner) =>
      new CheckpointSigner(origin, Buffer.from(key, 'base64'), previous);
    const { CLAIM_LOG_KEY_PREVIOUS: former } = this.config;
    // A key that was lost is named by its public half, and signs nothing more.
    const isLost = former === undefined || isVerifierKey(former);
    const previous = isLost ? undefined : signerOf(former);
    const signer = signerOf(seed, previous);
    return { signer, follows: [signer.verifierKey, isLost ? former : previous?.verifierKey] };
  }

  /**
   * A worker with a foreign key would take turns signing with the right one, and monitors would raise alarms.
   * @throws Error when neither this key nor the previous one has signed the last checkpoint
   */
  private refuseForeign({ signer, follows }: Signing, head: SignedTree | undefined): void {
    const isForeign = head !== undefined && !follows.includes(head.verifierKey);
    this.isForeign.set(isForeign ? 1 : 0);
    if (isForeign)
      throw new Error(
        `CLAIM_LOG_KEY is ${signer.verifierKey}, and the last checkpoint was signed by ${head.verifierKey}. ` +
          'Set the key of this installation, or the former one as CLAIM_LOG_KEY_PREVIOUS.',
      );
  }

  /**
   * Returns how many claims it has appended.
   * @param isWhole false: claims of activities older than the open ones are left for later
   */
  private async append(tx: EntityManager, signing: Signing, isWhole: boolean): Promise<number> {
    if (!(await this.log.lead(tx))) return 0;
    const head = await this.log.head(tx);
    this.refuseForeign(signing, head);
    const lastId = await this.log.lastClaimId(tx);
    const known = head?.claimsTo ?? 0n;
    const state = `${head?.size ?? 0}/${lastId}`;
    if (lastId === known || state === this.quietAt) return 0;
    const isSettled = (await this.outlastWriters(tx)) && isWhole;
    // If a sequence was set back, this follows it back: nothing is logged twice.
    const from = known < lastId ? known : lastId;
    const firstActivity = isWhole ? '0' : await this.log.firstActive(tx);
    const claims = await this.log.newClaims(tx, from, firstActivity, CLAIMS_AT_ONCE);
    if (claims.length === 0) {
      if (isSettled) this.quietAt = state;
      return 0;
    }
    const isAll = claims.length < CLAIMS_AT_ONCE;
    const readTo = isAll ? lastId : smaller(lastId, BigInt(claims.at(-1)!.id));
    await this.write(tx, signing.signer, head, claims, isSettled ? readTo : from);
    await failpoint('claim-log.before-commit');
    return claims.length;
  }

  /** Waits for transactions that may have taken an id already. Returns false if one is still open. */
  private async outlastWriters(tx: EntityManager): Promise<boolean> {
    const before = await this.log.writers(tx);
    const until = performance.now() + WRITERS_WITHIN_MS;
    for (let left = before; left.length > 0;) {
      if (performance.now() > until) return false;
      await pause(WRITERS_ASKED_EVERY_MS);
      const now = new Set(await this.log.writers(tx));
      left = left.filter((writer) => now.has(writer));
    }
    return true;
  }

  private async write(
    tx: EntityManager,
    signer: CheckpointSigner,
    head: SignedTree | undefined,
    claims: readonly NewClaim[],
    claimsTo: bigint,
  ): Promise<void> {
    const edge = await this.edgeOf(tx, head);
    const firstIndex = edge.size;
    const salts = newSalts(claims.length);
    const userHashes = claims.map(({ userId }, i) => userHash(userId, salts[i]!));
    const nodes = claims.flatMap(({ activityId, packetNo, micros }, i) =>
      edge.append(
        claimLeafHash({ activityId, packetNo, userHash: userHashes[i]!, confirmedAtMicros: BigInt(micros) }),
      ),
    );
    const { size, root } = edge;
    const { verifierKey } = signer;
    await this.log.append(tx, firstIndex, claims, userHashes, salts);
    await this.log.sign(tx, { size, root, note: signer.sign(size, root), verifierKey, claimsTo }, nodes);
  }

  /**
   * @throws Error when the log's own rows do not lead to the root that was signed last. What would then be
   * signed is a different history.
   */
  private async edgeOf(tx: EntityManager, head: SignedTree | undefined): Promise<TreeEdge> {
    if (!head) return new TreeEdge();
    const [stretches] = await this.log.hashes([{ start: 0, end: head.size }], tx);
    const edge = new TreeEdge(head.size, stretches);
    if (!edge.root.equals(head.root))
      throw new Error(`The rows of the log of claims are not what was signed at ${head.size} leaves.`);
    return edge;
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
