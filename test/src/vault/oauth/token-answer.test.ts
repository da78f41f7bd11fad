// @promise oauth
import test from 'ava'
import { readableTokenAnswer, UnusableTokenAnswer } from '../../../../src/vault/oauth/token-answer.ts'

/** Token answers as sites and proxies have sent them. A refresh has spent something for each, so little may be lost. */

const good = { access_token: 'A', token_type: 'Bearer', expires_in: 3600, refresh_token: 'R' }

const json = (members: object): string => JSON.stringify({ ...good, ...members })
const read = async (body: string, init: ResponseInit = {}, options = {}) =>
  (await readableTokenAnswer(new Response(body, init), options)).json() as Promise<Record<string, unknown>>

type Row = [members: object, read: object]

/** What is read of the good answer with other members. */
const written: Row[] = [
  [{ access_token: ' A\n' }, {}],
  [{ access_token: 'Bearer A' }, {}],
  ...['bearer', 'Bearer ', '', 7, 'user', 'bot', ['Bearer'], 'Bearer token', null].map((token_type): Row => [
    { token_type },
    {},
  ]),
  ...['', null, 7, ['R']].map((refresh_token): Row => [{ refresh_token }, { refresh_token: undefined }]),
  [{ refresh_token: '\tR+/=&%20"\\~\r\n' }, { refresh_token: 'R+/=&%20"\\~' }],
  ...[' 3600 ', '3600.0', 3600].map((expires_in): Row => [{ expires_in }, { expires_in: 3600 }]),
  ...[0, '0', -1, 'never', '0x10', '1e3', '3600s', true, [3600], 'Infinity'].map((expires_in): Row => [
    { expires_in },
    { expires_in: undefined },
  ]),
  ...['  read   write ', 'read\nwrite\t', 'read,write', ['read', 'write'], '["read","write"]', 'read%20write'].map(
    (scope): Row => [{ scope }, { scope: 'read write' }],
  ),
  ...[[], ' ', ',', null, 7].map((scope): Row => [{ scope }, { scope: undefined }]),
  [{ scope: ['read', 7] }, { scope: 'read' }],
  [{ scopes: ['read'] }, { scope: 'read' }],
  [{ id_token: 'x', error: '', more: { access_token: 'other', refresh_token: 'other' } }, {}],
  [{ error: null, error_description: false }, {}],
  [{ refresh_token: undefined, data: { refresh_token: 'R' } }, {}],
  [{ refresh_token: undefined, user: { access_token: 'other', refresh_token: 'other' } }, { refresh_token: undefined }],
]

test('of a token answer what can be meant is read, and the rest counts as absent', async (t) => {
  for (const [members, expected] of written) {
    const wanted = JSON.parse(JSON.stringify({ ...good, ...expected })) as object
    t.deepEqual(await read(json(members)), wanted as never, JSON.stringify(members))
  }
  t.is((await read(json({ id_token: 'x' }), {}, { wantsIdToken: true }))['id_token'], 'x')
  t.is(({} as { access_token?: unknown }).access_token, undefined)
})

const text = json({})
const form = 'access_token=A&token_type=bearer&expires_in=3600&refresh_token=R'
const forms: string[] = [
  '{"accessToken":"A","tokenType":"Bearer","expiresIn":3600,"Refresh-Token":"R"}',
  `{"code":0,"data":${text}}`,
  `[${text}]`,
  JSON.stringify(text),
  text.replace('{', '{"refresh_token":null,'),
  `\ufeff${text}`,
  `\r\n ${text}\n`,
  `${text.slice(0, -1)},"__proto__":{"access_token":"other"},"deep":${'['.repeat(200)}${']'.repeat(200)}}`,
  form,
]

test('a token answer may have any form, type and status of a success', async (t) => {
  for (const body of forms) t.deepEqual(await read(body), good as never, body)
  for (const type of ['text/html', 'application/jwt', 'application/x-www-form-urlencoded', 'json'])
    for (const body of [text, form]) t.deepEqual(await read(body, { headers: { 'content-type': type } }), good as never)
  for (const status of [201, 202, 203, 206]) t.deepEqual(await read(text, { status }), good as never)
})

const unusable: [body: string, named: RegExp, refreshToken?: string][] = [
  ...[undefined, null, '', 7, ['A'], 'a b', 'a\r\nb', 'caf\u00e9', 'a\0b', 'a'.repeat(8193)].map(
    (access_token): [string, RegExp, string] => [json({ access_token }), /`access_token`/, 'R'],
  ),
  ...['mac', 'DPoP', 'N_A', ['mac'], 'pop'].map((token_type): [string, RegExp, string] => [
    json({ token_type }),
    /`token_type` is “.*only Bearer/,
    'R',
  ]),
  [`{"one":${text},"two":${text}}`, /`access_token` is missing/],
  ['', /it is empty/],
  ['{"access_token":', /not JSON/],
  ['<html>', /HTML or XML/],
  ['null', /null instead of an object/],
]

test('of an answer that cannot be used the member is named, no token is quoted, and the next refresh token is kept', async (t) => {
  for (const [body, named, refreshToken] of unusable) {
    const error = await t.throwsAsync(read(body), { instanceOf: UnusableTokenAnswer, message: named }, body)
    t.is(error?.refreshToken, refreshToken, body)
    t.false(error?.message.includes('caf'), body)
  }
})

test('a refusal is read whatever its status, type and challenge', async (t) => {
  const said = { error: 'invalid_grant', error_description: 'It is over.' }
  const challenge = { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/html' }
  for (const [body, status] of [
    [JSON.stringify(said), 401],
    [JSON.stringify({ ok: false, ...said }), 200],
  ] as const) {
    const answer = await readableTokenAnswer(new Response(body, { status, headers: challenge }))
    t.true(answer.status >= 400)
    t.deepEqual([answer.headers.get('www-authenticate'), await answer.json()], [null, said])
  }
  t.deepEqual(await read('error=bad_code', { status: 200 }), { error: 'bad_code' })
  t.deepEqual(await read('{"error":{"code":"invalid_grant"}}', { status: 400 }), {})
})
