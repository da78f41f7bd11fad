// @promise secrecy
import test from 'ava'
import { accessLog } from '../../api/middleware/access-log.ts'
import { errors } from '../../api/middleware/errors.ts'
import { CodedError } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'

type Context = Parameters<ReturnType<typeof errors>>[0]

/** What a client and the log learn of a request whose route throws. */
async function learned(thrown: unknown) {
  const lines: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void lines.push(line) })
  // As a request of Koa has it: the ticket stands in all of these.
  const url = '/go?ticket=the-ticket'
  const request = {
    method: 'GET',
    url,
    originalUrl: url,
    href: `https://platform.example${url}`,
    search: '?ticket=the-ticket',
    querystring: 'ticket=the-ticket',
    query: { ticket: 'the-ticket' },
    path: '/go',
    req: { method: 'GET', url },
    request: { method: 'GET', url },
    _matchedRoute: '/go',
  }
  const ctx = { ...request, state: {}, status: 404, body: undefined as unknown, set() {} } as unknown as Context
  const fail = () => Promise.reject(thrown)
  await accessLog(logger)(ctx, () => errors(logger)(ctx, fail))
  return { status: ctx.status, body: ctx.body, answer: JSON.stringify(ctx.body), log: lines.join('') }
}

test('a client reads code and sentence of a failure, and the log its private detail', async (t) => {
  const thrown = new CodedError('SITE_UNAVAILABLE', { message: 'A sentence.', privateDetail: 'for developers' })
  const { body, answer, log } = await learned(thrown)
  t.deepEqual(body, { error: 'A sentence.', code: 'SITE_UNAVAILABLE', statusCode: 503 })
  t.false(answer.includes('for developers'))
  t.true(log.includes('for developers'))
  t.false(log.includes('A sentence.'), 'it may quote what a site said')
})

test('of what nobody foresaw a client learns nothing', async (t) => {
  const { status, body, answer, log } = await learned(new Error('relation "agents" of 10.0.0.7'))
  t.is(status, 500)
  t.like(body, { code: 'INTERNAL_ERROR' })
  t.false(answer.includes('10.0.0.7'))
  t.true(log.includes('10.0.0.7'))
})

const levels: [what: string, thrown: unknown, level: string | undefined][] = [
  ['a bug', new TypeError('a bug'), 'error'],
  ['an own fault with a code', new CodedError('INTERNAL_ERROR', { privateDetail: 'lost' }), 'error'],
  ['a payment provider that is away', new CodedError('INTERNAL_ERROR', { isOutside: true }), 'warn'],
  ['a site that is away', new CodedError('SITE_UNAVAILABLE'), 'warn'],
  ['a token that a site refuses', new CodedError('TOOL_EXECUTION_ERROR', { facts: { siteStatus: 401 } }), 'warn'],
  ['a model that refuses', new CodedError('MODEL_ERROR'), 'warn'],
  ['a refusal with a private detail', new CodedError('PERMISSION_DENIED', { privateDetail: 'a nonce' }), 'warn'],
  ['a refusal that the client reads completely', new CodedError('PERMISSION_DENIED'), undefined],
]
for (const [what, thrown, level] of levels)
  test(`only what the platform is to blame for is an error in the log: ${what}`, async (t) => {
    const { log } = await learned(thrown)
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    t.is(lines.find(({ msg }) => msg !== 'request')?.['level'], level)
    t.regex(String(lines[0]?.['time']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

test('the log names the pattern of a route, and no query, where tickets and codes stand', async (t) => {
  const { log } = await learned(new CodedError('NOT_FOUND'))
  t.true(log.includes('"route":"/go"'))
  t.false(log.includes('the-ticket'))
})
