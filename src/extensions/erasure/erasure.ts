/** A request to forget a person, and its outcome. */
export interface Erasure {
  readonly id: string;
  /** Null when it is done, or withdrawn. */
  readonly userId: string | null;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  /** Replaces the id; null before it begins. */
  readonly pseudonym: string | null;
  readonly doneAt: Date | null;
  readonly withdrawnBy: string | null;
  readonly withdrawnAt: Date | null;
}

/** One that has a pseudonym, and is not done. */
export interface Begun extends Erasure {
  readonly userId: string;
  readonly pseudonym: string;
}

/** One that is done. The digest is hexadecimal; `key` is the name of the key that made it. */
export interface LedgerEntry {
  readonly pseudonym: string;
  readonly digest: string;
  readonly key: string;
  readonly doneAt: string;
}

/** What has to end before a person can be forgotten. */
export interface UnderWay {
  readonly what: string;
  readonly id: string | null;
}
