import type { Tool } from '@modelcontextprotocol/server'
import { runStatuses } from '../../src/runs/states.ts'
import { getRun, listRuns } from '../runs.ts'
import { useRoute } from '../route/use-route.ts'
import { whyAgent, whyRun } from '../why.ts'
import type { McpUser } from './mcp-user.ts'
import type { OfferedTool } from './offered.ts'
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
  why: {
    title: 'Explain a run or an agent',
    description: 'Explains why a run or an agent waits, failed or does not run. Give one of the two ids.',
    properties: { runId: id('Run'), agentId: id('Agent, if no run is given') },
    required: [],
  },
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const describe = (name: keyof typeof schemas) => (): Omit<Tool, 'name'> => {
  const { title, description, properties, required } = schemas[name]
  const inputSchema = { type: 'object' as const, properties, required, additionalProperties: false }
  return { title, description, inputSchema, annotations }
}

/** Values of a query are texts. */
const textsOf = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))

/** The tools that only read. Each is the route of the same noun. */
export function readingTools(user: McpUser): OfferedTool[] {
  const whichWhy = ({ runId, agentId }: Record<string, string>) =>
    runId === undefined
      ? useRoute(whyAgent, user, { params: { agentId: agentId ?? '' } })
      : useRoute(whyRun, user, { params: { runId } })
  const work: Record<keyof typeof schemas, (args: Record<string, string>) => Promise<unknown>> = {
    list_runs: (query) => useRoute(listRuns, user, { query }),
    get_run: ({ runId = '' }) => useRoute(getRun, user, { params: { runId } }),
    why: whichWhy,
  }
  return (Object.keys(schemas) as (keyof typeof schemas)[]).map((name) => ({
    name,
    scope: 'read',
    describe: describe(name),
    call: async ({ args }) => resultOf(await work[name](textsOf(args))),
  }))
}

export const readingNames: ReadonlySet<string> = new Set(Object.keys(schemas))
