/** The kinds of sites, by how they are spoken to. */
export type DialectName = 'manifest' | 'mcp' | 'openapi'
