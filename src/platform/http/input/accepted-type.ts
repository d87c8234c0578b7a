/**
 * Returns the type that the client prefers, by its `Accept` header (RFC 9110): the first if it has no
 * preference, undefined if it accepts none.
 */
export function acceptedType<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = accept.split(',').map(rangeOf);
  const [best] = offered
    .map((type) => ({ type, weight: weightOf(type, ranges) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return best?.type;
}

/** Returns the language that the client prefers, by its `Accept-Language` header; the first if it has none. */
export function acceptedLanguage<Language extends string>(
  accept: string | undefined,
  offered: readonly [Language, ...Language[]],
): Language {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const found = wanted.map(({ range }) => offered.find((language) => language === range.split('-')[0]));
  return found.find((language) => language !== undefined) ?? offered[0];
}

interface Range {
  readonly range: string;
  readonly weight: number;
}

function rangeOf(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
  return { range, weight: Number.isNaN(weight) ? 0 : weight };
}

/** The most specific range decides the weight of a type. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const names = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const found = names.map((name) => ranges.find(({ range }) => range === name));
  return found.find((range) => range !== undefined)?.weight ?? 0;
}
