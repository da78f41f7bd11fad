/** The kinds of sites, by how they are spoken to, and what a site of each kind is. */
const dialects = {
  manifest: 'it publishes a `toolsite.json`',
  mcp: 'it is an MCP server',
  openapi: 'it is an API with an OpenAPI document',
} as const

export type DialectName = keyof typeof dialects

export const dialectNames = Object.keys(dialects) as DialectName[]

/** The meaning of each name, for people. */
export const dialectsInWords = Object.entries(dialects)
  .map(([name, words]) => `\`${name}\`: ${words}`)
  .join(' · ')
