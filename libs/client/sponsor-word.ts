import { type ApiClient, randomHex } from './api-client';
import { ApiProblem } from './api-problem';
import type { Options, Schema } from './operations';

type Creation = Schema<'CreateActivityBody'>;

/** A sponsor's part in the draw. Anyone who keeps both values can compare them with the published terms. */
export interface SponsorWord {
  readonly commitment: string;
  readonly sponsorSeed: string;
}

export interface WordOptions extends Options<'actFor' | 'key'> {
  /** The word of an earlier request with this key, whose answer was lost; null if that brought none. */
  readonly word?: SponsorWord | null;
  /** Called with the word before it is sent, or with null if the server draws alone. */
  readonly onWord?: (word: SponsorWord | null) => void;
  /** Throws the refusal of a server that gives no commitment, instead of leaving the draw to it. */
  readonly isDemanded?: boolean;
}

const SEED_BYTES = 32;

/**
 * Creates an activity that is drawn with a word of its sponsor: asks for a commitment, and only then draws
 * the sponsor's seed. A server that gives no commitment draws alone. To repeat a request whose answer was
 * lost, bring its `key` and its `word`; a word that has expired meanwhile is replaced.
 * @returns also whether the published terms contain the word; undefined if there was none, or it is not known yet
 */
export async function createWithWord(api: ApiClient, body: Creation, options: WordOptions = {}) {
  const { word: earlier, onWord, isDemanded = false, key, ...others } = options;
  const word = earlier === undefined ? await newWord(api, isDemanded, others) : earlier;
  onWord?.(word);
  try {
    const answer = await api.createActivity({ ...body, ...word }, { ...others, key });
    const isCreated = answer.status === 201;
    return {
      ...answer,
      word,
      isWordInTerms: isCreated && word ? await hasWord(api, answer.body.id, word, others) : undefined,
    };
  } catch (error) {
    if (!earlier || !isExpired(error)) throw error;
    return createWithWord(api, body, { ...options, word: undefined });
  }
}

/**
 * A server that ignores the word it was given breaks its promise, and the person who brought the word must be
 * notified.
 */
async function hasWord(
  api: ApiClient,
  id: string,
  { commitment, sponsorSeed }: SponsorWord,
  options: Options<'actFor'>,
): Promise<boolean | undefined> {
  try {
    const [first] = (await api.readFairness(id, { limit: 1 }, options)).batches;
    return first?.terms.commitment === commitment && first.terms.sponsorSeed === sponsorSeed;
  } catch {
    return undefined;
  }
}

async function newWord(
  api: ApiClient,
  isDemanded: boolean,
  options: Options<'actFor'>,
): Promise<SponsorWord | null> {
  try {
    const { commitment } = await api.createCommitment(options);
    return { commitment, sponsorSeed: randomHex(SEED_BYTES) };
  } catch (error) {
    if (isDemanded || !(error instanceof ApiProblem && error.isFinal)) throw error;
    return null;
  }
}

/** A commitment that has expired is swept. One that was used is not replaced: there is an activity then. */
const isExpired = (error: unknown): boolean =>
  error instanceof ApiProblem && ['commitment.expired', 'commitment.not_found'].includes(error.code);
