/** What this browser keeps for later visits. It may forbid storage in a frame. */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice holds for this visit.
  }
}
