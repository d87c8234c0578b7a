const ENVELOPES = Array.from({ length: 14 }, (_, i) => i);

/**
 * Falling envelopes. The browser moves them by itself (rain.css), so a weak phone has nothing to compute.
 * They are only for sight and touch; the button below does the same for all users.
 */
export function Sky({ onTap }: { readonly onTap: () => void }) {
  return (
    <div class="sky" aria-hidden="true">
      {ENVELOPES.map((i) => (
        <div key={i} class="envelope" onPointerDown={onTap} />
      ))}
    </div>
  );
}
