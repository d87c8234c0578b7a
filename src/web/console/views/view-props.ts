import type { ApiClient } from '../../../../libs/client';
import type { PageSettings } from '../../kit/settings';
import type { Person } from '../session/staff';
import type { Address } from '../ui/address';

export interface ViewProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly address: Address;
  readonly settings: PageSettings;
}
