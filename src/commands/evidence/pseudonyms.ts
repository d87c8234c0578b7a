import { createHmac } from 'node:crypto';
import { renamedInJson } from '../../../libs/people-in-json';

const LABEL = 'hongbao.pseudonym.v1\0';
const PSEUDONYM_BYTES = 16;

/**
 * Stands between the ids of people and what is written: only who has the key can tell whose pseudonym one is.
 * The sponsor, who answers for the activity, keeps its name.
 */
export class Pseudonyms {
  constructor(
    private readonly key: Buffer,
    private readonly sponsorId: string,
  ) {}

  in<T>(value: T): T {
    return renamedInJson(value, (id) => this.of(id));
  }

  private of(id: string): string | undefined {
    if (id === this.sponsorId) return undefined;
    const digest = createHmac('sha256', this.key).update(LABEL).update(id).digest();
    return digest.subarray(0, PSEUDONYM_BYTES).toString('hex');
  }
}
