import { Injectable } from '@nestjs/common';
import { CLOCKS_WITHIN_SECONDS, nameOfWitness, readCosignature, textOfNote } from '../../../libs/claim-log';
import { sharedLook } from '../../../libs/shared-look';
import { AppConfig } from '../../platform/config';
import {
  checkpointOld,
  cosignatureInvalid,
  noSuchCheckpoint,
  notCosigned,
  unknownWitness,
} from './claim-log.error';
import { CosignatureRepository, type Handed } from './cosignature.repository';
import type { CosignatureBody, CosignatureDto } from './cosignature.dto';

/**
 * Takes cosignatures of witnesses, and adds their lines to checkpoints. A witness that is taken out of the setting is
 * not shown any more, whatever it has signed.
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
   * @param names of those who count; unless given, all do
   * @throws notCosigned
   */
  async newestBy(quorum: number, names?: readonly string[]): Promise<string> {
    const counted = this.witnesses.filter((key) => names?.includes(nameOfWitness(key)) ?? true);
    const newest = counted.length < quorum ? undefined : await this.cosignatures.newestBy(counted, quorum);
    if (newest) return this.on(newest.size, newest.note);
    const known = this.witnesses.map(nameOfWitness).join(', ') || 'none';
    throw notCosigned(
      `${quorum} of these witnesses have signed no checkpoint of the last hours together. Known here: ${known}.`,
    );
  }

  /**
   * Before Postgres is asked, the witness has to be known.
   * @throws unknownWitness, noSuchCheckpoint, cosignatureInvalid, checkpointOld
   */
  async add({ size, cosignature }: CosignatureBody): Promise<CosignatureDto> {
    const witness = this.witnessOf(cosignature);
    const handed = await this.cosignatures.handed(size, witness);
    if (!handed) throw noSuchCheckpoint(`This log has signed no checkpoint of ${size} leaves.`);
    const text = textOfNote(handed.note);
    const read = readCosignature(cosignature, text, witness);
    if (!read)
      throw cosignatureInvalid(
        `cosignature is not what ${nameOfWitness(witness)} signs of the checkpoint of ${size} leaves.`,
      );
    refuseClock(read.at, handed.nowSeconds);
    refuseOld(size, handed);
    const kept = await this.cosignatures.keep(size, witness, cosignature);
    const { at } = readCosignature(kept, text, witness)!;
    return { witness: nameOfWitness(witness), size, cosignedAt: new Date(at * 1000).toISOString() };
  }

  /** By name and key id, which the line begins with. */
  private witnessOf(line: string): string {
    const [dash, name, encoded = ''] = line.split(' ');
    const id = Buffer.from(encoded, 'base64').toString('hex', 0, 4);
    const witness = this.witnesses.find((key) => key.startsWith(`${name}+${id}+`));
    if (dash !== '—' || name === undefined || encoded === '')
      throw cosignatureInvalid('cosignature must be a line of a signed note: "— NAME SIGNATURE".');
    if (witness === undefined)
      throw unknownWitness(`No key of CLAIM_LOG_WITNESSES has the name ${name} and the hash ${id}.`);
    return witness;
  }
}

function refuseClock(at: number, now: number): void {
  if (Math.abs(at - now) > CLOCKS_WITHIN_SECONDS)
    throw cosignatureInvalid(
      `cosignature is of ${at} (seconds since 1970), and it is ${Math.floor(now)} here: one of the clocks is wrong.`,
    );
}

function refuseOld(size: number, { lastSize, isOld }: Handed): void {
  if (lastSize !== null && size < lastSize)
    throw checkpointOld(`This witness has signed ${lastSize} leaves already.`);
  if (isOld && size !== lastSize)
    throw checkpointOld(`The checkpoint of ${size} leaves was followed by others long ago.`);
}
