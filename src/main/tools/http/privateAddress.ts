import { BlockList, isIP, isIPv4 } from 'node:net';

const blocked = new BlockList();
// IANA special-purpose registries: everything that is not the public internet.
const v4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
// 64:ff9b and 2002 carry an IPv4 address inside; what that is cannot be told from here, so they are not public either.
const v6: [string, number][] = [
  ['::', 128],
  ['::1', 128],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
for (const [net, bits] of v4) blocked.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of v6) blocked.addSubnet(net, bits, 'ipv6');

/** Addresses of this machine, its networks and other special ones. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(bare);
  if (mapped !== null) {
    const [, dotted, high, low] = mapped;
    if (dotted !== undefined) return isPrivateAddress(dotted);
    const [a, b] = [parseInt(high!, 16), parseInt(low!, 16)];
    return isPrivateAddress(`${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`);
  }
  if (isIP(bare) === 0) return true;
  return isIPv4(bare) ? blocked.check(bare, 'ipv4') : blocked.check(bare, 'ipv6');
}
