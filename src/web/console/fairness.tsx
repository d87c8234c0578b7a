import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../libs/client';
import { checkProof, type Verdict } from '../kit/fairness';
import { useDeed, usePages } from './asking';
import { Field, Form } from './parts';
import { type Column, Table } from './table';

type Batch = Schema<'FairBatchDto'>;

const short = (hash: string | null) => <span title={hash ?? ''}>{hash?.slice(0, 12) ?? 'none'}</span>;

const COLUMNS: readonly Column<Batch>[] = [
  { name: 'batch', title: 'Batch', value: ({ batch }) => batch, isNumber: true },
  { name: 'packets', title: 'Packets', value: ({ terms }) => terms.count, isNumber: true },
  { name: 'total', title: 'Total', value: ({ terms }) => terms.total, isNumber: true },
  {
    name: 'commit',
    title: 'Commitment',
    value: ({ commit }) => commit ?? '',
    cell: ({ commit }) => short(commit),
  },
  { name: 'root', title: 'Root', value: ({ root }) => root ?? '', cell: ({ root }) => short(root) },
  { name: 'seed', title: 'Seed', value: ({ seed }) => (seed === null ? 'secret until the end' : 'revealed') },
];

const SAYS: Readonly<Record<Exclude<Verdict, 'refused'>, string>> = {
  before: 'Checked: this packet existed before the rain began.',
  added: 'Checked: this packet existed before it could be won.',
};

/** What was committed to, and a check of the proof that a winner shows. */
export function Fairness({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const list = usePages(
    async (cursor, signal) => {
      const path = { id: activityId };
      const page = await api.get('/v1/activities/{id}/fairness', {
        path,
        query: { limit: 50, cursor },
        signal,
      });
      return { items: page.batches, nextCursor: page.nextCursor };
    },
    [api, activityId],
  );
  const [proof, setProof] = useState('');
  const deed = useDeed();
  const check = async () => {
    const verdict = await checkProof(api, JSON.parse(proof) as Schema<'PacketProofDto'>);
    if (verdict === 'refused') throw new Error('This packet is not among those that were published.');
    return SAYS[verdict];
  };
  return (
    <>
      <h2>Fairness</h2>
      <Table
        caption="Fairness"
        columns={COLUMNS}
        list={list}
        keyOf={({ batch }) => batch}
        empty="There are no packets."
      />
      <Form title="Check a winner’s proof" submit="Check" deed={deed} onSubmit={() => void deed.run(check)}>
        <Field
          label="Proof of a packet"
          value={proof}
          onValue={setProof}
          hint="The answer of GET /v1/me/packets/{redPacketId}/proof."
        />
      </Form>
    </>
  );
}
