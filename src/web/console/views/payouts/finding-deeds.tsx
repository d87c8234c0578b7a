import type { ApiClient, Schema } from '../../../../../libs/client';
import { Confirmed } from '../../ui/confirmed';
import { words } from '../../words';

interface DeedsProps {
  readonly api: ApiClient;
  readonly finding: Schema<'FindingDto'>;
  /** Another finding of the same file offers to end all of them. */
  readonly isOfOther?: boolean;
  readonly onDone: () => void;
}

export function FindingDeeds({ api, finding, isOfOther = false, onDone }: DeedsProps) {
  const { id, owner, statementId } = finding;
  const own = async (key: string) => {
    await api.ownPayoutFinding(id, { key });
    onDone();
    return words.findings.isYours;
  };
  const end = async (key: string, resolution: string) => {
    await api.endPayoutFinding(id, { resolution }, { key });
    onDone();
    return words.findings.ended;
  };
  const endFile = async (file: string, key: string, resolution: string) => {
    const { ended, left } = await api.endFindingsOfStatement(file, { resolution }, { key });
    onDone();
    return words.findings.endedOfFile(ended, left);
  };
  return (
    <div class="row">
      <Confirmed
        title={words.findings.own(id)}
        short={words.findings.ownIt}
        consequence={words.findings.ownWill(owner)}
        onConfirm={own}
      />
      <Confirmed
        title={words.findings.end(id)}
        short={words.findings.endIt}
        typed={id}
        reason={words.labels.resolution}
        consequence={words.findings.endWill}
        onConfirm={end}
      />
      {statementId !== null && !isOfOther && (
        <Confirmed
          title={words.findings.endFile(statementId)}
          short={words.findings.endAll}
          isDangerous
          typed={statementId}
          reason={words.labels.resolution}
          consequence={words.findings.endFileWill}
          onConfirm={(key, resolution) => endFile(statementId, key, resolution)}
        />
      )}
    </div>
  );
}
