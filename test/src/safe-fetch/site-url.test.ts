import test from 'ava'
import * as fc from 'fast-check'
import { isCoded } from '../../../src/errors.ts'
import { parseSiteUrl } from '../../../src/safe-fetch/site-url.ts'

const accepted: [string, string][] = [
  ['https://shop.example', 'https://shop.example/'],
  ['HTTPS://Shop.Example:443/A?b=c', 'https://shop.example/A?b=c'],
  ['https://shop.example:8443/toolsite.json', 'https://shop.example:8443/toolsite.json'],
  ['https://shop.example/@user/100%25//x', 'https://shop.example/@user/100%25//x'],
  ['https://shop.example:1024/', 'https://shop.example:1024/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://127.0.0.1:4401/', 'https://127.0.0.1:4401/'],
  ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  [`https://shop.example/${'a'.repeat(2048 - 21)}`, `https://shop.example/${'a'.repeat(2048 - 21)}`],
]

test('addresses of sites are accepted, in one spelling', (t) => {
  for (const [text, href] of accepted) t.is(parseSiteUrl(text).href, href)
})

const refused: Record<string, string[]> = {
  'include the protocol': ['', 'shop.example', '//127.0.0.1', 'https:shop.example'],
  'must start with https': ['http://shop.example', 'file:///etc/passwd', 'ftp://shop.example'],
  'must have a host': ['https://', 'https:///127.0.0.1', 'https://?x', 'https:////shop.example'],
  'user name or password': ['https://good@127.0.0.1', 'https://user:secret@shop.example/'],
  'percent-encoded': ['https://localhost%2e/', 'https://%31%32%37.0.0.1/', 'https://[::1%25lo]/'],
  fragment: ['https://127.0.0.1#@good', 'https://shop.example/#', 'https://shop.example/a?b#c'],
  backslashes: [
    'https://good\\@127.0.0.1',
    'https:\\\\shop.example',
    ' https://shop.example',
    'https://sh\top.example',
    'https://shop.example/\r\nHost: x',
    'https://sh\u200bop.example/',
    'https://shop.example/\ud800',
    '\ufeffhttps://shop.example',
  ],
  'at most': [`https://${'a'.repeat(10_240)}.example/`, `https://shop.example/${'a'.repeat(2048 - 20)}`],
  'end with a dot': ['https://localhost./', 'https://metadata.google.internal./', 'https://shop.example.:8443/'],
  "URL's port": [22, 1023, 2375, 5432, 6379, 6443, 7233, 9200, 10_250, 11_211, 27_017, 0].map(
    (port) => `https://shop.example:${port}/`,
  ),
  'must be absolute': [
    'https://shop.example:65536/',
    'https://0o177.0.0.1/',
    'https://1.2.3.4.5/',
    'https://[fe80::1]x/',
  ],
  'protocol (https://)': ['javascript:alert(1)', 'data:text/html,x', 'mailto:a@b.example', 'jar:https://a.example!/'],
}

test('what is refused is told why, without the address, which may hold a secret', (t) => {
  for (const [sentence, texts] of Object.entries(refused))
    for (const text of texts) {
      const error = t.throws(() => parseSiteUrl(text), undefined, text)
      t.true(isCoded(error, 'INVALID_URL'), text)
      t.true(error?.message.includes(sentence), `${text}: ${error?.message}`)
    }
  const error = t.throws(() => parseSiteUrl('https://user:hunter2@shop.example/?key=hunter2'))
  t.false(JSON.stringify([error?.message, error]).includes('hunter2'))
})

test('whatever the text, the answer is an https address without credentials, or INVALID_URL', (t) => {
  const part = fc.constantFrom('https://', 'http://', ...String.raw`/ @ : # ? \ [ ] % . 1 a`.split(' '), '\t')
  const text = fc.oneof(
    fc.array(fc.oneof(part, fc.string()), { maxLength: 12 }).map((parts) => `https://${parts.join('')}`),
  )
  const property = fc.property(text, (given) => {
    try {
      const url = parseSiteUrl(given)
      return url.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
    } catch (error) {
      return isCoded(error, 'INVALID_URL')
    }
  })
  t.notThrows(() => fc.assert(property, { numRuns: 50 }))
})
