export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** A name, IPv4, or IPv6 in brackets. */
const ADDRESS = /^(\[[\da-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/;

const PORT_MAX = 65_535;

/** @returns undefined when the text is not a comma separated list of `host:port` */
export function parseServerAddresses(text: string): ServerAddress[] | undefined {
  const addresses = text.split(',').flatMap((part) => parseAddress(part.trim()) ?? []);
  return addresses.length === text.split(',').length ? addresses : undefined;
}

function parseAddress(text: string): ServerAddress | undefined {
  const [, host, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port < 1 || port > PORT_MAX) return undefined;
  return { host: host.replaceAll(/[[\]]/g, ''), port };
}
