import type { ErrorCode } from '../../src/errors.ts'

/**
 * Addresses that no site may have, as attackers write them, grouped by attack. A host may have a port; a URL is
 * complete. No address is on the public internet, because nothing here may leave this machine.
 */

const words = (text: string): string[] => text.split(' ')

export const loopbackHosts = words(
  '127.0.0.1 127.1 127.127.127.127 0 0.0.0.0 localhost LOCALHOST LOCALHOST. localhost%2e localhost.localdomain ip6-localhost [::1] [::] [0:0:0:0:0:0:0:1] [::1%25lo]',
)

export const encodedHosts = words(
  '2130706433 0x7f000001 0x7f.1 0177.0.0.1 0o177.0.0.1 127.0x0.1 3232235521 2852039166 ①②⑦.⓪.⓪.① １２７.０.０.１ 127。0。0。1 127．0．0．1 %31%32%37.0.0.1 127%2e0%2e0%2e1 ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ xn--localhost-',
)

export const embeddedHosts = words(
  '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::ffff:0:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [2001:db8::1] [fd00::1] [fe80::1] [fec0::1] [ff02::1] [fd00:ec2::254]',
)

export const rangeHosts = words(
  '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 100.64.0.1 100.127.255.255 169.254.0.1 192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
)

export const metadataHosts = words(
  '169.254.169.254 metadata.google.internal metadata.google.internal. metadata.amazonaws.com 169.254.170.2 168.63.129.16 100.100.100.200',
)

/** Hosts of the lists above that are invalid in a URL, or deceptive. */
const malformedHosts = new Set([
  'LOCALHOST.',
  'localhost%2e',
  '[::1%25lo]',
  '0o177.0.0.1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  'metadata.google.internal.',
])

/** Texts that parsers read differently, grouped by result. The platform may reach the host `good`, but not `trap`. */
const confusingUrls = (good: string, trap: string) => ({
  invalid: [
    `https://${good}@${trap}`,
    `https://${good}:443@${trap}`,
    `https://user:hunter2@${trap}/`,
    `https://user:hunter2@${good}/`,
    `https://@${trap}/`,
    `https://${trap}#@${good}`,
    `https://${trap}#/${good}`,
    `https://${trap}\\@${good}`,
    `https://${good}\\@${trap}`,
    `https:\\\\${trap}`,
    `http:${trap}/`,
    `https:${trap}/`,
    `//${trap}`,
    `/${trap}`,
    trap,
    `https:///${trap}`,
    `https:////${trap}`,
    `https:/${trap}`,
    `https://\t${trap}`,
    `ht\ntps://${trap}`,
    `https://${trap}\r\nX-Injected: yes`,
    `https://${trap}/\r\nHost: ${good}`,
    ` https://${trap}`,
    `https://${trap} `,
    `https://${trap}/ &@${good}# @${good}/`,
    'http://1.1.1.1 &@2.2.2.2# @3.3.3.3/',
    `https://[${trap}]`,
    `https://\u200b${trap}`,
    `https://\u202e${trap}`,
    'https://',
    'https:',
  ],
  /** Texts that cannot be a URL at all. */
  unusable: [
    `https://${trap}\0.${good}`,
    `https://${trap}\ud800`,
    `https://${'a'.repeat(10_000)}.example`,
    `https://${trap}/${'a'.repeat(10_000)}`,
    '',
  ],
  unreachable: [
    `https://${trap}/%0d%0aX-Injected:%20yes`,
    `https://${trap}//${good}`,
    `https://${trap}/../..//${good}`,
    `https://${trap}?@${good}`,
    `https://${trap}?x=1&y=@${good}`,
    `https://${'a'.repeat(64)}.invalid`,
  ],
})

const schemes = words('http file ftp gopher dict ldap data javascript jar ws wss blob')

const ports = words('0 22 25 80 5432 6379 7233 65536 -1 443x 1e4 99999999999999999999')

const hosts = { loopbackHosts, encodedHosts, embeddedHosts, rangeHosts, metadataHosts }

/** A hostile address, the code that refuses it as a site's address, and the kind of attack. */
type Attack = [url: string, code: ErrorCode, kind: string]

/** Every hostile address. `once`: each host at one port only, for tests that do much with each. */
export function* attacks(good: string, [first = 0, second = 0]: number[], { once = false } = {}): Generator<Attack> {
  for (const [kind, list] of Object.entries(hosts))
    for (const host of list) {
      const code = malformedHosts.has(host) ? 'INVALID_URL' : 'MANIFEST_NOT_FOUND'
      for (const rest of once ? [`:${first}/a`] : ['/', `:${first}`, `:${second}/a/b`])
        yield [`https://${host}${rest}`, code, kind]
    }
  for (const trap of [`127.0.0.1:${first}`, `[::1]:${second}`]) {
    const { invalid, unusable, unreachable } = confusingUrls(good, trap)
    for (const url of invalid) yield [url, 'INVALID_URL', 'confusing']
    for (const url of unusable) yield [url, 'VALIDATION_ERROR', 'confusing']
    for (const url of unreachable) yield [url, 'MANIFEST_NOT_FOUND', 'confusing']
    for (const scheme of schemes) yield [`${scheme}://${trap}/`, 'INVALID_URL', 'scheme']
    for (const scheme of schemes) yield [`${scheme}:${trap}`, 'INVALID_URL', 'scheme']
  }
  for (const port of ports) yield [`https://127.0.0.1:${port}/`, 'INVALID_URL', 'port']
}

/** The first address of each kind and code, for tests whose paths other tests cover in part. */
export function oneOfEachKind(all: Iterable<Attack>): Attack[] {
  const found = new Map<string, Attack>()
  for (const attack of all) {
    const key = `${attack[2]} ${attack[1]}`
    if (!found.has(key)) found.set(key, attack)
  }
  return [...found.values()]
}
