import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { checkProof } from '../../../kit/fairness';
import { useCurrent, useDeed, usePages } from '../../ui/asking';
import { Facts } from '../../ui/facts';
import { Field, Form } from '../../ui/form';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { grouped } from '../../words/language';
import { isOver } from './live/live';

type Batch = Schema<'FairBatchDto'>;

/** Nobody reads a hash; it is compared. */
const hashCell = (hash: string | null) =>
  hash === null ? words.fairness.noHash : <code title={hash}>{hash}</code>;

/** Seeds are revealed with the end, so a list that was read before it is out of date. */
function seedText(seed: string | null, isEnded: boolean): string {
  if (seed !== null) return words.fairness.revealed;
  return isEnded ? words.fairness.notYet : words.fairness.secret;
}

const columnsOf = (isEnded: boolean): readonly Column<Batch>[] => [
  { name: 'batch', title: words.fairness.batch, value: ({ batch }) => batch, isNumber: true },
  { name: 'packets', title: words.common.packets, value: ({ terms }) => terms.count, isNumber: true },
  { name: 'total', title: words.common.total, value: ({ terms }) => terms.total, isNumber: true },
  {
    name: 'commit',
    title: words.fairness.commitment,
    value: ({ commit }) => commit ?? '',
    cell: ({ commit }) => hashCell(commit),
  },
  {
    name: 'root',
    title: words.fairness.root,
    value: ({ root }) => root ?? '',
    cell: ({ root }) => hashCell(root),
  },
  { name: 'seed', title: words.fairness.seed, value: ({ seed }) => seedText(seed, isEnded) },
];

interface FairnessProps {
  readonly api: ApiClient;
  readonly activity: Schema<'ActivityDto'>;
}

/** What was committed to, and a check of the proof that a winner shows. */
export function Fairness({ api, activity }: FairnessProps) {
  const { id: activityId, packetCount, closedAt } = activity;
  const list = usePages(
    async (cursor, options) => {
      const page = await api.readFairness(activityId, { limit: 50, cursor }, options);
      return { items: page.batches, nextCursor: page.nextCursor };
    },
    [api, activityId],
  );
  useCurrent(list, [packetCount, closedAt]);
  const [proof, setProof] = useState('');
  const deed = useDeed();
  const check = async () => {
    const verdict = await checkProof(api, JSON.parse(proof) as Schema<'PacketProofDto'>);
    if (verdict === 'refused') throw new Error(words.fairness.says.refused);
    return words.fairness.says[verdict];
  };
  const said = words.fairness;
  const hasEnded = isOver(activity);
  return (
    <>
      <section class="panel">
        <h2>{said.title}</h2>
        <p class="about">{said.intro}</p>
        <Facts
          leads
          label={said.title}
          facts={{
            [said.committed]: grouped(String(packetCount)),
            [said.batches]: list.rows && `${list.rows.length}${list.more ? '+' : ''}`,
            [said.seeds]: list.rows?.[0] && seedText(list.rows[0].seed, hasEnded),
          }}
        />
      </section>
      <Table
        caption={words.fairness.title}
        columns={columnsOf(hasEnded)}
        list={list}
        keyOf={({ batch }) => batch}
        empty={words.fairness.none}
      />
      <Form
        title={words.fairness.check}
        submit={words.fairness.submit}
        deed={deed}
        onSubmit={() => void deed.run(check)}
      >
        <Field
          label={words.fairness.proof}
          value={proof}
          onValue={setProof}
          hint={words.fairness.proofHint}
        />
      </Form>
    </>
  );
}
