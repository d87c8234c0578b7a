/** Path segments that `fetch` resolves as steps, percent-encoded or not. */
const STEPS = ['', '.', '..'];

/**
 * Fills the values into a path.
 * @throws RangeError for a value that is missing, or would change the path
 */
export function filled(template: string, values: object = {}): string {
  const known = new Map(Object.entries(values));
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    segmentOf(name, known.get(name) as string | undefined),
  );
}

function segmentOf(name: string, value: string | undefined): string {
  if (value === undefined) throw new RangeError(`${name} is missing.`);
  if (STEPS.includes(value)) throw new RangeError(`${name} cannot be "${value}" in a path.`);
  return encodeURIComponent(value);
}

export function queryOf(values: object = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `?${query.toString()}` : '';
}
