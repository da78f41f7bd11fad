// @promise secrecy
import test from 'ava'
import { openapi } from '../../api/openapi/openapi.ts'
import { routes } from '../../api/routes.ts'
import { createLogger, redact, secretNames, type Logger } from '../../src/logger.ts'

/** Logs something and returns the line, and what it says. */
function logged(log: (logger: Logger) => void): { line: string; said: Record<string, unknown> } {
  let line = ''
  log(createLogger('debug', 'test', { write: (text: string) => void (line += text) }))
  return { line, said: JSON.parse(line) as Record<string, unknown> }
}

const canary = 'canary-4711'

const secretMembers: Record<string, unknown>[] = [
  { authorization: canary },
  { headers: { 'X-Webhook-Secret': canary, 'set-cookie': [canary, canary] } },
  { a: { b: { c: { d: { refresh_token: canary } } } } },
  { list: [[{ accessToken: canary }]] },
  { payload: { title: canary, deep: { er: [{ brace: '}', text: canary }] } } },
  { payload: `{"title":"${canary}"}` },
  { arguments: { text: JSON.stringify({ title: canary }) } },
  { result: [[canary]] },
  { systemPrompt: `Line one\nline two "quoted" ${canary}` },
  { password: 4711 },
  { body: JSON.stringify({ user: 'ada', password: canary }) },
  { body: JSON.stringify({ harmless: { token: canary } }) },
  { body: JSON.stringify({ payload: { a: { b: canary } }, also: canary }) },
  { body: JSON.stringify({ inner: JSON.stringify({ secret: canary }) }) },
  { form: `grant_type=refresh_token&refresh_token=${canary}&client_id=me` },
  { query: `?code_verifier=${canary}` },
]

test('every name of a secret is redacted, with `-` or `_` anywhere in it', (t) => {
  for (const name of secretNames)
    for (const spelled of [name, name.toUpperCase(), name.split('').join('-'), name.split('').join('_')])
      t.notRegex(redact(JSON.stringify({ [spelled]: canary })), /canary/, spelled)
})

for (const members of secretMembers) {
  test(`a secret member is not logged: ${JSON.stringify(members)}`, (t) => {
    const { line } = logged((logger) => logger.info(members, 'hello'))
    t.notRegex(line, /canary|4711/)
    t.regex(line, /redacted/)
    t.regex(line, /hello/)
  })
}

/** As the product and its peers spell them: headers, members of bodies, parameters of forms, columns, log entries. */
const usualNames = (
  'Authorization Proxy-Authorization Cookie Set-Cookie password currentPassword newPassword token accessToken access_token ' +
  'refreshToken refresh_token sessionToken X-Session-Token csrfToken X-CSRF-Token recoveryCodes otpauthUri secret webhookSecret webhook_secret callbackSecret ' +
  'callback_secret X-Webhook-Secret X-Gitlab-Token client_secret apiKey api_key credential code_verifier payload prompt systemPrompt ' +
  'system_prompt arguments result'
).split(' ')

test('a member of a secret name is redacted wherever it stands, however the name is written', (t) => {
  for (const name of usualNames)
    for (const spelt of [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll('-', '_')]) {
      const line = (members: object) => logged((logger) => logger.info(members, 'hello')).line
      const quoted = JSON.stringify({ [spelt]: canary })
      for (const text of [
        line({ headers: { [spelt]: canary } }),
        line({ [spelt]: { deep: [canary] } }),
        line({ body: quoted }),
        line({ form: `a=b&${spelt}=${canary}` }),
        redact(`not JSON: ${quoted}`),
      ]) {
        t.false(text.includes(canary), `${spelt} in ${text}`)
        t.true(text.includes('[redacted]'))
      }
    }
})

/** What answers show once and requests bring, by its name; `tokenType` and the like say nothing. */
const isSecretOfOurs = (name: string): boolean =>
  /(password|secret|prompt|payload|credential|arguments|result|verifier|token|recoveryCodes|otpauthUri)$/i.test(name)

test('every member of a request or an answer that is a secret by its name is redacted', (t) => {
  const names = namesIn(openapi(routes, 'http://test')).filter(isSecretOfOurs)
  t.true(names.length >= 10)
  for (const name of names) t.false(redact(JSON.stringify({ [name]: canary })).includes(canary), name)
})

/** The members of all schemas in a document, however deep. */
function namesIn(document: unknown): string[] {
  const names = new Set<string>()
  JSON.stringify(document, (key, value: unknown) => {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name)
    return value
  })
  return [...names]
}

const secretValues = [
  'sy_key_0123456789abcdefghij',
  'whsec_0123456789abcdefghij',
  'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'Bearer abcdef123456',
  'Basic YWRhOnBhc3N3b3Jk',
]

for (const value of secretValues) {
  test(`a text that is a secret by its look is not logged wherever it stands: ${value.slice(0, 8)}`, (t) => {
    const places = logged((logger) =>
      logger.info({ note: value, deep: [{ er: `before ${value} after` }], [value]: 1 }, `said ${value}`),
    )
    t.false(places.line.includes(value.split(' ').at(-1) ?? value))
  })
}

test('the password of a URL is not logged, and the rest of the URL is', (t) => {
  const { said } = logged((logger) => logger.info('postgres://switchyard:hunter22@127.0.0.1:5432/db'))
  t.is(said['msg'], 'postgres://switchyard:[password]@127.0.0.1:5432/db')
})

test('an error is logged without what libraries attach to it', (t) => {
  const cause = Object.assign(new Error('the inner one'), { request: { body: canary } })
  const error = Object.assign(new Error(`with "token":"${canary}" in it`, { cause }), {
    code: 'ECONNRESET',
    detail: canary,
    config: { headers: { authorization: canary } },
  })
  const { line, said } = logged((logger) => logger.error({ err: error }, 'failed'))
  t.notRegex(line, /canary/)
  t.like(said['err'], { type: 'Error', code: 'ECONNRESET', cause: { message: 'the inner one' } })
})

test('what is no secret stays readable', (t) => {
  const members = {
    runId: '01a1',
    code: 'UNAUTHORIZED',
    attempt: 2,
    token: null,
    payload: true,
    ms: 1.5,
    list: [1, 'two'],
  }
  t.like(logged((logger) => logger.info(members, 'a token was refused')).said, {
    ...members,
    msg: 'a token was refused',
  })
})

const forged = `one\n{"level":30,"msg":"forged"}\r\nthree\u001b[2J\u001b]0;title\u0007\u009b31m\u0085\u2028\u2029\u202egnp.exe`

test('a text with line breaks, ANSI or direction characters stays one printable line', (t) => {
  const { line, said } = logged((logger) => logger.info({ note: forged, [forged]: forged }, forged))
  t.is(line.indexOf('\n'), line.length - 1)
  // oxlint-disable-next-line no-control-regex -- controls are what is looked for
  t.notRegex(line.trimEnd(), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
  t.is(said['msg'], forged)
  t.is(said['note'], forged)
})

test('a line that is no JSON is redacted by what it looks like', (t) => {
  t.is(
    redact(`Authorization: Bearer abcdef123456 token=${canary}\n`),
    'Authorization: Bearer [token] token=[redacted]\n',
  )
  t.is(redact(`{"password":"${canary}`), '{"password":"[redacted]"')
})

test('a huge hostile line is redacted in time', (t) => {
  const before = process.threadCpuUsage()
  for (const piece of [
    '"a":"',
    '\\"token\\":\\"',
    'Bearer ',
    'eyJaaaaaaaaa.',
    '://a:b',
    'a=b&',
    '"'.repeat(3),
    '\\',
    'a-',
    'eyJ-',
    ' ',
    'sy_',
    '"a"  ',
  ]) {
    redact(JSON.stringify({ msg: piece.repeat(150_000 / piece.length) }))
  }
  // What is quadratic takes a minute. Time of this thread, whatever else the machine does.
  t.true(process.threadCpuUsage(before).user < 5_000_000)
})
