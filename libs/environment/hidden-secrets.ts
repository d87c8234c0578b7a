const HIDDEN = '[hidden]';

/** Settings that are secrets as a whole. Libraries read the last ones themselves. */
const WHOLE =
  /^((MIGRATION_)?DATABASE_PASSWORD|REDIS_(SENTINEL_)?PASSWORD|JWT_SECRET(_PREVIOUS)?|CLAIM_LOG_KEY(_PREVIOUS)?|PGPASSWORD)$/;
const HEADERS = /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/;

/** Parameters of a URL that connections are opened with. */
const PARAMETERS = /[?&](?:password|pass|secret|token|api[-_]?key)=([^&#\s]+)/gi;

/** A shorter text is part of too many words. */
const LENGTH_MIN = 3;

/** A text of this length is unlikely to be part of another word by chance. */
const LONG = 8;

let pattern: RegExp | undefined;
const hidden = new Set<string>();

/**
 * Hides the secrets of these settings in everything that the process writes from now on. Libraries attach
 * their arguments to errors, as ioredis does with a refused password, and the code that prints such an error
 * cannot know. We cannot change what a library prints, so secrets are removed where the bytes leave.
 */
export function hideSecrets(env: NodeJS.ProcessEnv): void {
  for (const secret of Object.entries(env).flatMap(secretsOf)) hidden.add(secret);
  if (hidden.size === 0) return;
  if (!pattern) {
    [process.stdout, process.stderr].forEach(hideIn);
    process.on('uncaughtException', exitWith);
  }
  const longestFirst = [...hidden].sort((one, other) => other.length - one.length);
  pattern = new RegExp(longestFirst.map(toPattern).join('|'), 'g');
}

/** Returns the text without the secrets. */
export const withoutSecrets = (text: string): string => (pattern ? text.replaceAll(pattern, HIDDEN) : text);

function hideIn(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  const hiding = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? withoutSecrets(chunk) : chunk, ...rest);
  stream.write = hiding;
}

/** Node itself would write the error past the streams. */
function exitWith(error: unknown): void {
  console.error(error);
  process.exit(1);
}

function secretsOf([name, value = '']: [string, string | undefined]): string[] {
  const inUrl = /^[a-z][a-z+.-]*:\/\//i.test(value) ? ofUrl(value) : [];
  const whole = WHOLE.test(name) ? [value.trim()] : [];
  const inHeaders = HEADERS.test(name)
    ? value.split(',').map((header) => header.replace(/^.*?=\s*/s, ''))
    : [];
  const secrets = [...inUrl, ...whole, ...inHeaders].flatMap(spellings);
  return secrets.filter(({ length }) => length >= LENGTH_MIN);
}

/**
 * Returns every text that may be meant as the password: an unescaped password may contain `@`, `/` and `#`. A
 * text that also occurs in the rest of the URL, such as the user name, is not a secret.
 */
function ofUrl(url: string): string[] {
  const [, scheme = '', rest = ''] = /^([^:]+):\/\/(.*)$/s.exec(url) ?? [];
  const [, user = '', after = ''] = /^([^:@]*):(.*)$/s.exec(rest.includes('@') ? rest : '') ?? [];
  const ends = [...after.matchAll(/@/g)].map(({ index }) => index);
  const parameters = [...url.matchAll(PARAMETERS)].map(([, value]) => value!);
  return [...ends.map((end) => after.slice(0, end)), ...parameters].filter(
    (text) => !said(scheme, user, after.slice(ends.at(-1) ?? after.length)).includes(text),
  );
}

const said = (...parts: string[]): string[] => parts.flatMap((part) => part.split(/[^\w.-]+/));

/** The secret as given, as a URL writes it, and as JSON or `util.inspect` does. */
function spellings(secret: string): string[] {
  const decoded = attempt(() => decodeURIComponent(secret)) ?? secret;
  const basic = (text: string) => Buffer.from(text).toString('base64');
  return [secret, decoded, encodeURIComponent(decoded), JSON.stringify(decoded).slice(1, -1), basic(decoded)];
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function toPattern(secret: string): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return secret.length < LONG ? `(?<![\\w])${literal}(?![\\w])` : literal;
}
