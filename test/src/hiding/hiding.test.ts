// @promise hiding
import test from 'ava'
import * as fc from 'fast-check'
import { hideSecrets } from '../../../src/hiding/hiding.ts'

const secret = 'a/b+c="d"\\e%f~g'
const token = 'sk_live_5>?xY1234567890'

const hexOf = (text: string) => Buffer.from(text).toString('hex')
const pairsOf = (text: string, between: string) => (hexOf(text).match(/../g) ?? []).join(between)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const unicoded = (text: string) =>
  Array.from(text)
    .map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
const tagged = (text: string) =>
  Array.from(text)
    .map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0)))
    .join('')
const rot13 = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const base = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })

/** Quoted-printable as mails have it: signs beyond letters by their code, and lines of at most 76 characters. */
const printable = (text: string, every = /[^\w]/g) =>
  text
    .replaceAll(every, (sign) => `=${hexOf(sign).toUpperCase()}`)
    .replaceAll(/(?:=..|[^=]){10}/g, (line) => `${line}=\r\n`)

const names: Record<string, string> = {
  '!': 'excl',
  '+': 'plus',
  '-': 'hyphen',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  _: 'lowbar',
}

/** What tokens are made of (RFC 6750, 2.1). */
const visibleSign = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code))

/** Everything that a secret may be found as, whatever stands around it. */
const encodings: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in an address': encodeURIComponent,
  'in an address, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in an address, every byte': (text) => `%${pairsOf(text, '%')}`,
  'in an address, in small letters': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  'in JSON': inJson,
  'in JSON with slashes escaped': (text) => inJson(text).replaceAll('/', '\\/'),
  'in JSON as .NET writes it': (text) => inJson(text).replaceAll(/[+<>&'`]/g, unicoded),
  'in JSON, every sign': unicoded,
  'in HTML': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in HTML as numbers': (text) =>
    Array.from(text)
      .map((sign) => `&#${sign.charCodeAt(0)};`)
      .join(''),
  'in HTML as padded numbers': (text) =>
    Array.from(text, (sign) => `&#${String(sign.charCodeAt(0)).padStart(9, '0')};`).join(''),
  'in HTML by names': (text) => text.replaceAll(/[^\w]|_/g, (sign) => (names[sign] ? `&${names[sign]};` : sign)),
  'in Markdown': (text) => text.replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`),
  'in Markdown in JSON': (text) => inJson(text.replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`)),
  'in JSON in JSON': (text) => inJson(unicoded(text)),
  'in quoted-printable': (text) => printable(text),
  'in quoted-printable, every sign': (text) => printable(text, /./g),
  'in base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'as octal escapes': (text) =>
    Array.from(text, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`).join(''),
  'as a list of bytes with spaces': (text) => [...Buffer.from(text)].join(' '),
  'as a list of bytes in hex with spaces': (text) => `0x${pairsOf(text, ' 0x')}`,
  'as a list of bytes in hex with commas': (text) => pairsOf(text, ', '),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in base64 in an address': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'in hex': hexOf,
  'in capital hex': (text) => hexOf(text).toUpperCase(),
  'in hex with colons': (text) => pairsOf(text, ':'),
  'in hex with spaces': (text) => pairsOf(text, ' '),
  'as escapes of bytes': (text) => `\\x${pairsOf(text, '\\x')}`,
  'as a list of bytes': (text) => `[${[...Buffer.from(text)].join(', ')}]`,
  backwards: (text) => Array.from(text).toReversed().join(''),
  'in rot13': rot13,
  'with zero-width characters': (text) => Array.from(text).join('\u200B'),
  'with spaces': (text) => Array.from(text).join(' '),
  'in lines': (text) => (text.match(/.{1,5}/g) ?? []).join('\r\n'),
  'as tag characters': tagged,
}

for (const [how, encode] of Object.entries(encodings)) {
  test(`a secret is found ${how}, and what stands around it stays`, (t) => {
    const { text } = hideSecrets(['12345678', token])
    const hidden = text(`The token ${encode(token)} and |${encode(token)}|, no more.`)
    t.regex(hidden, /^The token .{0,4}\[token\].{0,7} and \|.{0,4}\[token\].{0,7}\|, no more\.$/)
  })
}

test('no encoding of a secret survives in any text', (t) => {
  const secrets = fc.string({
    minLength: 12,
    maxLength: 60,
    unit: visibleSign,
  })
  const around = fc.string({ maxLength: 40, unit: 'grapheme' })
  fc.assert(
    fc.property(secrets, around, around, fc.constantFrom(...Object.keys(encodings)), (known, before, after, how) => {
      // Within an escape of the text before it, or of its own, it is another text.
      fc.pre(!/[\\%&#;=]|\\u/.test(before + after + known))
      const written = encodings[how]?.(known) ?? ''
      t.false(hideSecrets([known]).text(`${before}|${written}|${after}`).includes(written), how)
    }),
    { numRuns: 500 },
  )
})

test('a secret of any signs is found where it stands as it is, in JSON, and in an address', (t) => {
  const signs = fc.string({ minLength: 8, maxLength: 30, unit: visibleSign })
  fc.assert(
    fc.property(signs, (known) => {
      const { text, json } = hideSecrets([known])
      t.is(text(`<${known}>`), '<[token]>')
      t.is(JSON.parse(json(JSON.stringify({ a: known }))).a, '[token]')
      t.is(text(`<${encodeURIComponent(known)}>`), '<[token]>')
    }),
    { numRuns: 500 },
  )
})

test('a secret is found in base64 with anything before and after it', (t) => {
  for (const before of ['', 'a', 'ab', 'user:', 'Bearer '])
    for (const after of ['', '1', '12', '123'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const cleaned = hideSecrets([token]).text(Buffer.from(before + token + after).toString(encoding))
        const [left = '', right = ''] = cleaned.split('[token]')
        t.true(cleaned.includes('[token]'), `${before}…${after} in ${encoding}`)
        // One character of it at either end at most.
        const known = Buffer.from(left, encoding).toString('latin1') + Buffer.from(right, encoding).toString('latin1')
        t.notRegex(known, /live|1234/)
      }
})

test('base64 in lines is one text', (t) => {
  const written = Buffer.from(`${'x'.repeat(50)}${token}${'y'.repeat(50)}`).toString('base64')
  const lines = written.match(/.{1,76}/g) ?? []
  for (const end of ['\n', '\r\n', '\\n']) t.true(hideSecrets([token]).text(lines.join(end)).includes('[token]'))
})

test('secrets that overlap leave nothing of either', (t) => {
  t.is(hideSecrets(['abcdefgh12', 'gh12345678']).text('<abcdefgh12345678>'), '<[token]>')
  t.is(hideSecrets(['abcdefgh12', 'abcdefgh12345678']).text('<abcdefgh12345678>'), '<[token]>')
  t.is(hideSecrets(['abababababab']).text('<ababababababab>'), '<[token]>')
})

test('a token with an equals sign before it is found, whatever that makes of it in quoted-printable', (t) => {
  const { text } = hideSecrets(['ab/cdefgh='])
  t.is(text('https://x.example/?token=ab%2Fcdefgh%3D&a=b=\n'), 'https://x.example/?token=[token]&a=b=\n')
  t.is(text('=ab/cdefgh= =3D'), '=[token] =3D')
})

test('JSON stays JSON whatever backslashes stand in it', (t) => {
  const { json } = hideSecrets([token])
  for (let count = 0; count < 40; count += 1) {
    const given = ['\\'.repeat(count), token, `${'\\'.repeat(count)}"${token}`, `${token}${'\\'.repeat(count)}`]
    const read = JSON.parse(json(JSON.stringify(given))) as string[]
    t.deepEqual(read, [
      given[0],
      '[token]',
      `${'\\'.repeat(count)}"[token]`,
      `[token]${'\\'.repeat(count)}`,
    ] as string[])
  }
})

test('what is too short to be a secret, or contains none, stays as it is', (t) => {
  t.is(hideSecrets(['a', '', 'message']).text('a message'), 'a message')
  t.is(hideSecrets(['a messag']).text('a message'), '[token]e')
  t.is(hideSecrets(['a message']).text('a messag'), 'a messag')
  t.is(hideSecrets(['a b c d e f']).text('abcdef'), 'abcdef')
  t.is(hideSecrets(['\ud800'.repeat(8)]).text('half \ud800'), 'half \ud800')
})

test('JSON stays the same JSON without the secret: numbers, spaces and other strings are as they were', (t) => {
  const text =
    '{ "n": 12345678901234567890.10, "12345678": [12345678, "x 12345678 y", "\\u0031234567\\u0038", "\\u00e9\\n"] }'
  const clean = '{ "n": 12345678901234567890.10, "[token]": [12345678, "x [token] y", "[token]", "\\u00e9\\n"] }'
  t.is(hideSecrets(['12345678']).json(text), clean)
  t.is(hideSecrets(['another one']).json(text), text)
  t.is(hideSecrets([]).json(text), text)
  t.is(hideSecrets([secret]).json(JSON.stringify({ [secret]: `"${secret}"` })), '{"[token]":"\\"[token]\\""}')
  t.is(hideSecrets(['1234", "5678']).json('{"a":["1234", "5678"]}'), '{"a":["1234", "5678"]}')
})

test('a value of JSON loses the secret in texts and in names of members', (t) => {
  const value = { [token]: [1, null, true, `a ${token}`], plain: { deep: [hexOf(token)] } }
  t.deepEqual(hideSecrets([token]).value(value), {
    '[token]': [1, null, true, 'a [token]'],
    plain: { deep: ['[token]'] },
  } as never)
})

/** The words as they are shown when the text is cut into pieces of these lengths, again and again. */
function inPieces(secrets: string[], text: string, lengths: number[]): string {
  const hiding = hideSecrets(secrets)
  const words = hiding.words()
  let [shown, at] = ['', 0]
  for (let turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    shown += words.add(text.slice(at, at + length))
    at += length
  }
  return shown + words.end(hiding.text)
}

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 })
/** Half an escape would take in the beginning of the word after it. */
const plain = fc.string({ maxLength: 5 }).map((text) => text.replaceAll(/[%\\&=]/g, ''))
const wordsOf = (...parts: string[]) =>
  fc.array(fc.oneof(fc.constantFrom(...parts), plain), { maxLength: 8 }).map((some) => some.join(''))
const similar = [token, 'abcdefgh12', 'gh12345678', 'aaaaaaaaaa']

test('words that come in pieces are the words of the whole, whatever the pieces', (t) => {
  const begun = ['a', 'sk_', 'abcdef', 'gh12', ' and ', token.slice(0, 10)]
  const texts = wordsOf(...similar, ...begun, hexOf(token), unicoded(token), encodeURIComponent(token))
  fc.assert(
    fc.property(texts, lengths, (text, cut) => t.is(inPieces(similar, text, cut), hideSecrets(similar).text(text))),
    { numRuns: 1000 },
  )
})

test('of words in pieces no less is hidden than of the whole, whatever escapes stand between them', (t) => {
  const forms = Object.values(encodings).map((encode) => encode(token))
  const begun = [
    '\\',
    '\\u00',
    '\\1',
    '%',
    '%2',
    '=',
    '=\r\n',
    '&',
    '&#1',
    '&amp;',
    ...forms.map((form) => form.slice(0, 9)),
  ]
  fc.assert(
    fc.property(wordsOf(...similar, ...forms, ...begun), lengths, (text, cut) => {
      const [whole, shown] = [hideSecrets(similar).text(text), inPieces(similar, text, cut)]
      for (const form of [...similar, ...forms]) t.true(whole.includes(form) || !shown.includes(form))
    }),
    { numRuns: 1000 },
  )
})

for (const [how, encode] of Object.entries(encodings)) {
  test(`a secret ${how} is not shown in words either, wherever it is cut`, (t) => {
    const text = `The token ${encode(token)} and no more.`
    for (const length of [1, 2, 3, 5, 7, 11, 1000])
      t.is(inPieces([token], text, [length]), hideSecrets([token]).text(text))
  })
}

test('an escape that is not complete is kept back, and shown when it is none', (t) => {
  const begun = [
    '\\',
    '\\u',
    '\\u00',
    '\\x4',
    '\\16',
    '\\\\u0',
    '%',
    '%2',
    '%25',
    '%252',
    '&',
    '&#',
    '&#1',
    '&#x0',
    '&lowb',
    '=',
    '=4',
  ]
  for (const one of begun) {
    const hiding = hideSecrets([token])
    const words = hiding.words()
    t.is(words.add(`Hello ${one}`), 'Hello ', one)
    t.is(words.add('~ there.'), `${one}~ there.`)
    t.is(words.end(hiding.text), '')
  }
})

test('what is kept back is bounded in what it takes, and hidden at the end', (t) => {
  const secrets = [`${'a'.repeat(3000)}b`, token]
  const hiding = hideSecrets(secrets)
  const words = hiding.words()
  // Zero-width signs do not end what may be a secret.
  t.is(words.add(token.slice(0, 9)), '')
  for (let turn = 0; turn < 50; turn += 1) t.is(words.add('\u200B'.repeat(10_000)), '')
  t.is(words.add(`${token.slice(9)}. `), '')
  t.is(words.end(hiding.text), '[token]. ')
  const shown = inPieces(secrets, `Hello ${secrets[0]?.slice(2)}, ${secrets[0]}.`, [4])
  t.regex(shown, /^Hello a*\[token\]/)
  t.notRegex(shown, /a{3000}/)
})

test('words are shown as soon as they begin no secret', (t) => {
  const hiding = hideSecrets([token])
  const words = hiding.words()
  t.is(words.add('Hello, '), 'Hello, ')
  t.is(words.add('my sk_'), 'my ')
  t.is(words.add('ill it'), 'sk_ill it')
  t.is(words.add(token.slice(0, 9)), '')
  t.is(words.add(`${token.slice(9)} ok`), '[token] ok')
  t.is(words.add('sk_li'), '')
  t.is(words.end(hiding.text), 'sk_li')
})
