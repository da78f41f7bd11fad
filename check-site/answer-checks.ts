import { isDeepStrictEqual } from 'node:util'
import { failedIf, skipped, warnedIf, type Check, type Finding } from './check.ts'
import { errorOf, isObject, isSuccess, type Outcome } from './exchange.ts'
import { isJsonType } from './manifest-checks.ts'
import { sampleArguments } from './sample-arguments.ts'
import { callTool, harmlessBody, readTools, type Site } from './site.ts'
import { each, said, tried, withError, type Called } from './tool-checks.ts'

/** Judges every call with good arguments by one property of its outcome. */
const judged =
  (wrong: (outcome: Outcome) => boolean, why: (call: Called) => string = said) =>
  async (site: Site) => {
    const calls = await tried(site)
    if (calls.length === 0) return skipped('No arguments that fit were found; put examples into the schema.')
    return failedIf(calls.filter(({ outcome }) => wrong(outcome)).map(why))
  }

const needs: Check['needs'] = ['manifest', 'token', 'read tool']
const isRedirect = ({ status, headers }: Outcome) => status >= 300 && status < 400 && headers.has('location')

/** The duties of a tool's answer (docs/specification.md, "Tool call"), of permissions and of limits. */
export const answerChecks: Check[] = [
  {
    id: 'answer-status',
    demands: 'A good call is answered with 2xx',
    section: 'Tool call, Success response',
    mend: 'A status of 5xx says that the site is broken. For what is not there answer 404, for what cannot be done 409 or 422.',
    needs,
    async run(site) {
      const finding = await judged(({ status }) => status >= 500)(site)
      if (finding.result !== 'passed' || (await tried(site)).some(({ outcome }) => isSuccess(outcome))) return finding
      return skipped('No call with made-up arguments succeeded; put examples that do into the schemas.')
    },
  },
  {
    id: 'answer-time',
    demands: 'A call is answered in time',
    section: 'Limits of the platform: 30 seconds',
    mend: 'Do long work in the background, and offer a tool that asks how it stands.',
    needs,
    run: judged(({ failure }) => failure === 'timeout'),
  },
  {
    id: 'answer-whole',
    demands: 'The connection lasts until the answer is whole',
    section: 'Tool call, Success response',
    mend: 'Look for a crash, or for a proxy in front that cuts connections.',
    needs,
    run: judged(({ failure }) => failure === 'reset' || failure === 'connect'),
  },
  {
    id: 'answer-redirect',
    demands: 'A call is not redirected',
    section: 'Tool call; the platform follows no redirect with a credential',
    mend: 'Put the final address into server.url.',
    needs,
    run: judged(isRedirect),
  },
  {
    id: 'answer-size',
    demands: 'An answer has at most 1 MiB',
    section: 'Limits of the platform',
    mend: 'Answer with a page of results, and take a member for the next.',
    needs,
    run: judged(({ failure }) => failure === 'too-large'),
  },
  {
    id: 'answer-utf8',
    demands: 'An answer is UTF-8',
    section: 'RFC 8259, 8.1',
    mend: 'Encode JSON as UTF-8, whatever the database holds.',
    needs,
    run: judged(
      (outcome) => isSuccess(outcome) && outcome.text === undefined,
      ({ name }) => `${name} is not UTF-8.`,
    ),
  },
  {
    id: 'answer-object',
    demands: 'An answer is a JSON object',
    section: 'Tool call, Success response',
    mend: 'Answer { "results": […] } in place of a list.',
    needs,
    run: judged(
      (outcome) => isSuccess(outcome) && outcome.text !== undefined && !isObject(outcome.json),
      ({ name, outcome }) =>
        `${name} answered with ${outcome.json === undefined ? 'no JSON' : 'JSON of another kind'}.`,
    ),
  },
  {
    id: 'answer-type',
    demands: 'An answer is served as application/json',
    section: 'Tool call, Success response',
    mend: 'Send the header Content-Type: application/json.',
    needs,
    async run(site) {
      const calls = (await tried(site)).filter(({ outcome }) => isSuccess(outcome) && outcome.bytes.length > 0)
      const wrong = calls.filter(({ outcome }) => !isJsonType(outcome.headers.get('content-type') ?? ''))
      return warnedIf(wrong.map(({ name, outcome }) => `${name} has the type ${outcome.headers.get('content-type')}.`))
    },
  },
  {
    id: 'same-key',
    demands: 'An idempotent tool answers the same to the same Idempotency-Key',
    section: 'Tool, member effect of this platform',
    mend: 'Keep the answer by key, user and tool for a day, and give it again; or declare effect: once.',
    needs: ['manifest', 'token'],
    run: sameKey,
  },
  {
    id: 'permission',
    demands: 'A user who may not use a tool is refused with 403',
    section: 'Tool call, Failure',
    mend: 'Check the permission of the user after the token and before the arguments.',
    needs: ['manifest', 'tool', 'limited token'],
    run: async (site) => {
      const calls = (await limited(site)).filter(({ outcome }) => !outcome.failure)
      if (calls.length === 0) return skipped('The tools do not answer.')
      if (calls.some(({ outcome }) => outcome.status === 403)) return failedIf([])
      return failedIf(['No tool answered 403 to --token-limited.', ...calls.slice(0, 5).map(said)])
    },
  },
  {
    id: 'permission-body',
    demands: 'A 403 carries a JSON body with the member error',
    section: 'Site-side errors',
    mend: 'Answer with { "error": "<which permission is missing>" }.',
    needs: ['manifest', 'tool', 'limited token'],
    run: async (site) => withError(await limited(site), 403),
  },
  {
    id: 'limit-met',
    demands: 'Calls are limited, 60 a minute per token and 200 per address',
    section: 'Limits (recommended)',
    mend: 'Count calls per token, and answer 429 when there are too many.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      if (site.options.burst === 0) return skipped('Say with --burst 70 that so many quick calls may be made.')
      await burst(site)
      return warnedIf(limits(site).length > 0 ? [] : [`There was no 429 in ${site.options.burst} quick calls.`])
    },
  },
  {
    id: 'retry-after',
    demands: 'A 429 says with Retry-After how long to wait',
    section: 'Tool call, Failure; Limits',
    mend: 'Send Retry-After in seconds, or as an HTTP date. All calls to the site wait as long.',
    needs: ['manifest'],
    run: (site) =>
      onLimits(site, ({ headers }) => !isRetryAfter(headers.get('retry-after')), 'has no usable Retry-After.'),
  },
  {
    id: 'limit-body',
    demands: 'A 429 carries a JSON body with the member error',
    section: 'Site-side errors',
    mend: 'Answer with { "error": "Too many requests. Wait 30 seconds." }.',
    needs: ['manifest'],
    run: (site) => onLimits(site, (outcome) => errorOf(outcome) === undefined, 'has no { "error": "…" }.'),
  },
]

async function sameKey(site: Site): Promise<Finding> {
  const tools = site.tools.filter(({ effect, inputSchema }) => effect === 'idempotent' && sampleArguments(inputSchema))
  if (tools.length === 0) return skipped('No tool is declared idempotent.')
  if (!site.options.callAll) return skipped('Only tools that read are called; say with --call-all that all may be.')
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

const limited = (site: Site): Promise<Called[]> =>
  site.once('limited', () =>
    each(site.tools, (tool) =>
      callTool(site, tool.name, { token: site.options.limitedToken, body: harmlessBody(tool) }),
    ),
  )

/** Calls as quickly as it goes, until the first 429. */
async function burst(site: Site): Promise<void> {
  const [tool] = readTools(site)
  if (!tool) return
  for (let left = site.options.burst; left > 0 && limits(site).length === 0; left -= 1) {
    await callTool(site, tool.name, { token: site.token, body: harmlessBody(tool), impatient: true })
  }
}

const limits = ({ exchange }: Site): Outcome[] =>
  exchange.asked.map(({ outcome }) => outcome).filter(({ status }) => status === 429)

function onLimits(site: Site, wrong: (outcome: Outcome) => boolean, sentence: string): Finding {
  const met = limits(site)
  if (met.length === 0) return skipped('There was no 429; try --burst 70.')
  return failedIf(met.some(wrong) ? [`A 429 ${sentence}`] : [])
}

const isRetryAfter = (value: string | null): boolean =>
  value !== null && (/^\d{1,6}$/.test(value) || (/[a-z]/i.test(value) && !Number.isNaN(Date.parse(value))))
