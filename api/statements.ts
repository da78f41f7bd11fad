import * as v from 'valibot'
import { route } from './route/route.ts'
import {
  agentStatement,
  monthCsv,
  monthStatement,
  runCsv,
  runStatement,
  statementMonth,
} from './schemas/statement-schema.ts'
import { listOf, ofOwner } from './schemas/schemas.ts'
import { agentNamed, runNamed } from './route/resources.ts'

const shared = { access: 'account', method: 'get', status: 200 } as const
const asCsv = 'Returns CSV if you request `text/csv`.'
const bounds = 'The 1,000 largest lines are listed, and the others are totaled by kind.'

const inUsd = (nanoUsd: number | null): number | null => (nanoUsd === null ? null : nanoUsd / 1e9)

export const listStatements = route({
  ...shared,
  tag: 'billing',
  name: 'listStatements',
  path: '/billing/statements',
  summary: 'List months with statements',
  description:
    'Lists the months since the first change in the balance, latest first. In a workspace, requires the `admin` or `owner` role.',
  owner: 'query',
  needs: 'administer',
  whenClosed: true,
  query: v.strictObject(ofOwner),
  response: listOf(statementMonth),
  async handle({ services, ownerId }) {
    const months = await services.billing.statements.months(ownerId)
    return { items: months.map((month) => ({ month })) }
  },
})

export const getStatement = route({
  ...shared,
  tag: 'billing',
  name: 'getStatement',
  path: '/billing/statements/{month}',
  summary: 'Get a monthly statement',
  description:
    'Shows the credits added, expired and used in a calendar month (UTC): steps grouped by agent, all chats combined, ' +
    `and every other change on its own line. ${bounds} A workspace's statement shows its usage, and its opening balance is 0. ${asCsv} ` +
    'In a workspace, requires the `admin` or `owner` role.',
  owner: 'query',
  needs: 'administer',
  whenClosed: true,
  query: v.strictObject(ofOwner),
  response: monthStatement,
  csv: monthCsv,
  codes: ['NOT_FOUND'],
  handle: ({ services, ownerId, params }) => services.billing.statements.ofMonth(ownerId, params.month),
})

export const getAgentStatement = route({
  ...shared,
  tag: 'agents',
  name: 'getAgentStatement',
  path: '/agents/{agentId}/statements/{month}',
  summary: "Get an agent's monthly statement",
  description: `Contains a line for each of the agent's runs under the current owner in a calendar month (UTC). The opening balance is 0. ${bounds} ${asCsv}`,
  response: agentStatement,
  csv: monthCsv,
  resource: agentNamed,
  codes: ['AGENT_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, resource, params }) => services.billing.statements.ofAgent(resource, params.month),
})

export const getRunStatement = route({
  ...shared,
  tag: 'runs',
  name: 'getRunStatement',
  path: '/runs/{runId}/statement',
  summary: "Get a run's statement",
  description: `Contains a line for each step, and for each failed attempt that the provider billed. The opening balance is 0, and the lines add up to the closing balance. ${asCsv}`,
  response: runStatement,
  csv: runCsv,
  resource: runNamed,
  codes: ['RUN_NOT_FOUND'],
  async handle({ services, resource }) {
    const { lines, ...statement } = await services.billing.statements.ofRun(resource)
    return { ...statement, lines: lines.map((line) => ({ ...line, costUsd: inUsd(line.costNanoUsd) })) }
  },
})
