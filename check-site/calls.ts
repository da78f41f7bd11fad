import type { Outcome } from './exchange.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { callableTools, callTool, safeBody, type Site } from './site.ts'
import type { SiteTool } from '../src/sites/tool.ts'

export type Called = { name: string; outcome: Outcome }

export async function callEach<T extends { name: string }>(
  tools: T[],
  call: (tool: T) => Promise<Outcome>,
): Promise<Called[]> {
  const called: Called[] = []
  for (const tool of tools) called.push({ name: tool.name, outcome: await call(tool) })
  return called
}

export const describe = ({ name, outcome }: Called): string => `${name} ${outcome.what}`.replace(/([^.…])$/, '$1.')

export const wrongToken = 'switchyard-check-this-token-is-not-good'

/** Calls with this token, or without one. Either must be refused. */
export const probe = (site: Site, token?: string): Promise<Called[]> =>
  site.once(`probe ${token}`, () =>
    callEach(site.tools, (tool) => callTool(site, tool.name, { token, body: safeBody(tool) })),
  )

/** The outcomes of all calls that must be refused with 401. */
export const unauthorized = async (site: Site): Promise<Called[]> => [
  ...(await probe(site)),
  ...(await probe(site, wrongToken)),
]

/** Calls the callable tools whose schemas allow such arguments. */
export const callWith = (site: Site, argumentsFor: (schema: SiteTool['inputSchema']) => object | undefined) =>
  callEach(
    callableTools(site).filter(({ inputSchema }) => argumentsFor(inputSchema)),
    ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: argumentsFor(inputSchema) }),
  )

export const validCalls = (site: Site): Promise<Called[]> =>
  site.once('validCalls', () => callWith(site, sampleArguments))

export const invalidCalls = (site: Site): Promise<Called[]> =>
  site.once('invalidCalls', () => callWith(site, violatingArguments))
