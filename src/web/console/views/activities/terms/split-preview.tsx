import type { ApiClient, Schema } from '../../../../../../libs/client';
import { useAnswer } from '../../../ui/asking';
import { spanText } from '../../../ui/facts';
import { Complaint } from '../../../ui/outcome';
import { words } from '../../../words';
import { amountText } from '../../../words/language';
import type { Split } from './split-fields';

type Preview = Schema<'SplitPreviewDto'>;

interface SplitPreviewProps {
  readonly api: ApiClient;
  readonly totalAmount: string;
  readonly currency?: string;
  readonly packetCount: number;
  readonly split: Split;
  readonly payout?: Schema<'CreateActivityBody'>['payout'];
}

/** What will be there as soon as there is something to show, so that the form keeps its place. */
export const NoPreview = () => (
  <section aria-label={words.split.preview} class="preview">
    <h2>{words.split.preview}</h2>
    <p class="about">{words.split.noPreview}</p>
  </section>
);

/** A preview of the packets, while the form is filled in and before any money moves. */
export function SplitPreview({ api, totalAmount, currency, packetCount, split, payout }: SplitPreviewProps) {
  const { value, fault } = useAnswer(
    (options) => api.previewSplit({ totalAmount, currency, packetCount, split, payout }, options),
    [api, totalAmount, currency, packetCount, JSON.stringify([split, payout])],
  );
  return (
    <section aria-label={words.split.preview} class="preview" aria-live="polite">
      <h2>{words.split.preview}</h2>
      <Complaint fault={fault} />
      {value && (
        <>
          <dl class="facts">
            <Fact name={words.split.cost} amount={totalAmount} of={value} />
            <Fact name={words.split.smallest} amount={value.smallest} of={value} />
            <Fact name={words.split.median} amount={value.median} of={value} />
            <Fact name={words.split.largest} amount={value.largest} of={value} />
          </dl>
          <Histogram preview={value} />
          <p>{words.split.example(value.packets)}</p>
          {value.payout && <p>{words.split.paidOutIn(spanText(value.payout.seconds))}</p>}
        </>
      )}
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly amount: string;
  readonly of: Preview;
}

function Fact({ name, amount, of: { currency } }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{amountText(`${amount} ${currency}`)}</dd>
    </div>
  );
}

function Histogram({
  preview: { bars, smallest, largest, packets, currency },
}: {
  readonly preview: Preview;
}) {
  const most = Math.max(...bars.map((bar) => bar.packets));
  const says = words.split.histogram(packets, smallest, largest);
  return (
    <figure class="histogram">
      <figcaption>{words.split.bars}</figcaption>
      <div class="bars" role="img" aria-label={says}>
        {bars.map((bar) => (
          <div
            key={bar.from}
            title={words.split.bar(bar.from, bar.to, bar.packets)}
            style={{ height: `${(100 * bar.packets) / most}%` }}
          />
        ))}
      </div>
      <p aria-hidden="true">
        <span>{amountText(`${smallest} ${currency}`)}</span>
        <span>{amountText(`${largest} ${currency}`)}</span>
      </p>
    </figure>
  );
}
