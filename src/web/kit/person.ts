/** Undefined if the text is not a token. Nothing is verified here; that is up to the API. */
export function claimsOf(token: string): object | undefined {
  try {
    const payload = token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/');
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}

export function userOf(token: string): string | undefined {
  const { sub } = (claimsOf(token) ?? {}) as { sub?: string };
  return sub;
}
