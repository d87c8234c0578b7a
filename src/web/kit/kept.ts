type Keeper = 'localStorage' | 'sessionStorage';

/** Returns a text of former visits, or of this tab alone. A browser may forbid storage in a frame. */
export function kept(name: string, keeper: Keeper = 'localStorage'): string | undefined {
  try {
    return globalThis[keeper].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string | undefined, keeper: Keeper = 'localStorage'): void {
  try {
    if (value === undefined) globalThis[keeper].removeItem(name);
    else globalThis[keeper].setItem(name, value);
  } catch {
    // It holds for this visit.
  }
}
