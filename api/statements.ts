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
const asCsv = 'As CSV if you ask for `text/csv`.'
const bounds =
  'It has the 1,000 largest lines; all others of a kind are one more. The opening balance and all lines are the closing balance.'

const inUsd = (nanoUsd: number | null): number | null => (nanoUsd === null ? null : nanoUsd / 1e9)

export const listStatements = route({
  ...shared,
  tag: 'billing',
  name: 'listStatements',
  path: '/billing/statements',
  summary: 'List the months that have a statement',
  description: 'From the first change of the balance on, the latest first.',
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
  summary: 'Get the statement of a month',
  description:
    'What was added, has expired and was used in a calendar month (UTC): the steps by agent, those of chats together, and each ' +
    `other change as a line. ${bounds} That of a workspace has what it has used, and opens with 0. ${asCsv}`,
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
  summary: 'Get what an agent has used in a month',
  description: `A line for each of its runs, under its present owner, in a calendar month (UTC). ${bounds} It opens with 0. ${asCsv}`,
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
  summary: 'Get what a run has cost',
  description: `A line for each step, and for each failed attempt that its provider billed; they add up to the closing balance. It opens with 0. ${asCsv}`,
  response: runStatement,
  csv: runCsv,
  resource: runNamed,
  codes: ['RUN_NOT_FOUND'],
  async handle({ services, resource }) {
    const { lines, ...statement } = await services.billing.statements.ofRun(resource)
    return { ...statement, lines: lines.map((line) => ({ ...line, costUsd: inUsd(line.costNanoUsd) })) }
  },
})
