import type { IconNode } from 'lucide';
import { h } from 'preact';

/** A drawing of Lucide. Its meaning is next to it in words, or in the name of its control. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([shape, attributes]) => h(shape, { key: JSON.stringify(attributes), ...attributes }))}
    </svg>
  );
}
