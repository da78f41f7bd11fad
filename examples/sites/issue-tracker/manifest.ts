import type { Tool } from './tools.ts'

/** The path under which the tool endpoints live: a tool call is POST {origin}/api/tools/{name}. */
export const toolBase = '/api'

/** What the platform reads at /.well-known/toolsite.json: who we are, how to sign in, and what can be done here. */
export function createManifest(origin: string, tools: Tool[]) {
  return {
    name: 'Example issue tracker',
    version: '1.0.0',
    description: 'Search, create, discuss and delete issues of a small team.',
    server: { url: `${origin}${toolBase}` },
    auth: { type: 'bearer' },
    tools: tools.map(({ name, description, scope, effect, input_schema }) => {
      return { name, description, scope, effect, input_schema }
    }),
  }
}
