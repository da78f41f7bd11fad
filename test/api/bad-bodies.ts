import { gzipSync } from 'node:zlib'

interface BadBody {
  what: string
  raw: string | Uint8Array
  headers?: Record<string, string>
}

const plain = (what: string, raw: string | Uint8Array): BadBody => ({ what, raw })
const encoded = (what: string, encoding: string, raw: string | Uint8Array): BadBody => ({
  what,
  raw,
  headers: { 'content-encoding': encoding },
})
const typed = (type: string): BadBody => ({ what: `of type ${type}`, raw: '{}', headers: { 'content-type': type } })

/** Bodies that no route takes, of which the longest inflates to a little more than the given number of bytes. */
export function badBodies(maxBytes: number): BadBody[] {
  const gzipped = gzipSync('{"name":"An agent","title":"It is broken"}'.repeat(50))
  return [
    plain('nothing', new Uint8Array()),
    plain('blanks', '  \n'),
    ...['{', '{"a":1', '{"a":1}}', '{"a":1}{"a":1}', "{'a':1}", '{a:1}', '{"a":NaN}', '{"a":01}', '{"a":1,}'].map(
      (raw) => plain(raw, raw),
    ),
    ...['null', 'true', '1', '1e400', '"text"', '[]', '[{}]', '[[]]'].map((raw) => plain(raw, raw)),
    plain('a body one byte too long', `{}${' '.repeat(maxBytes - 1)}`),
    plain('a body far too long', `{"a":"${'x'.repeat(4 * maxBytes)}"}`),
    plain('ten thousand arrays', '['.repeat(10_000) + ']'.repeat(10_000)),
    plain('ten thousand objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)),
    plain('ten thousand open brackets', '{"a":'.repeat(10_000)),
    plain('broken UTF-8', Buffer.from('{"name":"caf\u00e9"}', 'latin1')),
    plain(
      'an overlong form of UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ),
    plain(
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ),
    plain('UTF-16', Buffer.from('\ufeff{"name":"An agent"}', 'utf16le')),
    plain('a byte order mark twice', '\ufeff\ufeff{}'),
    encoded('a gzip bomb', 'gzip', gzipSync(`{"a":"${' '.repeat(20 * maxBytes)}"}`)),
    encoded('truncated gzip', 'gzip', gzipped.subarray(0, gzipped.length - 12)),
    encoded('gzip that is none', 'gzip', '{}'),
    encoded('deflate that is none', 'deflate', 'nonsense'),
    encoded('brotli that is none', 'br', 'nonsense'),
    encoded('an encoding that is not offered', 'compress', '{}'),
    encoded('gzip within gzip', 'gzip, gzip', gzipSync(gzipSync('{}'))),
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'json',
      'application/jsonp',
      'nonsense/',
    ].map(typed),
  ]
}

/** One of them for each check of a body: what no route takes. */
export const forEveryRoute: ReadonlySet<string> = new Set([
  'nothing',
  'of type text/plain',
  'a body one byte too long',
  'gzip that is none',
  'broken UTF-8',
  '{"a":1',
  'ten thousand objects',
  '[]',
])

/** JSON texts to put in the place of a member. */
export const oddValues: string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '""',
  '[]',
  '{}',
  '[null]',
  '["a"]',
  '[{}]',
  '{"a":1}',
  '{"length":1}',
  JSON.stringify('x'.repeat(100_000)),
]

/** JSON texts that are refused wherever they stand. */
export const impossibleValues: string[] = [
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '{"__proto__":{"admin":true}}',
  '["\\u0000"]',
]

/** Members that no route knows, as JSON. */
export const unknownMembers: string[] = [
  '"surprise":1',
  '"__proto__":{"admin":true}',
  '"constructor":{"prototype":{"admin":true}}',
  '"toString":"x"',
  '"hasOwnProperty":true',
  '"":1',
  '"\\u0000":1',
  '"a.b":1',
]
