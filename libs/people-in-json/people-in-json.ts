/** The fields of bodies, answers and lines of files that name people. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    'userId',
    'userIds',
    'sponsorId',
    'ownerId',
    'actorId',
    'askedBy',
    'approvedBy',
    'decidedBy',
    'requestedBy',
    'endedBy',
  ],
  ...[
    'handedInBy',
    'reportedBy',
    'writtenBy',
    'owner',
    'via',
    'user',
    'actor',
    'sponsor',
    'principal',
    'thankedBy',
    'withdrawnBy',
  ],
]);

/** The fields whose value is a noun and an id. */
const SUBJECTS: ReadonlySet<string> = new Set(['subject', 'from', 'to']);

/** The nouns of subjects that are people, such as `wallet:ann`. */
const NOUNS = ['user', 'wallet', 'sponsor'] as const;

const SUBJECT = /^([a-z-]+):(.+)$/s;

/** Returns the replacement for an id; undefined if the id stays. */
export type Pseudonyms = (id: string) => string | undefined;

/** Returns a subject with the pseudonym if it is a person who has one. */
export function renamedSubject(text: string, pseudonymOf: Pseudonyms): string {
  const [, noun, id] = SUBJECT.exec(text) ?? [];
  const pseudonym = (NOUNS as readonly unknown[]).includes(noun) ? pseudonymOf(id!) : undefined;
  return pseudonym === undefined ? text : `${noun}:${pseudonym}`;
}

/** Returns the value with pseudonyms in the fields that name people; the same object if there are none. */
export function renamedInJson<T>(value: T, pseudonymOf: Pseudonyms): T {
  return renamed(value, undefined, pseudonymOf) as T;
}

function renamed(value: unknown, field: string | undefined, pseudonymOf: Pseudonyms): unknown {
  if (typeof value === 'string') return renamedText(value, field, pseudonymOf);
  if (Array.isArray(value)) {
    const items = value.map((item) => renamed(item, field, pseudonymOf));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, item]) => [name, renamed(item, name, pseudonymOf)] as const,
  );
  return entries.some(([name, item]) => item !== (value as Record<string, unknown>)[name])
    ? Object.fromEntries(entries)
    : value;
}

function renamedText(text: string, field: string | undefined, pseudonymOf: Pseudonyms): string {
  if (field !== undefined && SUBJECTS.has(field)) return renamedSubject(text, pseudonymOf);
  if (field !== undefined && FIELDS.has(field)) return pseudonymOf(text) ?? text;
  return text.startsWith('{') ? renamedInText(text, pseudonymOf) : text;
}

/** Answers about approvals have terms that are JSON within a text. */
function renamedInText(text: string, pseudonymOf: Pseudonyms): string {
  const value = parsed(text);
  const after = renamedInJson(value, pseudonymOf);
  return after === value ? text : JSON.stringify(after);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const subjectsOf = (id: string): string[] => NOUNS.map((noun) => `${noun}:${id}`);
