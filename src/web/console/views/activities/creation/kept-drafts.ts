import type { SponsorWord } from '../../../../../../libs/client';
import { keep, kept } from '../../../../kit/kept';
import { type Draft, emptyDraft } from './creation-draft';

/** A form of a new activity that someone has begun to fill in. */
export interface KeptDraft {
  readonly id: string;
  readonly changedAtMs: number;
  readonly draft: Draft;
  /** The key of a request whose answer is not known: sent again, it creates nothing twice. */
  readonly key?: string;
  /** The word that this request has brought; null if the server alone draws. */
  readonly word?: SponsorWord | null;
}

const KEPT_MAX = 20;
/** In characters. A browser gives an origin about five million. */
const SIZE_MAX = 40_000;

/** Other tabs hear of a change from the browser, and this one from this. */
const CHANGED = 'console.drafts-changed';

/** The input of a person in forms, kept by this browser for this person and this API alone. */
export class KeptDrafts {
  private readonly name: string;

  constructor(api: string, person: string) {
    this.name = `hongbao.drafts ${api} ${person}`;
  }

  /** The most recently changed draft comes first. */
  list(): readonly KeptDraft[] {
    return listOf(kept(this.name)).sort((a, b) => b.changedAtMs - a.changedAtMs);
  }

  find(id: string | undefined): KeptDraft | undefined {
    return this.list().find((one) => one.id === id);
  }

  /** Drops the oldest ones if there are too many, and does not keep one that is too large. */
  save(id: string, draft: Draft, key = this.find(id)?.key): void {
    const one = { id, changedAtMs: Date.now(), draft, key, word: this.find(id)?.word };
    if (JSON.stringify(one).length > SIZE_MAX) return;
    this.write([one, ...this.list().filter((other) => other.id !== id)].slice(0, KEPT_MAX));
  }

  keepWord(id: string, word: SponsorWord | null): void {
    this.write(this.list().map((one) => (one.id === id ? { ...one, word } : one)));
  }

  forgetRequest(id: string): void {
    this.write(this.list().map((one) => (one.id === id ? { ...one, key: undefined, word: undefined } : one)));
  }

  remove(id: string): void {
    this.write(this.list().filter((one) => one.id !== id));
  }

  /** Returns a function that ends it. */
  onChange(hear: () => void): () => void {
    const hearOther = ({ key }: StorageEvent) => {
      if (key === this.name || key === null) hear();
    };
    addEventListener('storage', hearOther);
    addEventListener(CHANGED, hear);
    return () => {
      removeEventListener('storage', hearOther);
      removeEventListener(CHANGED, hear);
    };
  }

  private write(drafts: readonly KeptDraft[]): void {
    keep(this.name, drafts.length > 0 ? JSON.stringify(drafts) : undefined);
    dispatchEvent(new Event(CHANGED));
  }
}

/** Leaves out what is not a draft: another version of this page may have written it. */
function listOf(text: string | undefined): KeptDraft[] {
  const given = parsed(text);
  return (Array.isArray(given) ? given : []).flatMap((one: Partial<KeptDraft> | null) =>
    typeof one?.id === 'string' && typeof one.changedAtMs === 'number'
      ? [
          {
            id: one.id,
            changedAtMs: one.changedAtMs,
            draft: fitted(emptyDraft(), one.draft),
            key: typeof one.key === 'string' ? one.key : undefined,
            word: wordOf(one.word),
          },
        ]
      : [],
  );
}

function wordOf(given: Partial<SponsorWord> | null | undefined): SponsorWord | null | undefined {
  const isWord = typeof given?.commitment === 'string' && typeof given.sponsorSeed === 'string';
  return isWord ? (given as SponsorWord) : given === null ? null : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object with the fields of the other, from a value that may have any. */
function fitted<T>(like: T, given: unknown): T {
  if (Array.isArray(like)) return (Array.isArray(given) ? given.map(waveOf) : like) as T;
  if (typeof like !== 'object' || like === null) return typeof given === typeof like ? (given as T) : like;
  const fields = (given ?? {}) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(like).map(([name, value]) => [name, fitted<unknown>(value, fields[name])]);
  return Object.fromEntries(entries) as T;
}

/** The only lists of a draft are waves. */
const waveOf = (given: unknown): unknown => fitted({ at: '', count: '' }, given);
