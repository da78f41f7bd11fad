import { isDeepStrictEqual } from 'node:util'
import { failedIf, skipped, warnedIf, type Check, type Finding } from './check.ts'
import { errorOf, isObject, isSuccess, type Outcome } from './exchange.ts'
import { isJsonType } from './manifest-checks.ts'
import { sampleArguments } from './sample-arguments.ts'
import { callTool, readTools, safeBody, type Site } from './site.ts'
import { callEach, describe, validCalls, withError, type Called } from './tool-checks.ts'

/** Checks one property of the outcome of every valid call. */
const checkCalls =
  (wrong: (outcome: Outcome) => boolean, why: (call: Called) => string = describe) =>
  async (site: Site) => {
    const calls = await validCalls(site)
    if (calls.length === 0) return skipped('No valid arguments could be generated; add examples to the schema.')
    return failedIf(calls.filter(({ outcome }) => wrong(outcome)).map(why))
  }

const needs: Check['needs'] = ['manifest', 'token', 'read tool']
const isRedirect = ({ status, headers }: Outcome) => status >= 300 && status < 400 && headers.has('location')

/** The requirements for a tool's response (docs/specification.md, "Tool call"), for permissions and for limits. */
export const answerChecks: Check[] = [
  {
    id: 'answer-status',
    requirement: 'A valid call is answered with 2xx',
    section: 'Tool call, Success response',
    fix: 'A 5xx means that the site is broken. Answer 404 if something does not exist, and 409 or 422 if the operation is impossible.',
    needs,
    async run(site) {
      const finding = await checkCalls(({ status }) => status >= 500)(site)
      if (finding.result !== 'passed' || (await validCalls(site)).some(({ outcome }) => isSuccess(outcome)))
        return finding
      return skipped('No call with generated arguments succeeded; add working examples to the schemas.')
    },
  },
  {
    id: 'answer-time',
    requirement: 'A call is answered in time',
    section: 'Limits of the platform: 30 seconds',
    fix: 'Do long work in the background, and offer a tool that returns its status.',
    needs,
    run: checkCalls(({ failure }) => failure === 'timeout'),
  },
  {
    id: 'answer-whole',
    requirement: 'The connection stays open until the response is complete',
    section: 'Tool call, Success response',
    fix: 'Look for a crash, or for a proxy that cuts connections.',
    needs,
    run: checkCalls(({ failure }) => failure === 'reset' || failure === 'connect'),
  },
  {
    id: 'answer-redirect',
    requirement: 'A call is not redirected',
    section: 'Tool call; the platform follows no redirect with a credential',
    fix: 'Put the final address into server.url.',
    needs,
    run: checkCalls(isRedirect),
  },
  {
    id: 'answer-size',
    requirement: 'A response has at most 1 MiB',
    section: 'Limits of the platform',
    fix: 'Return a page of results, and accept an argument for the next page.',
    needs,
    run: checkCalls(({ failure }) => failure === 'too-large'),
  },
  {
    id: 'answer-utf8',
    requirement: 'A response is UTF-8',
    section: 'RFC 8259, 8.1',
    fix: 'Encode JSON as UTF-8, whatever encoding the database uses.',
    needs,
    run: checkCalls(
      (outcome) => isSuccess(outcome) && outcome.text === undefined,
      ({ name }) => `${name} is not UTF-8.`,
    ),
  },
  {
    id: 'answer-object',
    requirement: 'A response is a JSON object',
    section: 'Tool call, Success response',
    fix: 'Return { "results": […] } instead of a list.',
    needs,
    run: checkCalls(
      (outcome) => isSuccess(outcome) && outcome.text !== undefined && !isObject(outcome.json),
      ({ name, outcome }) =>
        `${name} answered with ${outcome.json === undefined ? 'text that is not JSON' : 'JSON that is not an object'}.`,
    ),
  },
  {
    id: 'answer-type',
    requirement: 'A response is served as application/json',
    section: 'Tool call, Success response',
    fix: 'Send the header Content-Type: application/json.',
    needs,
    async run(site) {
      const calls = (await validCalls(site)).filter(({ outcome }) => isSuccess(outcome) && outcome.bytes.length > 0)
      const wrong = calls.filter(({ outcome }) => !isJsonType(outcome.headers.get('content-type') ?? ''))
      return warnedIf(wrong.map(({ name, outcome }) => `${name} has the type ${outcome.headers.get('content-type')}.`))
    },
  },
  {
    id: 'same-key',
    requirement: 'An idempotent tool gives the same response to the same Idempotency-Key',
    section: 'Tool, member effect of this platform',
    fix: 'Keep the response by key, user and tool for a day, and return it again; or declare effect: once.',
    needs: ['manifest', 'token'],
    run: sameKey,
  },
  {
    id: 'permission',
    requirement: 'A user who may not use a tool is refused with 403',
    section: 'Tool call, Failure',
    fix: 'Check the permission of the user after the token and before the arguments.',
    needs: ['manifest', 'tool', 'limited token'],
    run: async (site) => {
      const calls = (await limitedCalls(site)).filter(({ outcome }) => !outcome.failure)
      if (calls.length === 0) return skipped('The tools do not answer.')
      if (calls.some(({ outcome }) => outcome.status === 403)) return failedIf([])
      return failedIf(['No tool answered 403 to --token-limited.', ...calls.slice(0, 5).map(describe)])
    },
  },
  {
    id: 'permission-body',
    requirement: 'A 403 carries a JSON body with the member error',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "<which permission is missing>" }.',
    needs: ['manifest', 'tool', 'limited token'],
    run: async (site) => withError(await limitedCalls(site), 403),
  },
  {
    id: 'limit-met',
    requirement: 'Calls are limitedCalls, 60 a minute per token and 200 per address',
    section: 'Limits (recommended)',
    fix: 'Count calls per token, and answer 429 when there are too many.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      if (site.options.burst === 0) return skipped('Allow this many quick calls with --burst 70.')
      await burst(site)
      return warnedIf(limitResponses(site).length > 0 ? [] : [`There was no 429 in ${site.options.burst} quick calls.`])
    },
  },
  {
    id: 'retry-after',
    requirement: 'A 429 says with Retry-After how long to wait',
    section: 'Tool call, Failure; Limits',
    fix: 'Send Retry-After in seconds, or as an HTTP date. The platform holds all calls to the site for that time.',
    needs: ['manifest'],
    run: (site) =>
      onLimits(site, ({ headers }) => !isRetryAfter(headers.get('retry-after')), 'has no usable Retry-After.'),
  },
  {
    id: 'limit-body',
    requirement: 'A 429 carries a JSON body with the member error',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "Too many requests. Wait 30 seconds." }.',
    needs: ['manifest'],
    run: (site) => onLimits(site, (outcome) => errorOf(outcome) === undefined, 'has no { "error": "…" }.'),
  },
]

async function sameKey(site: Site): Promise<Finding> {
  const tools = site.tools.filter(({ effect, inputSchema }) => effect === 'idempotent' && sampleArguments(inputSchema))
  if (tools.length === 0) return skipped('No tool is declared idempotent.')
  if (!site.options.callAll) return skipped('Only read tools are called; allow all with --call-all.')
  const why: string[] = []
  let succeeded = 0
  for (const { name, inputSchema } of tools) {
    const request = { token: site.token, body: sampleArguments(inputSchema), key: `check:${Date.now()}:${name.length}` }
    const first = await callTool(site, name, request)
    const second = await callTool(site, name, request)
    const same = first.status === second.status && isDeepStrictEqual(first.json, second.json)
    if (isSuccess(first)) succeeded += 1
    if (isSuccess(first) && !same) why.push(`${name} answered differently the second time.`)
  }
  return succeeded === 0 ? skipped('No call of an idempotent tool succeeded.') : failedIf(why)
}

const limitedCalls = (site: Site): Promise<Called[]> =>
  site.once('limitedCalls', () =>
    callEach(site.tools, (tool) =>
      callTool(site, tool.name, { token: site.options.limitedToken, body: safeBody(tool) }),
    ),
  )

/** Calls as fast as possible, until the first 429. */
async function burst(site: Site): Promise<void> {
  const [tool] = readTools(site)
  if (!tool) return
  for (let left = site.options.burst; left > 0 && limitResponses(site).length === 0; left -= 1) {
    await callTool(site, tool.name, { token: site.token, body: safeBody(tool), ignoreRetryAfter: true })
  }
}

const limitResponses = ({ exchange }: Site): Outcome[] =>
  exchange.sent.map(({ outcome }) => outcome).filter(({ status }) => status === 429)

function onLimits(site: Site, wrong: (outcome: Outcome) => boolean, sentence: string): Finding {
  const met = limitResponses(site)
  if (met.length === 0) return skipped('There was no 429; try --burst 70.')
  return failedIf(met.some(wrong) ? [`A 429 ${sentence}`] : [])
}

const isRetryAfter = (value: string | null): boolean =>
  value !== null && (/^\d{1,6}$/.test(value) || (/[a-z]/i.test(value) && !Number.isNaN(Date.parse(value))))
