import type { Tool } from '@modelcontextprotocol/server'
import { runStatuses } from '../../src/runs/states.ts'
import { assertThat, CodedError, problemInWords } from '../../src/errors.ts'
import { getCall } from '../calls.ts'
import { getRun, listRuns } from '../runs.ts'
import { useRoute } from '../route/use-route.ts'
import { whyAgent, whyRun } from '../why.ts'
import type { McpUser } from './mcp-user.ts'
import type { CallTool, OfferedTool } from './offered.ts'
import { resultOf } from './results.ts'

const id = (description: string) => ({ type: 'string' as const, maxLength: 64, description })

const schemas = {
  list_runs: {
    title: 'List runs',
    description: 'Lists runs of agents, newest first. nextCursor continues the list.',
    properties: {
      agentId: id('Return only runs of this agent'),
      status: { type: 'string', enum: [...runStatuses], description: 'Return only runs with this status' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Maximum number of runs to return' },
      cursor: { type: 'string', maxLength: 512, description: 'nextCursor of the previous page' },
    },
    required: [] as string[],
  },
  get_run: {
    title: 'Get a run',
    description: 'Returns the status, answer, usage and cost of a run.',
    properties: { runId: id('Run') },
    required: ['runId'],
  },
  get_call: {
    title: "Get a call of a site's tool",
    description: 'Returns the status and the result of a call that took too long to wait for.',
    properties: { vaultEntryId: id('Site'), callId: id('Call') },
    required: ['vaultEntryId', 'callId'],
  },
  why: {
    title: 'Explain a run or an agent',
    description: 'Explains why a run or an agent waits, failed or does not run. Give one of the two ids.',
    properties: { runId: id('Run'), agentId: id('Agent, if no run is given') },
    required: [],
  },
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

type Name = keyof typeof schemas

const inputSchemaOf = (name: Name) => {
  const { properties, required } = schemas[name]
  return { type: 'object' as const, properties, required, additionalProperties: false }
}

function describe(name: Name): Omit<Tool, 'name'> {
  const { title, description } = schemas[name]
  return { title, description, inputSchema: inputSchemaOf(name), annotations }
}

type Args = Record<string, string>

const work: Record<Name, (user: McpUser, args: Args) => Promise<unknown>> = {
  list_runs: (user, query) => useRoute(listRuns, user, { query }),
  get_run: (user, params) => useRoute(getRun, user, { params }),
  get_call: (user, { vaultEntryId = '', callId = '' }) =>
    useRoute(getCall, user, { params: { entryId: vaultEntryId, callId } }),
  async why(user, { runId, agentId }) {
    if (runId !== undefined) return useRoute(whyRun, user, { params: { runId } })
    if (agentId !== undefined) return useRoute(whyAgent, user, { params: { agentId } })
    throw new CodedError('VALIDATION_ERROR', { message: 'Give runId or agentId.' })
  },
}

export const isReading = (name: unknown): name is Name => typeof name === 'string' && Object.hasOwn(schemas, name)

/** The tools that only read. */
export const readingTools: readonly OfferedTool[] = (Object.keys(schemas) as Name[]).map((name) => ({
  name,
  place: { section: 'reading', id: '', name },
  describe: () => describe(name),
}))

/** Such a tool, which is the route of the same noun. */
export const readingTool = (user: McpUser, name: string): CallTool | undefined =>
  isReading(name) ? async ({ args }) => resultOf(await work[name](user, await textsIn(user, name, args))) : undefined

/** The arguments as the texts that a query has. VALIDATION_ERROR if they are not as the tool says. */
async function textsIn({ services, ownerId }: McpUser, name: Name, args: Record<string, unknown>): Promise<Args> {
  const details = await services.sites.argumentProblems(inputSchemaOf(name), JSON.stringify(args), ownerId)
  const message = `The arguments do not match the tool's input schema: ${details.slice(0, 1).map(problemInWords).join('')}`
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
  return Object.fromEntries(Object.entries(args).map(([member, value]) => [member, String(value)]))
}
