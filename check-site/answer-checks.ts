import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../src/json.ts'
import { readHttpDate } from '../src/safe-fetch/http-date.ts'
import {
  absent,
  failedIf,
  skipped,
  toolsSilent,
  warnedIf,
  withoutArguments,
  type Check,
  type Finding,
} from './check.ts'
import { callEach, describe, validCalls, type Called } from './calls.ts'
import { errorOf, isSuccess, type Outcome } from './exchange.ts'
import { isJsonType } from './manifest-checks.ts'
import { answeredByTool } from './obstacles.ts'
import { sampleArguments } from './sample-arguments.ts'
import { callTool, readTools, safeBody, type Site } from './site.ts'
import { withError } from './tool-checks.ts'

/** Checks one property of the outcome of every valid call. */
const checkCalls =
  (wrong: (outcome: Outcome) => boolean, judged = answeredByTool) =>
  async (site: Site) => {
    const calls = await validCalls(site)
    if (calls.length === 0) return withoutArguments
    return failedIf(
      judged(site, calls)
        .filter(({ outcome }) => wrong(outcome))
        .map(describe),
    )
  }

const all = (_site: Site, calls: Called[]): Called[] => calls
const needs: Check['needs'] = ['manifest', 'token', 'read tool']

/** The requirements for a tool's response (docs/specification.md, "Tool call"), for permissions and for limits. */
export const answerChecks: Check[] = [
  {
    id: 'answer-status',
    requirement: 'A valid call is answered with 2xx',
    section: 'Tool call, Success response',
    fix: 'A 5xx means that the site is broken. Return 404 if something does not exist, and 409 or 422 if the operation is impossible.',
    needs,
    async run(site) {
      const finding = await checkCalls(({ status }) => status >= 500)(site)
      if (finding.result !== 'passed' || (await validCalls(site)).some(({ outcome }) => isSuccess(outcome)))
        return finding
      return skipped('No call with generated arguments succeeded.', 'Add working examples to the schemas.')
    },
  },
  {
    id: 'answer-time',
    requirement: 'A call is answered in time',
    section: 'Limits of the platform: 30 seconds',
    fix: 'Do long work in the background, and offer a tool that returns its status.',
    needs,
    run: checkCalls(({ failure }) => failure === 'timeout', all),
  },
  {
    id: 'answer-whole',
    requirement: 'The connection stays open until the response is complete',
    section: 'Tool call, Success response',
    fix: 'Look for a crash, or for a proxy that cuts connections.',
    needs,
    run: checkCalls(({ failure }) => failure === 'reset' || failure === 'connect', all),
  },
  {
    id: 'answer-size',
    requirement: 'A response is at most 1 MiB',
    section: 'Limits of the platform',
    fix: 'Return a page of results, and accept an argument for the next page.',
    needs,
    run: checkCalls(({ failure }) => failure === 'too-large', all),
  },
  {
    id: 'answer-utf8',
    requirement: 'A response is UTF-8',
    section: 'RFC 8259, section 8.1',
    fix: 'Encode JSON as UTF-8, whatever encoding the database uses.',
    needs,
    run: checkCalls((outcome) => isSuccess(outcome) && outcome.text === undefined),
  },
  {
    id: 'answer-object',
    requirement: 'A response is a JSON object',
    section: 'Tool call, Success response',
    fix: 'Return { "results": […] } instead of a list.',
    needs,
    run: checkCalls((outcome) => isSuccess(outcome) && outcome.text !== undefined && !isObject(outcome.json)),
  },
  {
    id: 'answer-type',
    requirement: 'A response is served as application/json',
    section: 'Tool call, Success response',
    fix: 'Send the header Content-Type: application/json.',
    needs,
    async run(site) {
      const calls = answeredByTool(site, await validCalls(site))
      const successes = calls.filter(({ outcome }) => isSuccess(outcome) && outcome.bytes.length > 0)
      const wrong = successes.filter(({ outcome }) => !isJsonType(outcome.headers.get('content-type') ?? ''))
      return warnedIf(wrong.map(({ name, outcome }) => `${name} has the type ${outcome.headers.get('content-type')}.`))
    },
  },
  {
    id: 'same-key',
    requirement: 'An idempotent tool gives the same response to the same Idempotency-Key',
    section: 'Tool, member effect of this platform',
    fix: 'Store the response for a day under its key, user and tool, and return it to repeated calls, or declare effect: once.',
    needs: ['manifest', 'token'],
    run: sameKey,
  },
  {
    id: 'permission',
    requirement: 'A user who may not use a tool is refused with 403',
    section: 'Tool call, Failure',
    fix: 'Check the permission of the user after the token and before the arguments.',
    needs: ['manifest', 'tool', 'limited token'],
    causes: ['no-token'],
    run: async (site) => {
      const calls = answeredByTool(site, await limitedCalls(site))
      if (calls.length === 0) return toolsSilent
      if (calls.some(({ outcome }) => outcome.status === 403)) return failedIf([])
      return failedIf(['No tool responded with 403 to --token-limited.', ...calls.slice(0, 5).map(describe)])
    },
  },
  {
    id: 'permission-body',
    requirement: 'A 403 carries a JSON body with an "error" member',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "<which permission is missing>" }.',
    needs: ['manifest', 'tool', 'limited token'],
    run: async (site) => withError(site, await limitedCalls(site), 403),
  },
  {
    id: 'limit-met',
    requirement: 'Calls are limited to 60 a minute per token and 200 a minute per address',
    section: 'Limits (recommended)',
    fix: 'Count calls per token, and return 429 when there are too many.',
    needs: ['manifest', 'token', 'read tool'],
    run: limitMet,
  },
  {
    id: 'retry-after',
    requirement: 'A 429 has a Retry-After header that says how long to wait',
    section: 'Tool call, Failure; Limits',
    fix: 'Send Retry-After in seconds, or as an HTTP date. The platform holds all calls to the site until then.',
    needs: ['manifest'],
    run: (site) => onLimits(site, (outcome) => retryAfterProblem(outcome)),
  },
  {
    id: 'limit-body',
    requirement: 'A 429 carries a JSON body with an "error" member',
    section: 'Site-side errors',
    fix: 'Answer with { "error": "Too many requests. Wait 30 seconds." }.',
    needs: ['manifest'],
    run: (site) =>
      onLimits(site, (outcome) => (errorOf(outcome) === undefined ? 'It has no { "error": "…" }.' : undefined)),
  },
]

async function sameKey(site: Site): Promise<Finding> {
  const tools = site.tools.filter(({ effect, inputSchema }) => effect === 'idempotent' && sampleArguments(inputSchema))
  if (tools.length === 0) return absent('No tool is declared idempotent.')
  if (!site.options.callAll) return skipped('Only read tools are called.', 'Give --call-all, on a test system only.')
  const why: string[] = []
  let succeeded = 0
  for (const { name, inputSchema } of tools) {
    const request = { token: site.token, body: sampleArguments(inputSchema), key: `check:${Date.now()}:${name.length}` }
    const first = await callTool(site, name, request)
    const second = await callTool(site, name, request)
    const same = first.status === second.status && isDeepStrictEqual(first.json, second.json)
    if (isSuccess(first)) succeeded += 1
    if (isSuccess(first) && !same) why.push(`${describe({ name, outcome: second })} The first time it ${first.what}.`)
  }
  if (succeeded > 0) return failedIf(why)
  return skipped(
    'No call of an idempotent tool succeeded.',
    'Give a token that may use an idempotent tool, and add examples to the schema of that tool.',
  )
}

const limitedCalls = (site: Site): Promise<Called[]> =>
  site.once('limitedCalls', () =>
    callEach(site.tools, (tool) =>
      callTool(site, tool.name, { token: site.options.limitedToken, body: safeBody(tool) }),
    ),
  )

/** Calls as fast as possible until the first refusal. */
const burst = (site: Site): Promise<Called[]> =>
  site.once('burst', async () => {
    const [tool] = readTools(site)
    const calls: Called[] = []
    if (!tool) return calls
    while (calls.length < site.options.burst && calls.every(({ outcome }) => isSuccess(outcome))) {
      const request = { token: site.token, body: safeBody(tool), ignoreRetryAfter: true }
      calls.push({ name: tool.name, outcome: await callTool(site, tool.name, request) })
    }
    return calls
  })

async function limitMet(site: Site): Promise<Finding> {
  if (site.options.burst === 0) return skipped('No quick calls were made.', 'Give --burst 70.')
  const calls = await burst(site)
  if (limitResponses(site).length > 0) return failedIf([])
  const last = calls.at(-1)
  if (!last) return toolsSilent
  if (isSuccess(last.outcome)) return warnedIf([`${calls.length} quick calls were answered, none of them with 429.`])
  if (calls.length === 1) return skipped('Even the first quick call was refused.', 'Fix what failed above first.')
  return failedIf([`Quick call ${calls.length} should have received a 429, but ${describe(last)}`])
}

const limitResponses = ({ exchange }: Site): Outcome[] =>
  exchange.sent.map(({ outcome }) => outcome).filter(({ status }) => status === 429)

function onLimits(site: Site, problem: (outcome: Outcome) => string | undefined): Finding {
  const met = limitResponses(site)
  if (met.length === 0)
    return skipped('There was no 429.', 'Give --burst with more calls than the site allows per minute.')
  const wrong = met.find((outcome) => problem(outcome) !== undefined)
  return failedIf(wrong ? [`${describe({ name: 'A tool', outcome: wrong })} ${problem(wrong)}`] : [])
}

/** A past date would let the platform call again immediately. */
function retryAfterProblem({ headers, at }: Outcome): string | undefined {
  const value = headers.get('retry-after')
  if (value === null) return 'It has no Retry-After.'
  if (/^\d{1,6}$/.test(value)) return undefined
  const date = /^[a-z]/i.test(value) ? readHttpDate(value, new Date(at)) : undefined
  if (date === undefined) return `Its Retry-After is ${JSON.stringify(value)}: neither seconds nor an HTTP date.`
  return date > at ? undefined : `Its Retry-After, ${value}, is in the past.`
}
