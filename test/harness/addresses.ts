export interface Address {
  readonly host: string;
  readonly port: number;
}

export const addressesOf = (list: string): Address[] =>
  list.split(',').map((address) => {
    const [host, port] = address.split(':');
    return { host: host!, port: Number(port) };
  });
