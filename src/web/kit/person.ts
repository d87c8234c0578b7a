/** Undefined when the text is no token. Nothing is verified here: that is the API's part. */
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
