import type { ApiClient, Schema } from '../../../../../libs/client';
import { Confirmed } from '../../ui/confirmed';
import { words } from '../../words';

interface DeedsProps {
  readonly api: ApiClient;
  readonly finding: Schema<'FindingDto'>;
  readonly onDone: () => void;
}

export function FindingDeeds({ api, finding, onDone }: DeedsProps) {
  const { id, owner } = finding;
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
    </div>
  );
}

interface EndFileProps {
  readonly api: ApiClient;
  /** A file that was wrong as a whole. */
  readonly file: string;
  readonly onDone: () => void;
}

/** Ends all findings of one file. */
export function EndFile({ api, file, onDone }: EndFileProps) {
  const said = words.findings;
  const end = async (key: string, resolution: string) => {
    const { ended, left } = await api.endFindingsOfStatement(file, { resolution }, { key });
    onDone();
    return said.endedOfFile(ended, left);
  };
  return (
    <Confirmed
      title={said.endFile(file)}
      isDangerous
      typed={file}
      reason={words.labels.resolution}
      consequence={said.endFileWill}
      onConfirm={end}
    />
  );
}
