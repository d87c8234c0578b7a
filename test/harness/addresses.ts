export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses the form that programs are given: `host:port,host:port`. */
export const addressesOf = (list: string): Address[] =>
  list.split(',').map((address) => {
    const [host, port] = address.split(':');
    return { host: host!, port: Number(port) };
  });
