import type { Deed } from './asking';
import type { Fault } from './fault';

/** An error, shown where it happened. */
export function Complaint({ fault }: { readonly fault?: Pick<Fault, 'sentence'> }) {
  return fault ? (
    <p role="alert" class="complaint">
      {fault.sentence}
    </p>
  ) : null;
}

/** The result of a deed. */
export function Outcome({ deed }: { readonly deed: Deed }) {
  return (
    <>
      <Complaint fault={deed.fault} />
      <p role="status" class="done">
        {deed.done}
      </p>
    </>
  );
}
