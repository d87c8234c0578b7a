import type { ApiClient } from '../../../libs/client';
import type { PageSettings } from '../kit/settings';
import type { Address } from './address';
import type { Person } from './staff';

export interface ViewProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly address: Address;
  readonly settings: PageSettings;
}
