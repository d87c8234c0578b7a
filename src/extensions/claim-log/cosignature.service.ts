import { Injectable } from '@nestjs/common';
import { nameOfWitness } from '../../../libs/claim-log';
import { sharedLook } from '../../../libs/shared-look';
import { AppConfig } from '../../platform/config';
import { notCosigned } from './claim-log.error';
import { CosignatureRepository } from './cosignature.repository';

/**
 * Adds the lines of witnesses to checkpoints. A witness that is removed from the setting is no longer shown,
 * whatever it has signed.
 */
@Injectable()
export class CosignatureService {
  private readonly witnesses: readonly string[];
  private readonly lastDue = sharedLook(() => this.cosignatures.due());

  constructor(
    private readonly cosignatures: CosignatureRepository,
    config: AppConfig,
  ) {
    this.witnesses = config.CLAIM_LOG_WITNESSES;
  }

  /** The checkpoint that witnesses sign now; up to a second old. */
  due(): Promise<string | undefined> {
    return this.lastDue();
  }

  /** The note with the lines of all witnesses who have signed it. */
  async on(size: number, note: string): Promise<string> {
    if (this.witnesses.length === 0) return note;
    const lines = await this.cosignatures.linesOf(size, this.witnesses);
    return note + lines.map((line) => `${line}\n`).join('');
  }

  /**
   * The newest checkpoint signed by at least `quorum` witnesses.
   * @param names of the witnesses that count; by default, all do
   * @throws notCosigned
   */
  async newestBy(quorum: number, names?: readonly string[]): Promise<string> {
    const counted = this.witnesses.filter((key) => names?.includes(nameOfWitness(key)) ?? true);
    const newest = counted.length < quorum ? undefined : await this.cosignatures.newestBy(counted, quorum);
    if (newest) return this.on(newest.size, newest.note);
    const known = this.witnesses.map(nameOfWitness).join(', ') || 'none';
    throw notCosigned(
      `No checkpoint of the last hours was signed by ${quorum} of these witnesses. Known here: ${known}.`,
    );
  }
}
