import type { ApiClient, Schema } from '../../../../libs/client';
import { Confirmed } from '../parts';

interface DeedsProps {
  readonly api: ApiClient;
  readonly finding: Schema<'FindingDto'>;
  readonly onDone: () => void;
}

export function FindingDeeds({ api, finding: { id, owner }, onDone }: DeedsProps) {
  const path = { id };
  const own = async (key: string) => {
    await api.post('/v1/payout-findings/{id}/own', { path, key });
    onDone();
    return 'It is yours.';
  };
  const end = async (key: string, resolution: string) => {
    await api.post('/v1/payout-findings/{id}/end', { path, body: { resolution }, key });
    onDone();
    return 'Ended.';
  };
  return (
    <div class="row">
      <Confirmed
        title={`Look after finding ${id}`}
        consequence={`You look after it${owner === null ? '' : `, and ${owner} no longer does`}. Others see your name beside it.`}
        onConfirm={own}
      />
      <Confirmed
        title={`End finding ${id}`}
        reason="Resolution"
        consequence="Say what was found out and set right, with the evidence. It moves no money, and cannot be taken back."
        onConfirm={end}
      />
    </div>
  );
}
