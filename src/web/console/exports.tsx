import type { ApiClient } from '../../../libs/client';
import { useDeed } from './asking';
import { Outcome } from './parts';

/** A busy browser opens the address of a file only some time after the click. */
const KEPT_MS = 60_000;

const KINDS = { claims: 'Claims', ledger: 'Ledger', results: 'Results' } as const;

type Kind = keyof typeof KINDS;

/** Downloads whole activities as files for spreadsheets. */
export function Exports({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const deed = useDeed();
  const download = (kind: Kind) =>
    deed.run(async () => {
      const path = `/v1/activities/{id}/export/${kind}` as const;
      const bytes = await api.stream(path, { path: { id: activityId }, accept: 'text/csv' });
      save(await new Response(bytes).blob(), `activity-${activityId}-${kind}.csv`);
      return `${KINDS[kind]} are downloaded.`;
    });
  return (
    <section aria-label="Exports">
      <h2>Exports</h2>
      <div class="row">
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <button key={kind} aria-disabled={deed.isBusy} onClick={() => void download(kind)}>
            {KINDS[kind]} as CSV
          </button>
        ))}
      </div>
      <Outcome deed={deed} />
    </section>
  );
}

/** Saves a file that the page has downloaded whole: a link cannot send a token. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
