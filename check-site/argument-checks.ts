import { absent, failedIf, skipped, toolsSilent, type Check, type Finding } from './check.ts'
import { callEach, callWith, describe, invalidCalls } from './calls.ts'
import { errorOf, isRefusal } from './exchange.ts'
import { answeredByTool } from './obstacles.ts'
import { convertibleArguments, violatingArguments } from './sample-arguments.ts'
import { callableTools, callTool, type Site } from './site.ts'

const generic =
  /^(?:an? )?(?:unknown |internal |server )?(?:error|failed|failure|bad request|invalid(?: request)?|\d+)[.!]?$/i

/** The requirements for arguments that do not fit (docs/specification.md, "Tool call"). */
export const argumentChecks: Check[] = [
  {
    id: 'arguments-checked',
    requirement: 'Arguments that do not fit input_schema are refused with 4xx',
    section: 'Tool call: parse the input parameters',
    fix: "Validate the body against the tool's input_schema first, and return 400 if it does not match.",
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const sent = await invalidCalls(site)
      if (sent.length === 0) return nothingToRefuse(site)
      const calls = answeredByTool(site, sent)
      if (calls.length === 0) return toolsSilent
      return failedIf(calls.filter(({ outcome }) => !isRefusal(outcome)).map(describe))
    },
  },
  {
    id: 'arguments-message',
    requirement: 'The error for wrong arguments says what is wrong',
    section: 'Tool call: error responses carry a meaningful message',
    fix: 'Name the member and what it must be: { "error": "id must be a number" }. A model reads the error and tries again.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const sent = await invalidCalls(site)
      if (sent.length === 0) return nothingToRefuse(site)
      const refused = answeredByTool(site, sent).filter(({ outcome }) => isRefusal(outcome) && outcome.status !== 429)
      if (refused.length === 0) return skipped('No wrong arguments were refused.', 'Fix [arguments-checked] first.')
      return failedIf(refused.filter(({ outcome }) => generic.test(errorOf(outcome) ?? 'error')).map(describe))
    },
  },
  {
    id: 'arguments-converted',
    requirement: 'Arguments of another type are refused, not converted',
    section: 'Tool call: parse the input parameters',
    fix: 'Do not turn "1" into 1 or "true" into true: a model that sends the wrong type must learn that from a 400.',
    needs: ['manifest', 'token', 'read tool'],
    causes: ['arguments-checked'],
    run: convertedRefused,
  },
  {
    id: 'body-checked',
    requirement: 'A body that is not a JSON object is refused with 4xx',
    section: 'Tool call, Request body',
    fix: 'Return 400 for invalid JSON, for lists and for any other value that is not an object.',
    needs: ['manifest', 'token', 'read tool'],
    run: async (site) => {
      const [tool] = callableTools(site)
      const bodies = ['[]', '{"cut'].map((body) => ({ name: tool?.name ?? '', body }))
      const calls = await callEach(bodies, ({ name, body }) => callTool(site, name, { token: site.token, body }))
      const sent = calls.map(({ outcome }, i) => ({ name: `To ${bodies[i]?.body}, ${tool?.name ?? ''}`, outcome }))
      return failedIf(
        answeredByTool(site, sent)
          .filter(({ outcome }) => !isRefusal(outcome))
          .map(describe),
      )
    },
  },
]

/** Wrong arguments are sent only to read tools, because a site that does not check them would act on them. */
function nothingToRefuse({ tools }: Site): Finding {
  if (!tools.some(({ inputSchema }) => violatingArguments(inputSchema))) return absent('No schema rejects anything.')
  return skipped(
    'The schemas of the tools that only read reject nothing, and other tools are not called with wrong arguments.',
    'Give --call-all, on a test system.',
  )
}

function nothingToConvert({ tools }: Site): Finding {
  if (!tools.some(({ inputSchema }) => convertibleArguments(inputSchema)))
    return absent('No tool takes numbers or booleans.')
  return absent('No tool that was called takes numbers or booleans. On a test system, --call-all calls every tool.')
}

/** Sends strings instead of numbers and booleans. */
async function convertedRefused(site: Site): Promise<Finding> {
  const tools = callableTools(site).filter(({ inputSchema }) => convertibleArguments(inputSchema))
  if (tools.length === 0) return nothingToConvert(site)
  const calls = await callWith(site, convertibleArguments)
  const sent = new Map(tools.map(({ name, inputSchema }) => [name, JSON.stringify(convertibleArguments(inputSchema))]))
  const taken = answeredByTool(site, calls).filter(({ outcome }) => !isRefusal(outcome))
  return failedIf(taken.map((call) => `To ${sent.get(call.name)}, ${describe(call)}`))
}
