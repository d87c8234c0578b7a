import dns from 'node:dns/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { AddressRefused, isPublicAddress, lookupPublic } from './index';

describe('an address', () => {
  it.each([
    ['this host', '127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '0.1.2.3', '::', '::127.0.0.1'],
    ['a private network', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1'],
    ['a link or the metadata of clouds', '169.254.169.254', 'fe80::1', 'fd00:ec2::254', 'fec0::1'],
    ['a carrier', '100.64.0.1', '100.127.255.255'],
    ['a multicast group', '224.0.0.1', '239.1.1.1', 'ff02::1', '255.255.255.255'],
    ['documentation or tests', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1'],
    ['nobody', '240.0.0.1', '192.0.0.1', '100::1', '3fff::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ['an obsolete form of IPv4', '::8.8.8.8', '::808:808', '::2'],
    ['an unallocated part of IPv6', '200::1', '1fff::1', '4000::1', '8000::1', 'e000::1'],
    ['6to4 or Teredo', '2002:7f00:1::', '2002:808:808::', '2001::1'],
  ])('an address is not public if it belongs to %s', (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
    expect(addresses.filter((address) => isIP(address) === 0)).toEqual([]);
  });

  it.each(['', 'localhost', 'example.com', '1.2.3.4.5', '[::1]'])(
    'a text that is not an address is not public: %j',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});

it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

describe('a connection that uses this lookup', () => {
  afterEach(() => jest.restoreAllMocks());

  const look = (hostname: string, all: boolean) =>
    new Promise((resolve, reject) =>
      lookupPublic(hostname, { all }, (error, address) => (error ? reject(error) : resolve(address))),
    );

  it.each([true, false])('the lookup refuses a name that leads to this host (all: %j)', async (all) => {
    await expect(look('localhost', all)).rejects.toThrow(AddressRefused);
  });

  it('the lookup refuses a name that leads to a public and to a private address', async () => {
    const found = ['8.8.8.8', '10.0.0.1'].map((address) => ({ address, family: 4 }));
    jest.spyOn(dns, 'lookup').mockResolvedValue(found as never);
    await expect(look('two-faced.example', true)).rejects.toThrow(AddressRefused);
    await expect(look('two-faced.example', false)).rejects.toThrow(AddressRefused);
  });

  it('the lookup passes on public addresses', async () => {
    expect(await look('8.8.8.8', true)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await look('8.8.8.8', false)).toBe('8.8.8.8');
  });

  it('the lookup reports a name that does not exist', async () => {
    await expect(look('nowhere.invalid', true)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });

  it('a connection never reaches a server on this host by a name', async () => {
    let connections = 0;
    const server = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const error = await new Promise((resolve, reject) =>
      request({ host: 'localhost', port, lookup: lookupPublic }, reject).on('error', resolve).end(),
    );
    expect(error).toBeInstanceOf(AddressRefused);
    expect(connections).toBe(0);
    server.close();
  });
});
