// @promise addresses
import test from 'ava'
import * as fc from 'fast-check'
import { isPublicAddress } from '../../../src/safe-fetch/ip-ranges.ts'

const words = (text: string): string[] => text.split(' ')

const special: Record<string, string[]> = {
  'this host and loopback': words('0.0.0.0 0.255.255.255 127.0.0.1 127.127.127.127 127.255.255.255 :: ::1'),
  'private networks': words('10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255'),
  'carrier-grade NAT': words('100.64.0.0 100.127.255.255'),
  'link-local': words('169.254.0.0 169.254.255.255 fe80::1 febf::1 fe80::1%lo 2606:4700::1%lo 2606:4700::1%25eth0'),
  'metadata services': words(
    '169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254',
  ),
  'protocol assignments': words('192.0.0.0 192.0.0.255 192.88.99.1 2001:: 2001:1ff:ffff::'),
  'documentation and benchmarks': words(
    '192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.0 198.19.255.255 2001:db8::1 3fff::1 3fff:fff:ffff::1 2001:2::1',
  ),
  'multicast, reserved and broadcast': words('224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1'),
  'AS112 and AMT': words('192.31.196.1 192.52.193.1 192.175.48.1 2620:4f:8000::1'),
  'IPv4 inside IPv6': words(
    '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe ::ffff:8.8.8.8 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 2002:7f00:1:: 2002:808:808:: 2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ),
  'local IPv6': words('fc00::1 fd00::1 fdff::1 fec0::1 feff::1'),
  'IPv6 that nobody was given': words('100::1 1fff::1 4000::1 5f00::1 e000::1'),
}

test('special addresses are not public', (t) => {
  for (const [kind, addresses] of Object.entries(special))
    for (const address of addresses) t.false(isPublicAddress(address), `${address}: ${kind}`)
})

const publicAddresses = words(
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450::1 3ffe::1',
)

test('addresses beside them are public', (t) => {
  for (const address of publicAddresses) t.true(isPublicAddress(address), address)
})

test('what is no address in its ordinary notation is not public', (t) => {
  const texts = [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '8.8.8',
    '08.8.8.8',
    '[2606:4700::1]',
    '1.1.1.1/8',
  ]
  for (const text of texts) t.false(isPublicAddress(text), text)
})

const octet = fc.integer({ min: 0, max: 255 })

test('every address of 10/8, 127/8 and 224/3 is refused, and in every IPv6 that carries it', (t) => {
  const first = fc.oneof(fc.constantFrom(10, 127), fc.integer({ min: 224, max: 255 }))
  const property = fc.property(first, octet, octet, octet, (...octets) => {
    const ipv4 = octets.join('.')
    return !['', '::ffff:', '::', '64:ff9b::'].some((prefix) => isPublicAddress(prefix + ipv4))
  })
  t.notThrows(() => fc.assert(property))
})
