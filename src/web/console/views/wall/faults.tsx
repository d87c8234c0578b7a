import { useAnswer } from '../../ui/asking';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';

const POLL_MS = 500;

/** A fault, as `npm run demo -- --watch` lists it. */
interface DemoFault {
  readonly name: string;
  readonly title: string;
  readonly meanwhile?: string;
}

/** Buttons that break the system, in a demo only. They are not part of the API. */
export function Faults({ url }: { readonly url: string }) {
  const faults = useAnswer((options) => ask(url, { signal: options.signal }), [url], { everyMs: POLL_MS });
  const broken = faults.value?.find(({ meanwhile }) => meanwhile !== undefined);
  const breakIt = async (name: string) => {
    if (broken) return;
    await ask(`${url}/${name}`, { method: 'POST' }).catch(() => undefined);
    faults.ask();
  };
  return (
    <section class="faults" aria-label={words.wall.break}>
      <h2>{words.wall.break}</h2>
      <div class="row">
        {faults.value?.map(({ name, title }) => (
          <button
            key={name}
            class="danger"
            aria-disabled={broken !== undefined}
            onClick={() => void breakIt(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <Complaint fault={faults.fault} />
      <p role="status" class="meanwhile">
        {broken?.meanwhile ?? words.wall.whatever}
      </p>
    </section>
  );
}

async function ask(url: string, request: RequestInit): Promise<readonly DemoFault[]> {
  const response = await fetch(url, request);
  return (await response.json()) as readonly DemoFault[];
}
