/** Nobody recognises longer ids at a glance, so they are shortened. */
const WHOLE_MAX = 16;
const HEAD = 7;
const TAIL = 4;

/** The page knows people by their ids alone; the ends tell long ones apart. */
export function shortId(id: string): string {
  const characters = Array.from(id);
  if (characters.length <= WHOLE_MAX) return id;
  return `${characters.slice(0, HEAD).join('')}…${characters.slice(-TAIL).join('')}`;
}

export function Person({ id }: { readonly id: string }) {
  const short = shortId(id);
  return short === id ? <bdi>{id}</bdi> : <abbr title={id}>{short}</abbr>;
}
