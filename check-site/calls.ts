import type { Outcome } from './exchange.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'
import { callableTools, callTool, safeBody, type Site } from './site.ts'

/** A call of a tool, and what came of it. */
export type Called = { name: string; outcome: Outcome }

/** Calls each tool, one after the other. */
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

/** Calls without a token, or with this one, which must be refused. */
export const probe = (site: Site, token?: string): Promise<Called[]> =>
  site.once(`probe ${token}`, () =>
    callEach(site.tools, (tool) => callTool(site, tool.name, { token, body: safeBody(tool) })),
  )

/** The outcomes of all calls that must be refused with 401. */
export const unauthorized = async (site: Site): Promise<Called[]> => [
  ...(await probe(site)),
  ...(await probe(site, wrongToken)),
]

/** Calls with valid arguments to the tools that may be called. */
export const validCalls = (site: Site): Promise<Called[]> =>
  site.once('validCalls', () =>
    callEach(
      callableTools(site).filter(({ inputSchema }) => sampleArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: sampleArguments(inputSchema) }),
    ),
  )

/** Calls with arguments that violate the schema. */
export const invalidCalls = (site: Site): Promise<Called[]> =>
  site.once('invalidCalls', () =>
    callEach(
      callableTools(site).filter(({ inputSchema }) => violatingArguments(inputSchema)),
      ({ name, inputSchema }) => callTool(site, name, { token: site.token, body: violatingArguments(inputSchema) }),
    ),
  )
