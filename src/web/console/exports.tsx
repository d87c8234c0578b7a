import type { ApiClient } from '../../../libs/client';
import { useDeed } from './asking';
import { Outcome } from './parts';
import { words } from './words';

/** A busy browser opens the address of a file only some time after the click. */
const KEPT_MS = 60_000;

const KINDS = ['claims', 'ledger', 'results'] as const;

type Kind = (typeof KINDS)[number];

/** Downloads whole activities as files for spreadsheets. */
export function Exports({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const deed = useDeed();
  const download = (kind: Kind) =>
    deed.run(async () => {
      const path = `/v1/activities/{id}/export/${kind}` as const;
      const bytes = await api.stream(path, { path: { id: activityId }, accept: 'text/csv' });
      save(await new Response(bytes).blob(), `activity-${activityId}-${kind}.csv`);
      return words.exports.done(words.exports.kinds[kind]);
    });
  return (
    <section aria-label={words.exports.title}>
      <h2>{words.exports.title}</h2>
      <div class="row">
        {KINDS.map((kind) => (
          <button key={kind} aria-disabled={deed.isBusy} onClick={() => void download(kind)}>
            {words.exports.asCsv(words.exports.kinds[kind])}
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
