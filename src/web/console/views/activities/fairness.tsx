import { useState } from 'preact/hooks';
import type { ApiClient, Schema, SponsorWord } from '../../../../../libs/client';
import { copy } from '../../../kit/copy';
import { drawerOf } from '../../../kit/drawer';
import { useCurrent, useDeed, usePages } from '../../ui/asking';
import { Facts } from '../../ui/facts';
import { Unfulfilled } from '../../ui/fault';
import { Form, LongField } from '../../ui/form';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { grouped } from '../../words/language';
import type { KeptWords } from './creation/kept-words';
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

const columnsOf = (isEnded: boolean, currency: string): readonly Column<Batch>[] => [
  { name: 'batch', title: words.fairness.batch, value: ({ batch }) => batch, isNumber: true },
  { name: 'packets', title: words.common.packets, value: ({ terms }) => terms.count, isNumber: true },
  {
    name: 'total',
    title: words.common.total,
    value: ({ terms }) => Number(terms.total),
    cell: ({ terms }) => `${terms.total} ${currency}`,
    isNumber: true,
    isMoney: true,
  },
  {
    name: 'drawn',
    title: words.fairness.drawn,
    value: ({ terms }) => words.fairness.drawers[drawerOf(terms)],
  },
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
  /** The words that this browser has brought to creations. */
  readonly kept: KeptWords;
}

/** The commitments, and a check of the proof that a winner shows. */
export function Fairness({ api, activity, kept }: FairnessProps) {
  const { id: activityId, packetCount, currency, closedAt } = activity;
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
    const { checkProof } = await import('../../../kit/check-proof').catch(() => {
      throw new Unfulfilled(() => words.fairness.missing);
    });
    const { verdict, drawer } = await checkProof(api, JSON.parse(proof) as Schema<'PacketProofDto'>);
    if (drawer === undefined) throw new Error(words.fairness.says[verdict]);
    return words.fairness.checked(words.fairness.says[verdict], words.fairness.drawers[drawer]);
  };
  const said = words.fairness;
  const hasEnded = isOver(activity);
  const [first, ...others] = list.rows ?? [];
  return (
    <>
      <section class="panel fair">
        <p class="about">{said.intro}</p>
        <Facts
          label={said.title}
          facts={{
            [said.committed]: grouped(String(packetCount)),
            [said.seeds]: first && seedText(first.seed, hasEnded),
            [said.drawn]: first && said.drawers[drawerOf(first.terms)],
            ...(first &&
              others.length === 0 && {
                [said.commitment]: hashCell(first.commit),
                [said.root]: hashCell(first.root),
              }),
          }}
        />
        {first && <Word terms={first.terms} brought={kept.find(activityId, first.terms.commitment)} />}
      </section>
      {(list.fault || (list.rows && list.rows.length !== 1)) && (
        <Table
          caption={words.fairness.batches}
          columns={columnsOf(hasEnded, currency)}
          list={list}
          keyOf={({ batch }) => batch}
          empty={words.fairness.none}
        />
      )}
      <Form
        title={words.fairness.check}
        submit={words.fairness.submit}
        deed={deed}
        onSubmit={() => void deed.run(check)}
      >
        <LongField
          label={words.fairness.proof}
          value={proof}
          onValue={setProof}
          hint={words.fairness.proofHint}
        />
      </Form>
    </>
  );
}

interface WordProps {
  readonly terms: Schema<'BatchTermsDto'>;
  /** The word that this browser has brought. */
  readonly brought: SponsorWord | undefined;
}

/** The word of the sponsor in the terms, compared with what this browser has sent. */
function Word({ terms: { commitment, sponsorSeed }, brought }: WordProps) {
  const [isCopied, setCopied] = useState(false);
  const said = words.fairness;
  const isOurs = brought?.commitment === commitment && brought?.sponsorSeed === sponsorSeed;
  return (
    <>
      {sponsorSeed !== undefined && (
        <p class="row">
          {said.word} <code>{sponsorSeed}</code>
          <button onClick={() => void copy(JSON.stringify({ commitment, sponsorSeed })).then(setCopied)}>
            {said.copyWord}
          </button>
          <span role="status" class="done">
            {isCopied && said.wordCopied}
          </span>
        </p>
      )}
      {brought &&
        (isOurs ? <p>{said.wordIsOurs}</p> : <p class="warning">{said.wordIsOther(brought.sponsorSeed)}</p>)}
    </>
  );
}
