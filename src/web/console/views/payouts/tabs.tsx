import { Tabs } from '../../ui/tabs';
import { words } from '../../words';

export const PayoutTabs = ({ current }: { readonly current: keyof typeof words.payouts.tabs }) => (
  <Tabs label={words.navigation.parts.payouts} of={['payouts']} tabs={words.payouts.tabs} current={current} />
);
