type Keeper = 'localStorage' | 'sessionStorage';

/** Returns a text stored by earlier visits, or only by this tab. A browser may forbid storage in a frame. */
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
    // The value is kept for this visit only.
  }
}
