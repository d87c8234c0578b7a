import { keep, kept } from '../../kit/kept';

const KEPT_AS = 'hongbao.console.zone';

/** Where times are shown: as the browser has them, in UTC, or as the installation says. */
export const ZONES = ['browser', 'utc', 'installation'] as const;

export type Zone = (typeof ZONES)[number];

const NAMES: Record<Zone, string> = {
  browser: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  utc: 'UTC',
  installation: 'UTC',
};

let chosen: Zone = 'browser';

/** @param installation the zone of the installation */
export function readZone(installation = 'UTC'): void {
  NAMES.installation = installation;
  chosen = ZONES.find((zone) => zone === kept(KEPT_AS)) ?? 'browser';
}

export function chooseZone(zone: Zone): void {
  chosen = zone;
  keep(KEPT_AS, zone);
}

export const chosenZone = (): Zone => chosen;

export const nameOfZone = (zone: Zone = chosen): string => NAMES[zone];

/** Times are not those of the reader's own clock, so they say whose they are. */
export const isForeignZone = (): boolean => nameOfZone() !== NAMES.browser;
