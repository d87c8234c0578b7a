import { createHmac } from 'node:crypto';
import { renamedInJson } from '../../../libs/people-in-json';

const LABEL = 'hongbao.pseudonym.v1\0';
const PSEUDONYM_BYTES = 16;

/**
 * Replaces the ids of people with pseudonyms before anything is written: only someone with the key can find
 * out whose pseudonym it is. The sponsor, who is responsible for the activity, keeps its name.
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
