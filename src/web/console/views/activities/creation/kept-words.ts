import type { SponsorWord } from '../../../../../../libs/client';
import { keep, kept } from '../../../../kit/kept';

interface KeptWord extends SponsorWord {
  /** Absent as long as the creation waits for a second person. */
  readonly activityId?: string;
}

const KEPT_MAX = 100;

/** The words that this browser has brought for this person, to be compared with published terms. */
export class KeptWords {
  private readonly name: string;

  constructor(api: string, person: string) {
    this.name = `hongbao.words ${api} ${person}`;
  }

  keep(word: SponsorWord, activityId?: string): void {
    keep(this.name, JSON.stringify([{ ...word, activityId }, ...this.list()].slice(0, KEPT_MAX)));
  }

  /** The word that was brought to an activity, whatever its terms name. */
  find(activityId: string, commitment: string | undefined): SponsorWord | undefined {
    return this.list().find((one) => one.activityId === activityId || one.commitment === commitment);
  }

  private list(): KeptWord[] {
    try {
      const list: unknown = JSON.parse(kept(this.name) ?? '[]');
      return Array.isArray(list) ? (list as (KeptWord | null)[]).filter((one) => one !== null) : [];
    } catch {
      return [];
    }
  }
}
