const BODY_DEPTH_MAX = 16;

/** The largest sensible request, a split into 100 tiers, has 312. */
const BODY_VALUES_MAX = 600;

const QUERY_PARAMS_MAX = 50;

/**
 * Returns which bound a body exceeds. A bound on bytes is not enough: 16 KiB hold thousands of values, and
 * validation writes a fault for each before it checks the length of their list.
 */
export function excessOfBody(body: unknown): string | undefined {
  let values = 0;
  const excessOf = (value: unknown, levels: number): string | undefined => {
    values += 1;
    if (values > BODY_VALUES_MAX) return `The body has more than ${BODY_VALUES_MAX} values.`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (levels === 0) return `The body is nested deeper than ${BODY_DEPTH_MAX} levels.`;
    for (const part of Object.values(value)) {
      const excess = excessOf(part, levels - 1);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return excessOf(body, BODY_DEPTH_MAX);
}

/** Returns which bound a query exceeds. A repeated parameter counts each time. */
export function excessOfQuery(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const count = url.slice(start).split('&', QUERY_PARAMS_MAX + 1).length;
  return count > QUERY_PARAMS_MAX ? `The query has more than ${QUERY_PARAMS_MAX} parameters.` : undefined;
}
