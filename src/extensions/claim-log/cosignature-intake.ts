import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  CLOCKS_WITHIN_SECONDS,
  isSignerOf,
  nameOfWitness,
  readCosignature,
  signerOf,
  textOfNote,
  WITNESSES_MAX,
} from '../../../libs/claim-log';
import { sharedLook } from '../../../libs/shared-look';
import { AppConfig } from '../../platform/config';
import { busy, RateLimit, rateLimited } from '../../platform/http';
import { checkpointOld, cosignatureInvalid, noSuchCheckpoint, unknownWitness } from './claim-log.error';
import type { CosignatureBody, CosignatureDto } from './cosignature.dto';
import {
  CosignatureRepository,
  type KeptLine,
  RENEWED_AFTER_SECONDS,
  type Signable,
} from './cosignature.repository';

/** New lines of one witness, which signs twice a minute. */
const PER_SECOND = 5;

const LOOK_EVERY_MS = 500;
/** A query that begins after this is not the previous one. */
const NEXT_LOOK_MS = 600;
/** Lines for checkpoints that the last query did not see, which wait for the next query. */
const WAITING_MAX = 100;

/** Room for the lines of all witnesses for all checkpoints that may be signed. */
const KEPT_MAX = 30_000;
/** After Postgres was restored, a line that is remembered may be missing there. */
const KEPT_MS = 60_000;

/**
 * Takes cosignatures of witnesses. Names and hashes of their keys are public, and so are the lines that they have
 * handed in, so anybody can send these. Postgres is asked only by a query that all share, and about lines that a
 * witness has signed and that are not kept yet; everything else is answered from memory.
 */
@Injectable()
export class CosignatureIntake {
  private readonly witnesses: readonly string[];
  private readonly limit = new RateLimit(PER_SECOND);
  private readonly signable = sharedLook(() => this.cosignatures.signable(this.witnesses), LOOK_EVERY_MS);
  private readonly kept = new LRUCache<string, Promise<KeptLine>>({ max: KEPT_MAX, ttl: KEPT_MS });
  /** The largest tree that a witness has signed here since the last query. */
  private readonly largest = new LRUCache<string, number>({ max: WITNESSES_MAX, ttl: 2 * LOOK_EVERY_MS });
  private waiting = 0;

  constructor(
    private readonly cosignatures: CosignatureRepository,
    config: AppConfig,
  ) {
    this.witnesses = config.CLAIM_LOG_WITNESSES;
  }

  /** @throws unknownWitness, noSuchCheckpoint, cosignatureInvalid, checkpointOld, rateLimited, busy */
  async add({ size, cosignature: line }: CosignatureBody): Promise<CosignatureDto> {
    const witness = this.witnessOf(line);
    const { notes, last, nowSeconds } = await this.signableWith(size);
    const lastLine = last.get(witness);
    if (lastLine?.line === line && lastLine.size === size) return shown(witness, lastLine);
    const note = notes.get(size);
    if (note === undefined) throw refusalOf(size, notes);
    const read = readCosignature(line, textOfNote(note), witness);
    if (!read)
      throw cosignatureInvalid(
        `cosignature is not a signature by ${nameOfWitness(witness)} of the checkpoint of ${size} leaves.`,
      );
    refuseClock(read.at, nowSeconds);
    const largest = Math.max(lastLine?.size ?? 0, this.largest.get(witness) ?? 0);
    if (size < largest) throw checkpointOld(`This witness has signed ${largest} leaves already.`);
    const kept = await this.keep(witness, { size, line, at: read.at }, lastLine);
    this.largest.set(witness, Math.max(size, this.largest.get(witness) ?? 0));
    return shown(witness, kept);
  }

  /** Asks Postgres about one line of a witness and checkpoint at a time. */
  private async keep(witness: string, line: KeptLine, last: KeptLine | undefined): Promise<KeptLine> {
    const key = `${witness}/${line.size}`;
    const known = (await this.kept.get(key)) ?? (last?.size === line.size ? last : undefined);
    if (known && line.at < known.at + RENEWED_AFTER_SECONDS) return known;
    if (this.limit.take(witness) < 0)
      throw rateLimited(`More than ${PER_SECOND} new cosignatures of ${nameOfWitness(witness)} a second.`, {
        retryAfterSeconds: 1,
      });
    const keeping = this.cosignatures.keep(witness, line);
    this.kept.set(key, keeping);
    keeping.catch(() => this.kept.delete(key));
    return keeping;
  }

  /** Another process may have shown a larger tree than the last query has seen. */
  private async signableWith(size: number): Promise<Signable> {
    const known = await this.signable();
    if (known.notes.has(size) || size < largestOf(known.notes)) return known;
    if (this.waiting >= WAITING_MAX)
      throw busy('Too many cosignatures are of checkpoints that this process does not know yet; try again.', {
        retryAfterSeconds: 1,
      });
    this.waiting += 1;
    try {
      await pause(NEXT_LOOK_MS);
    } finally {
      this.waiting -= 1;
    }
    return this.signable();
  }

  private witnessOf(line: string): string {
    const signer = signerOf(line);
    if (!signer) throw cosignatureInvalid('cosignature must be a line of a signed note: "— NAME SIGNATURE".');
    const witness = this.witnesses.find((key) => isSignerOf(signer, key));
    if (witness === undefined)
      throw unknownWitness(
        `No key of CLAIM_LOG_WITNESSES has the name ${signer.name} and the hash ${signer.id}.`,
      );
    return witness;
  }
}

/** The newest comes first. */
const largestOf = (notes: Signable['notes']): number => notes.keys().next().value ?? 0;

function refusalOf(size: number, notes: Signable['notes']): Error {
  const smallest = Math.min(...notes.keys());
  return size < smallest
    ? checkpointOld(`If there was a checkpoint of ${size} leaves, others followed it long ago.`)
    : noSuchCheckpoint(`This log has signed no checkpoint of ${size} leaves.`);
}

function refuseClock(at: number, now: number): void {
  if (Math.abs(at - now) > CLOCKS_WITHIN_SECONDS)
    throw cosignatureInvalid(
      `cosignature is of ${at} (seconds since 1970), and it is ${Math.floor(now)} here: one of the clocks is wrong.`,
    );
}

const shown = (witness: string, { size, at }: KeptLine): CosignatureDto => ({
  witness: nameOfWitness(witness),
  size,
  cosignedAt: new Date(at * 1000).toISOString(),
});
