import type { Tool } from './tools.ts'

/** The base path of the tool endpoints: a tool call is POST {origin}/api/tools/{name}. */
export const toolBase = '/api'

/** The manifest at /.well-known/toolsite.json: the site, its authorization, its tools. */
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
