import { Tabs } from '../../ui/tabs';
import { words } from '../../words';
import type { Standing } from './channels/channels-at-hand';

interface PayoutTabsProps {
  readonly current: keyof typeof words.payouts.tabs;
  /** Undefined until they are read. */
  readonly standings: readonly Standing[] | undefined;
}

/** The number of open findings is that of the navigation, which does not say where they are. */
export function PayoutTabs({ current, standings = [] }: PayoutTabsProps) {
  const findings = standings.reduce((sum, standing) => sum + standing.findings, 0);
  return (
    <Tabs
      label={words.navigation.parts.payouts}
      of={['payouts']}
      tabs={words.payouts.tabs}
      counts={{ findings }}
      current={current}
    />
  );
}
