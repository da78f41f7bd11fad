// @promise addresses
import test from 'ava'
import { allowanceProblem, readAllowedSites } from '../../../src/safe-fetch/allowed-sites.ts'

const permits = (entry: string, url: string, address: string, loopback = false): boolean =>
  readAllowedSites({ allow: [entry], loopback }).permits(new URL(url), address)

/** A private address that the entry opens for the URL, and one for which it stays closed. */
const opened: [entry: string, url: string, address: string][] = [
  ['crm.corp.example', 'https://crm.corp.example', '10.1.2.3'],
  ['crm.corp.example', 'https://crm.corp.example:8443/api', '192.168.7.7'],
  ['CRM.Corp.Example', 'https://crm.corp.example', 'fd12::1'],
  ['bücher.corp.example', 'https://xn--bcher-kva.corp.example', '10.1.2.3'],
  ['crm.corp.example:443', 'https://crm.corp.example', '172.16.0.1'],
  ['crm.corp.example:8443', 'https://crm.corp.example:8443', '100.64.0.1'],
  ['*.corp.example', 'https://crm.corp.example', '10.1.2.3'],
  ['*.corp.example', 'https://a.b.corp.example:8443', '10.1.2.3'],
  ['*.corp.example:8443', 'https://a.corp.example:8443', '10.1.2.3'],
  ['crm', 'https://crm', '10.1.2.3'],
  ['10.1.2.3', 'https://10.1.2.3', '10.1.2.3'],
  ['10.1.2.3:8443', 'https://10.1.2.3:8443', '10.1.2.3'],
  ['[fd12::1]:8443', 'https://[fd12::1]:8443', 'fd12::1'],
  ['fd12::1', 'https://[fd12::1]', 'fd12::1'],
  ['10.20.0.0/16', 'https://10.20.3.4', '10.20.3.4'],
  ['10.20.0.0/16', 'https://any.name.example:8443', '10.20.255.255'],
  ['10.20.0.0/16:8443', 'https://any.name.example:8443', '10.20.0.0'],
  ['10.20.30.40/16', 'https://any.name.example', '10.20.0.1'],
  ['fd12::/16', 'https://any.name.example', 'fd12:3::4'],
  ['[fd12::/16]:8443', 'https://any.name.example:8443', 'fd12:3::4'],
  ['100.64.0.0/10', 'https://any.name.example', '100.100.1.1'],
]
test('an entry opens private addresses for what it names', (t) => {
  for (const [entry, url, address] of opened) {
    t.true(permits(entry, url, address), `${entry} opens ${address} for ${url}`)
    t.false(readAllowedSites({ allow: [], loopback: true }).permits(new URL(url), address), 'it is private')
  }
})

const closed: [entry: string, url: string, address: string][] = [
  ['crm.corp.example', 'https://other.corp.example', '10.1.2.3'],
  ['crm.corp.example', 'https://crm.corp.example.evil.example', '10.1.2.3'],
  ['crm.corp.example:8443', 'https://crm.corp.example', '10.1.2.3'],
  ['*.corp.example', 'https://corp.example', '10.1.2.3'],
  ['*.corp.example', 'https://evilcorp.example', '10.1.2.3'],
  ['*.corp.example', 'https://corp.example.evil.example', '10.1.2.3'],
  ['10.1.2.3', 'https://rebound.example', '10.1.2.3'],
  ['10.20.0.0/16', 'https://any.name.example', '10.21.0.1'],
  ['10.20.0.0/16:8443', 'https://any.name.example', '10.20.0.1'],
  ['10.20.0.0/16', 'https://any.name.example', '::ffff:10.20.0.1'],
  ['fd12::/16', 'https://any.name.example', '10.20.0.1'],
]
test('an entry opens nothing else', (t) => {
  for (const [entry, url, address] of closed)
    t.false(permits(entry, url, address), `${entry} opens ${address} for ${url}`)
})

/** Nobody's site, whoever allows it. */
const never =
  '169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd00:42::42 fd00:c1::a9fe:a9fe fd20:ce::254 fe80::1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 0.0.0.0 :: 224.0.0.1 fe80::1%eth0 nothing'.split(
    ' ',
  )
test('some addresses are opened by no entry, not even in development', (t) => {
  const allow = ['meta.example', '*.example', '100.64.0.0/10', '127.0.0.0/8', 'fc00::/7']
  const allowed = readAllowedSites({ allow, loopback: true })
  for (const address of never) t.false(allowed.permits(new URL('https://meta.example'), address), address)
})

test('loopback is for development, and for what is listed', (t) => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1']) {
    t.true(permits('dev.example', 'https://dev.example', address, true))
    t.false(permits('dev.example', 'https://dev.example', address, false), address)
    t.false(permits('dev.example', 'https://other.example', address, true), address)
  }
  t.true(permits('127.0.0.1:4401', 'https://127.0.0.1:4401', '127.0.0.1', true))
  t.true(permits('localhost:4401', 'https://localhost:4401', '::1', true))
})

test('public addresses need no entry', (t) => {
  for (const address of ['1.1.1.1', '2606:4700::1111']) t.true(permits('10.0.0.0/8', 'https://site.example', address))
})

test('a host is refused as it is written if it is no public address, or this machine', (t) => {
  const refused = (url: string, allow: string[] = [], loopback = false): boolean =>
    readAllowedSites({ allow, loopback }).refuses(new URL(url))
  for (const host of ['10.1.2.3', '127.0.0.1', '[::1]', '169.254.169.254', 'localhost', 'a.localhost', '2130706433'])
    t.true(refused(`https://${host}`), host)
  for (const host of ['1.1.1.1', 'site.example', 'localhost.example']) t.false(refused(`https://${host}`), host)
  t.false(refused('https://10.1.2.3', ['10.0.0.0/8']))
  t.false(refused('https://localhost:4401', ['localhost:4401'], true))
  t.true(refused('https://localhost:4402', ['localhost:4401'], true))
})

const wrong: [entry: string, said: RegExp][] = [
  ['127.0.0.1:4401', /is this machine/],
  ['localhost:4401', /is this machine/],
  ['*.localhost', /is this machine/],
  ['127.0.0.0/8', /is this machine/],
  ['169.254.169.254', /never allowed/],
  ['169.254.0.0/16', /not in a private network/],
  ['fd00:ec2::254', /never allowed/],
  ['0.0.0.0/0', /not in a private network/],
  ['10.0.0.0/33', /is not a host/],
  ['*', /is not a host/],
  ['*.10.0.0.1', /is not a host/],
  ['crm.*.example', /is not a host/],
  ['https://crm.corp.example', /is not a host/],
  ['user@crm.corp.example', /is not a host/],
  ['crm.corp.example/x', /is not a host/],
  ['crm.corp.example:0', /not between 1 and 65535/],
  ['crm.corp.example:65536', /not between 1 and 65535/],
  [':1', /is not a host/],
]
test('an entry that opens too much, or is none, is refused at the start, and its place named', (t) => {
  for (const [entry, said] of wrong) {
    const problem = allowanceProblem({ allow: ['fine.example', entry], loopback: false }) ?? 'no problem'
    t.regex(problem, said, entry)
    t.true(problem.startsWith('entry 2 '))
  }
})
